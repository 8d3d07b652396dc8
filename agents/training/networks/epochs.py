"""Epochs over rounds, until the loss on held-out rounds stops falling.

Each epoch takes the rounds in an order of its own, in stretches; a stretch is a step of the
training.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.networks.dense_network import BITS_HELP, Bits, save_network
from agents.networks.encodings import VERSIONS
from agents.training.curves import write_loss_curves
from agents.training.networks.base import (
    HIDDEN_HELP,
    RATE_HELP,
    SEED_HELP,
    NetworkRecipe,
    NetworkTraining,
    header_text,
    shown,
)
from agents.training.networks.learner import Floats, Learner, Targets
from agents.training.networks.positions import (
    Encoding,
    PlayoutMargins,
    Positions,
    inputs_for,
    never_active,
    positions_of,
)
from agents.training.policy_play import policy_rounds
from agents.training.recordings import recorded_rounds
from agents.training.rounds import Rounds
from agents.training.trainer import Arrays
from arena.config.recipe import TrainingOrder
from arena.core.agent import parameter
from arena.core.deals import DealSet
from arena.core.errors import ArenaError
from arena.core.seeds import rng_for
from arena.tournament.record import experiment_of

GAMES_HELP = (
    "folders of recorded games, or sets of deals (.csv) that the game's policy plays; "
    "relative to the recipe"
)
_SEED_OF_PLAYS = 1
_HELD_OUT_AT_MOST = 2000
"""Rounds on which an epoch is measured; more would take time and change nothing."""
_BEST = "best_"


@dataclass(frozen=True)
class Task(ABC):
    """The targets and the loss of a network."""

    encoding: Encoding
    everyone: bool
    """Whether all seats look at a position, or only the one to move."""
    unit: str
    """The unit of losses in progress lines."""
    scale: NDArray[np.float32]
    """The outputs of the model are those of the learner times this."""
    playouts: PlayoutMargins | None = None
    """How margins are found, if not by the end of the round."""

    @abstractmethod
    def targets(self, positions: Positions) -> dict[str, NDArray[Any]]:
        """The targets of the loss, a row for each position."""

    @abstractmethod
    def loss(self, outputs: Floats, targets: Targets) -> tuple[float, Floats]:
        """The mean loss, and its derivative by the outputs."""

    def in_units(self, loss: float) -> float:
        """A mean loss in the unit of progress lines."""
        return loss


@dataclass(frozen=True)
class EpochsRecipe(NetworkRecipe):
    """A network that learns from rounds that are recorded, or played by a policy."""

    games: tuple[str, ...] = parameter(help=GAMES_HELP)
    plays: int = parameter(1, help="how often a set of deals is played", at_least=1)
    sharpness: float = parameter(2.0, help="of the policy that plays a set of deals", at_least=0)
    hidden: tuple[int, ...] = parameter((256, 128), help=HIDDEN_HELP)
    epochs: int = parameter(20, help="at most", at_least=1)
    batch: int = parameter(1024, help="positions of a step of Adam", at_least=1)
    learning_rate: float = parameter(0.001, help=RATE_HELP, at_least=0)
    last_rate: float | None = parameter(
        None, help="the learning rate falls to this; by default it does not", at_least=0
    )
    patience: int = parameter(
        1, help="epochs without a better held-out loss after which it ends; 0: never", at_least=0
    )
    held_out: float = parameter(0.1, help="share of the rounds that is not trained on", at_most=0.9)
    stretch: int = parameter(1000, help="rounds between two checkpoints", at_least=1)
    seed: int = parameter(2023, help=SEED_HELP, at_least=0)
    bits: Bits = parameter(32, help=BITS_HELP)

    @abstractmethod
    def task(self) -> Task:
        """The task of the network."""

    def begin(self, order: TrainingOrder) -> EpochsTraining:
        """Read the rounds and make a new network."""
        return EpochsTraining(self, order)


class EpochsTraining(NetworkTraining):
    """Learns stretch by stretch; keeps the state of the best epoch."""

    unit = "stretch"

    def __init__(self, recipe: EpochsRecipe, order: TrainingOrder) -> None:
        self.recipe, self.task = recipe, recipe.task()
        rounds, data = _rounds_for(recipe, order.folder)
        held = max(1, round(len(rounds) * recipe.held_out))
        if len(rounds) - held < 1:
            raise ArenaError(f"{len(rounds)} rounds are too few to hold {recipe.held_out:.0%} out")
        self.known, self.unknown = rounds[:-held], rounds[-held:]
        self.stretches = -(-len(self.known) // recipe.stretch)
        sizes = [
            inputs_for(rounds.rules, self.task.encoding), *recipe.hidden, len(self.task.scale)
        ]  # fmt: skip
        order.say(f"{len(rounds)} rounds of {rounds.rules.name}; layers {sizes}")
        learner = Learner(sizes, self.task.loss, recipe.learning_rate, recipe.seed)
        super().__init__(order, recipe.epochs * self.stretches, data, learner)
        self.log["history"] = []
        """For each epoch the loss in training and the loss held out, in units of the task."""
        self.best: Arrays = {}

    @property
    def is_finished(self) -> bool:
        """After all epochs, or when the held-out loss has not fallen for long enough."""
        held_out, patience = [each[1] for each in self.log["history"]], self.recipe.patience
        is_judged = patience and len(held_out) > patience and self.done % self.stretches == 0
        if is_judged and min(held_out[-patience:]) > min(held_out[:-patience]):
            return True
        return super().is_finished

    def step(self) -> str:
        recipe, losses = self.recipe, self.log["losses"]
        if self.done == 0:
            first = positions_of(
                self.known[:500], self.task.encoding, self.task.everyone, recipe.seed
            )
            self.learner.ignore(never_active(first))
        epoch, stretch = divmod(self.done, self.stretches)
        last = recipe.learning_rate if recipe.last_rate is None else recipe.last_rate
        done = (epoch + stretch / self.stretches) / recipe.epochs
        self.learner.set_learning_rate(recipe.learning_rate + done * (last - recipe.learning_rate))
        order = np.random.default_rng([recipe.seed, epoch]).permutation(len(self.known))
        chosen = np.sort(order[stretch * recipe.stretch : (stretch + 1) * recipe.stretch])
        seed = rng_for(recipe.seed, "stretch", epoch, stretch).next64() >> 1
        losses.append(self._learn(self.known[chosen], seed))
        if stretch + 1 == self.stretches:
            self._end_epoch()
        in_units = [self.task.in_units(loss) for loss in losses]
        return shown(f"epoch {epoch + 1} of {recipe.epochs}", in_units, self.task.unit)

    def _learn(self, rounds: Rounds, seed: int) -> float:
        """Learn from some rounds; the mean loss."""
        task, batch = self.task, self.recipe.batch
        positions = positions_of(rounds, task.encoding, task.everyone, seed, task.playouts)
        targets = task.targets(positions)
        order = np.random.default_rng(seed).permutation(len(positions.margins))
        batches = (order[first : first + batch] for first in range(0, len(order), batch))
        losses = [
            self.learner.step(positions.inputs[rows], _rows(targets, rows)) for rows in batches
        ]
        return float(np.mean(losses))

    def _end_epoch(self) -> None:
        """Measure the epoch on held-out rounds."""
        in_units, history = self.task.in_units, self.log["history"]
        train = in_units(float(np.mean(self.log["losses"][-self.stretches :])))
        history.append([train, in_units(self._held_out_loss())])
        if history[-1][1] == min(each[1] for each in history):
            self.best = self.learner.arrays()
        self.order.say(
            f"epoch {len(history)}: {train:.3f} {self.task.unit}, held out {history[-1][1]:.3f}"
        )

    def _held_out_loss(self) -> float:
        task, batch = self.task, self.recipe.batch
        rounds = self.unknown[:_HELD_OUT_AT_MOST]
        positions = positions_of(rounds, task.encoding, task.everyone, playouts=task.playouts)
        targets = task.targets(positions)
        total, count = 0.0, len(positions.margins)
        for first in range(0, count, batch):
            rows = np.arange(first, min(first + batch, count))
            total += len(rows) * self.learner.loss(positions.inputs[rows], _rows(targets, rows))
        return total / count

    def arrays(self) -> Arrays:
        return super().arrays() | {f"{_BEST}{name}": array for name, array in self.best.items()}

    def restore(self, arrays: Arrays) -> None:
        self.best = {
            name.removeprefix(_BEST): array
            for name, array in arrays.items()
            if name.startswith(_BEST)
        }
        super().restore({k: v for k, v in arrays.items() if not k.startswith(_BEST)})

    def figures(self) -> dict[str, Any]:
        """The losses by epoch, of the network of the best epoch."""
        self.learner.restore(self.best)
        return {"losses": [[round(loss, 4) for loss in each] for each in self.log["history"]]}

    def write(self, header: dict[str, Any]) -> None:
        output, encoding = self.order.output, self.task.encoding
        network = self.learner.network(f"{encoding} {VERSIONS[encoding]}", self.task.scale)
        save_network(output, network, header_text(header), self.recipe.bits)
        train, held_out = zip(*self.log["history"], strict=True)
        curves = {"trained on": train, "held out": held_out}
        write_loss_curves(output.with_suffix(".svg"), curves, "loss")


def _rows(targets: Mapping[str, NDArray[Any]], rows: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    return {name: array[rows] for name, array in targets.items()}


def _rounds_for(recipe: EpochsRecipe, folder: Path) -> tuple[Rounds, dict[str, Any]]:
    """The rounds of recordings and sets of deals; and their origin."""
    parts, origins = [], list[dict[str, Any]]()
    bidder: str = getattr(recipe, "bidder", "")
    for name in recipe.games:
        path = folder / name
        if path.suffix == ".csv":
            deals = DealSet.load(path)
            parts.append(
                policy_rounds(deals, recipe.plays, recipe.sharpness, bidder, _SEED_OF_PLAYS)
            )
            origins.append({"deals": deals.name, "sha256": deals.sha256, **deals.meta})
        else:
            parts.append(recorded_rounds(path))
            kept = ("name", "game", "deals", "agents", "seed")
            origins.append({key: experiment_of(path).get(key) for key in kept})
    if len({part.rules for part in parts}) > 1:
        raise ArenaError("games: expected one game, by one set of rules")
    rounds = Rounds.join(parts)
    sha256 = hashlib.sha256(rounds.cards.tobytes()).hexdigest()
    return rounds, {"games": origins, "rounds": len(rounds), "sha256": sha256}

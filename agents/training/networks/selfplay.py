"""The margin of a round, from rounds that the network plays: `arena train selfplay RECIPE`.

A cycle plays rounds with the network as it is, adds their positions to a buffer, and learns from
as many positions of the buffer as the cycle added. From time to time the network meets the rule
player on a fixed set of deals; that is the learning curve.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from io import StringIO
from typing import Any, Literal

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from agents.ismcts import Ismcts
from agents.networks.dense_network import BITS_HELP, Bits, Network, save_network
from agents.networks.encodings import VERSIONS
from agents.random_ import Random
from agents.rule import Rule
from agents.searchers.evaluators import NetworkJudge
from agents.training.curves import write_figure
from agents.training.margins import MarginInterval
from agents.training.networks.base import (
    HIDDEN_HELP,
    RATE_HELP,
    SEED_HELP,
    NetworkRecipe,
    NetworkTraining,
    header_text,
    shown,
)
from agents.training.networks.learner import Learner
from agents.training.networks.positions import inputs_for, margins_of, never_active, positions_of
from agents.training.networks.value import margin_task
from agents.training.rounds import Rounds, play_rounds
from agents.training.trainer import Arrays
from arena.config.model_file import ModelFile
from arena.config.recipe import TrainingOrder
from arena.core.agent import Agent, parameter
from arena.core.files import write_atomically
from arena.core.seeds import rng_for
from arena.games.klaverjas import Klaverjas

_CHUNK = 15
"""Rounds of a cycle that a worker plays at a time."""
_MEASURED_CHUNK = 50
"""The same for deals of a measurement."""
_ROUNDS_FOR_INPUTS = 200
"""Random rounds that show which inputs never occur."""


@dataclass(frozen=True)
class SelfPlayRecipe(NetworkRecipe):
    """Trains a network that judges leaves on rounds that it plays itself.

    Source: Aaldering 2023, section 3.4; the defaults are as published. Differs: of a full buffer
    the oldest positions go (the text says the last added); the leader also declares; the model
    is the network of the best measurement.
    """

    variant: Literal["rotterdam", "amsterdam"] = parameter("rotterdam", help="of Klaverjas")
    encoding: Literal["places", "world"] = parameter("places", help="the inputs of the network")
    hidden: tuple[int, ...] = parameter((1024, 512, 128, 16), help=HIDDEN_HELP)
    simulations: int = parameter(10, help="of a decision, in training and when measured")
    c: float = parameter(50.0, help="exploration in points")
    cycles: int = parameter(200, help="cycles", at_least=1)
    rounds: int = parameter(60, help="rounds that a cycle plays", at_least=1)
    buffer: int = parameter(43_200, help="positions to learn from", at_least=1)
    batch: int = parameter(2048, help="positions of a step of Adam", at_least=1)
    learning_rate: float = parameter(0.01, help=RATE_HELP, at_least=0)
    later_rate: float = parameter(0.001, help="the learning rate after `later` cycles", at_least=0)
    later: int = parameter(50, help="cycles with the first learning rate", at_least=0)
    measured_every: int = parameter(20, help="cycles between two measurements", at_least=1)
    deals: int = parameter(500, help="deals of a measurement, each in both seatings", at_least=2)
    seed: int = parameter(2023, help=SEED_HELP, at_least=0)
    bits: Bits = parameter(32, help=BITS_HELP)

    def begin(self, order: TrainingOrder) -> SelfPlayTraining:
        """Make a new network."""
        return SelfPlayTraining(self, order)


class SelfPlayTraining(NetworkTraining):
    """Plays and learns, cycle by cycle."""

    unit = "cycle"

    def __init__(self, recipe: SelfPlayRecipe, order: TrainingOrder) -> None:
        self.recipe = recipe
        self.rules = Klaverjas(variant=recipe.variant)
        self.task = margin_task(recipe.encoding, everyone=False)
        sizes = [inputs_for(self.rules, recipe.encoding), *recipe.hidden, 1]
        learner = Learner(sizes, self.task.loss, recipe.learning_rate, recipe.seed)
        random = play_rounds(self.rules, [Random()], recipe.seed, range(_ROUNDS_FOR_INPUTS))
        shown_inputs = positions_of(random, recipe.encoding, everyone=True, seed=recipe.seed)
        learner.ignore(never_active(shown_inputs))
        super().__init__(order, recipe.cycles, {"seed": recipe.seed}, learner)
        self.log["curve"] = []
        self.rounds: list[Rounds] = []
        """The rounds in the buffer, cycle by cycle."""
        self.positions: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = []
        """The same as inputs and margins."""
        self.best = self._network()
        """The network of the best measurement."""

    def step(self) -> str:
        recipe, losses = self.recipe, self.log["losses"]
        if self.done % recipe.measured_every == 0:
            self._measure()
        agent = self._agent()
        numbers = range(self.done * recipe.rounds, (self.done + 1) * recipe.rounds)
        played = self.in_workers(
            delayed(play_rounds)(self.rules, [agent], recipe.seed, numbers[i : i + _CHUNK])
            for i in range(0, recipe.rounds, _CHUNK)
        )
        self._add(Rounds.join(list(played)), self.done)
        while sum(len(margins) for _, margins in self.positions[1:]) >= recipe.buffer:
            del self.positions[0], self.rounds[0]
        losses.append(self._learn())
        in_points = [self.task.in_units(loss) for loss in losses]
        return shown(f"cycle {self.done + 1}", in_points, self.task.unit)

    def _add(self, rounds: Rounds, cycle: int) -> None:
        """Add the rounds of a cycle to the buffer."""
        seed = rng_for(self.recipe.seed, "suits", cycle).next64() >> 1
        found = positions_of(rounds, self.recipe.encoding, everyone=False, seed=seed)
        self.rounds.append(rounds)
        self.positions.append((found.inputs, self.task.targets(found)["margin"]))

    def _learn(self) -> float:
        recipe, learner = self.recipe, self.learner
        is_early = self.done < recipe.later
        learner.set_learning_rate(recipe.learning_rate if is_early else recipe.later_rate)
        inputs, margins = (
            np.concatenate(column)[-recipe.buffer :] for column in zip(*self.positions, strict=True)
        )
        count = len(self.positions[-1][1])
        order = np.random.default_rng([recipe.seed, self.done]).permutation(len(inputs))[:count]
        losses = []
        for first in range(0, count, recipe.batch):
            rows = order[first : first + recipe.batch]
            losses.append(learner.step(inputs[rows], {"margin": margins[rows]}))
        return float(np.mean(losses))

    def _network(self) -> Network:
        encoding = self.recipe.encoding
        return self.learner.network(f"{encoding} {VERSIONS[encoding]}", self.task.scale)

    def _agent(self) -> Agent:
        """A search that judges leaves by the network as it is."""
        path = self.files.path / "current.npz"
        save_network(path, self._network(), "in training")
        judge = NetworkJudge(ModelFile.find(str(path)))
        simulations, c = self.recipe.simulations, self.recipe.c
        return Ismcts(simulations=simulations, c=c, ucb="global", evaluator=judge)

    def _measure(self) -> None:
        """Add a point to the learning curve."""
        curve, other = self.log["curve"], Rule(mode="as-published")
        found = MarginInterval.of(self._margins_against(other))
        curve.append({"cycle": self.done, **found._asdict()})
        self.order.say(f"cycle {self.done}: {found.against('rule')}")
        if found.mean == max(point["mean"] for point in curve):
            self.best = self._network()

    def _margins_against(self, other: Agent) -> NDArray[np.float64]:
        """The margin against an agent in each of some random deals, played in both seatings."""
        agent, deals = self._agent(), self.recipe.deals
        starts = range(0, deals, _MEASURED_CHUNK)
        chunks = [range(first, min(first + _MEASURED_CHUNK, deals)) for first in starts]
        played = list(
            self.in_workers(
                delayed(play_rounds)(self.rules, seats, self.recipe.seed + 1, chunk)
                for seats in ([agent, other], [other, agent])
                for chunk in chunks
            )
        )
        halves = played[: len(chunks)], played[len(chunks) :]
        first, second = (margins_of(Rounds.join(half)) for half in halves)
        return (first - second).astype(np.float64) / 2

    def arrays(self) -> Arrays:
        return {
            **super().arrays(),
            **Rounds.join(self.rounds).arrays(),
            "best": self.best.weights,
        }

    def restore(self, arrays: Arrays) -> None:
        self.best = Network(self.best.sizes, arrays.pop("best"), self.best.encoding)
        columns = [arrays.pop(name) for name in ("trump", "declarer", "leader", "cards")]
        super().restore(arrays)
        kept, size = Rounds(self.rules, *columns), self.recipe.rounds
        first = self.done - len(kept) // size
        for number in range(len(kept) // size):
            self._add(kept[number * size : (number + 1) * size], first + number)

    def figures(self) -> dict[str, Any]:
        """The learning curve, with a last measurement."""
        self._measure()
        return {"curve": self.log["curve"]}

    def write(self, header: dict[str, Any]) -> None:
        recipe, output, curve = self.recipe, self.order.output, self.log["curve"]
        save_network(output, self.best, header_text(header), recipe.bits)
        table = StringIO()
        writer = csv.DictWriter(table, list(curve[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(curve)
        write_atomically(output.with_suffix(".csv"), table.getvalue())
        points = [tuple(point[k] for k in ("cycle", "mean", "low", "high")) for point in curve]
        title = (
            f"{recipe.simulations} simulations against the rule player, {recipe.deals} deals twice"
        )
        file = output.with_suffix(".svg")
        write_figure(file, {"": points}, "cycle", "points per deal, 95%", title)

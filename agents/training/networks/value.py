"""Who will win, from recorded rounds: `arena train value RECIPE`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from agents.networks.dense_network import BITS_HELP, Bits, Network, save_network
from agents.networks.encodings import VERSIONS
from agents.training.curves import write_figure
from agents.training.networks.fitting import Course, Epoch, fit
from agents.training.networks.learner import Learner
from agents.training.networks.positions import Encoding, Examples, Playouts, inputs_for
from agents.training.policy_rounds import policy_rounds
from agents.training.recordings import recorded_rounds
from agents.training.rounds import Rounds
from arena import __version__
from arena.config.recipe import RecipeTrainer
from arena.core.agent import parameter
from arena.core.deals import DealSet
from arena.core.errors import ArenaError
from arena.tournament.record import experiment_of

GAMES_HELP = (
    "folders of recorded games, or sets of deals (.csv) that the game's policy plays; "
    "relative to this file"
)
_SEED_OF_PLAYS = 1
POINTS = 100.0
"""Networks learn margins in hundreds of points; models answer in points."""


@dataclass(frozen=True)
class Margin:
    """The margin of the round, for the side of the one who looks."""

    encoding: Encoding
    everyone: bool
    playouts: Playouts | None = None
    unit: str = "points"

    def targets(self, examples: Examples) -> dict[str, NDArray[Any]]:
        """Margins in hundreds."""
        return {"margin": examples.margins[:, None] / np.float32(POINTS)}

    def told(self, loss: float) -> float:
        """The root of the mean square."""
        return float(POINTS * np.sqrt(loss))

    @staticmethod
    def loss(outputs: Any, targets: Any) -> Any:
        """The mean square."""
        return ((outputs - targets["margin"]) ** 2).mean()


@dataclass(frozen=True)
class ValueRecipe:
    """Trains a network that judges leaves on recorded rounds.

    Source: the human-data agent of Aaldering 2023, sections 3.3 and 3.5 (`hidden: [1024, 512, 128,
    16]`, `batch: 2048`, `patience: 1`). Differs: the output is linear, as in its program; the
    weights of the best epoch are kept, not those of the one after it; plain suits change places
    in every epoch.
    """

    games: tuple[str, ...] = parameter(help=GAMES_HELP)
    plays: int = parameter(1, help="how often a set of deals is played", at_least=1)
    sharpness: float = parameter(2.0, help="of the policy that plays a set of deals", at_least=0)
    playouts: int = parameter(
        0,
        help="a position is worth what so many playouts of the policy come to on average; "
        "0: how the round ended",
        at_least=0,
    )
    encoding: Literal["places", "world"] = parameter(
        "places", help="what the network is shown: what a seat knows, or all hands"
    )
    hidden: tuple[int, ...] = parameter((1024, 512, 128, 16), help="nodes of the hidden layers")
    epochs: int = parameter(20, help="at most", at_least=1)
    batch: int = parameter(2048, help="positions of a step", at_least=1)
    learning_rate: float = parameter(0.001, help="of Adam", at_least=0)
    last_rate: float | None = parameter(
        None, help="the learning rate falls to this; by default it does not", at_least=0
    )
    patience: int = parameter(
        1, help="epochs without getting better after which it ends; 0 for never", at_least=0
    )
    held_out: float = parameter(0.1, help="share of the rounds that is not trained on", at_most=0.9)
    stretch: int = parameter(1000, help="rounds between two notes on disk", at_least=1)
    seed: int = parameter(2023, help="where all randomness comes from", at_least=0)
    bits: Bits = parameter(32, help=BITS_HELP)

    def __post_init__(self) -> None:
        if not self.hidden or min(self.hidden) < 1:
            raise ArenaError("hidden: expected numbers of nodes from 1 on")

    def make(self, folder: Path, output: Path, workers: int, say: Callable[[str], None]) -> None:
        """Train, write the model with its learning curve beside it, and tell how good it is."""
        rounds, data = rounds_from(Source(folder, self.games, self.plays, self.sharpness))
        # In a world it is the seat to move who looks.
        playouts = Playouts(self.playouts, self.sharpness) if self.playouts else None
        task = Margin(self.encoding, self.encoding == "places", playouts)
        sizes = [inputs_for(rounds.rules, self.encoding), *self.hidden, 1]
        say(f"{len(rounds)} rounds of {rounds.rules.name}; layers {sizes}")
        learner = Learner(sizes, Margin.loss, self.learning_rate, self.seed)
        last = self.learning_rate if self.last_rate is None else self.last_rate
        course = Course(
            self.epochs, self.batch, self.learning_rate, last, self.patience, self.held_out,
            self.stretch, self.seed,
        )  # fmt: skip
        history = fit(learner, rounds, task, course, notes_of(output, self, data), say)
        network = learner.network(_shown(self.encoding), np.full(1, POINTS, np.float32))
        write_model(output, network, asdict(self), data, history)


@dataclass(frozen=True)
class Source:
    """Where rounds come from."""

    folder: Path
    """What `games` are relative to."""
    games: Sequence[str]
    plays: int
    sharpness: float
    bidder: str = ""


def rounds_from(source: Source) -> tuple[Rounds, dict[str, Any]]:
    """The rounds of recordings and of sets of deals; and where they are from."""
    parts, origins = [], list[dict[str, Any]]()
    for name in source.games:
        path = source.folder / name
        if path.suffix == ".csv":
            parts.append(
                policy_rounds(path, source.plays, source.sharpness, source.bidder, _SEED_OF_PLAYS)
            )
            deals = DealSet.load(path)
            origins.append({"deals": deals.name, "sha256": deals.sha256, **deals.meta})
        else:
            parts.append(recorded_rounds(path))
            kept = ("name", "game", "deals", "agents", "seed")
            origins.append({key: experiment_of(path).get(key) for key in kept})
    if len({part.rules for part in parts}) > 1:
        raise ArenaError("games: expected one game, by one set of rules")
    rounds = Rounds.join(parts)
    data = {
        "games": origins,
        "rounds": len(rounds),
        "sha256": hashlib.sha256(rounds.cards.tobytes()).hexdigest(),
    }
    return rounds, data


def notes_of(output: Path, recipe: Any, data: dict[str, Any]) -> Path:
    """The file for notes on the way: of this recipe and these data alone."""
    identity = json.dumps([asdict(recipe), data], sort_keys=True)
    digest = hashlib.sha256(identity.encode()).hexdigest()[:12]
    return output.with_name(f"{output.stem}-{digest}.notes")


def write_model(
    output: Path,
    network: Network,
    recipe: dict[str, Any],
    data: dict[str, Any],
    history: list[Epoch],
) -> None:
    """Write a model with its recipe, and how the loss fell as a figure beside it."""
    losses = [[round(each.train, 4), round(each.held_out, 4)] for each in history]
    header = {"recipe": recipe, "data": data, "arena": __version__, "losses": losses}
    save_network(output, network, json.dumps(header, sort_keys=True), recipe["bits"])
    curves = {
        name: [(i + 1, value, value, value) for i, value in enumerate(values)]
        for name, values in (
            ("trained on", [each.train for each in history]),
            ("held out", [each.held_out for each in history]),
        )
    }
    write_figure(output.with_suffix(".svg"), curves, "epoch", "loss", output.stem)


def _shown(encoding: Encoding) -> str:
    return f"{encoding} {VERSIONS[encoding]}"


class ValueTrainer(RecipeTrainer):
    """`arena train value RECIPE`."""

    recipe = ValueRecipe

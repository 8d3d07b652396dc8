"""What a seat plays and who holds what, by one network: `arena train seat RECIPE`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.beliefs.network import OUTPUTS, SEAT_OUTPUTS
from agents.networks.dense_network import BITS_HELP, Bits
from agents.networks.encodings import CARD, HELD, LEGAL, MAY, VERSIONS
from agents.training.networks.fitting import Course, fit
from agents.training.networks.learner import Learner, need_torch
from agents.training.networks.positions import Encoding, Examples, Playouts, examples_of, inputs_for
from agents.training.networks.value import (
    GAMES_HELP,
    POINTS,
    Source,
    notes_of,
    rounds_from,
    write_model,
)
from arena.config.recipe import RecipeTrainer
from arena.core.agent import parameter
from arena.core.errors import ArenaError
from arena.games.kernel.layout import Words

_FAR = -1e9
"""A logit of what cannot be."""


@dataclass(frozen=True)
class Seat:
    """The card that is played, the holder of each unseen card and the margin: three losses.

    The first two are cross-entropies in nats, over legal cards and over those who may hold a
    card (its mean over all unseen cards); the last is a mean square in hundreds of points. They
    are of the same size as they are, so their sum weighs them alike.
    """

    encoding: Encoding = "seat"
    everyone: bool = False
    playouts: Playouts | None = None
    unit: str = "loss"

    def targets(self, examples: Examples) -> dict[str, NDArray[Any]]:
        """Bits of cards as 0 and 1."""
        positions = examples.positions
        return {
            "margin": examples.margins / np.float32(POINTS),
            "legal": _bits(positions[:, LEGAL : LEGAL + 1]),
            "card": _bits(positions[:, CARD : CARD + 1]).argmax(axis=1),
            "may": _bits(positions[:, MAY + 1 : MAY + 4]),
            "held": _bits(positions[:, HELD + 1 : HELD + 4]),
        }

    def told(self, loss: float) -> float:
        """As it is."""
        return loss

    @staticmethod
    def loss(outputs: Any, targets: Any) -> Any:
        """The sum of all three."""
        torch = need_torch()
        owners = outputs[:, :OUTPUTS].reshape(-1, 3, 64)
        may = targets["may"].reshape(-1, 3, 64).bool()
        held = targets["held"].reshape(-1, 3, 64).bool() & may
        unseen = held.any(dim=1)
        chances = torch.log_softmax(owners.masked_fill(~may, _FAR), dim=1)
        of_owners = -(chances * held).sum() / unseen.sum().clamp(min=1)
        cards = outputs[:, OUTPUTS:-1].masked_fill(~targets["legal"].bool(), _FAR)
        of_cards = torch.nn.functional.cross_entropy(cards, targets["card"])
        of_margins = ((outputs[:, -1] - targets["margin"]) ** 2).mean()
        return of_cards + of_owners + of_margins


def _bits(words: Words) -> NDArray[np.uint8]:
    """64 columns for each word, lowest bit first."""
    return np.unpackbits(
        np.ascontiguousarray(words, dtype="<u8").view(np.uint8), axis=1, bitorder="little"
    )


def agreement(outputs: NDArray[np.float32], examples: Examples) -> tuple[float, float]:
    """How often the likeliest card was played, and the likeliest holder holds the card.

    Only where there is a choice: several legal cards, several who may hold the card.
    """
    targets = Seat().targets(examples)
    legal = targets["legal"].astype(bool)
    choice = legal.sum(axis=1) > 1
    cards = np.where(legal, outputs[:, OUTPUTS:-1], -np.inf).argmax(axis=1)
    may = targets["may"].reshape(-1, 3, 64).astype(bool)
    held = targets["held"].reshape(-1, 3, 64).astype(bool)
    owners = np.where(may, outputs[:, :OUTPUTS].reshape(-1, 3, 64), -np.inf).argmax(axis=1)
    open_to = may.sum(axis=1) > 1
    right = np.take_along_axis(held, owners[:, None, :], axis=1)[:, 0, :]
    return float((cards == targets["card"])[choice].mean()), float(right[open_to].mean())


@dataclass(frozen=True)
class SeatRecipe:
    """Trains a network that says what a seat plays, who holds what and who will win.

    Source: the card play network of Niklaus 2019, section 10.3.1. Differs: dense layers of a size
    for one core instead of six convolutions of 256 channels; learns from games of searches, not
    of people; plain suits change places.
    """

    games: tuple[str, ...] = parameter(help=GAMES_HELP)
    plays: int = parameter(1, help="how often a set of deals is played", at_least=1)
    sharpness: float = parameter(1.0, help="of the policy that plays a set of deals", at_least=0)
    bidder: str = parameter("", help="who bids for a set of deals; by default as the game says")
    hidden: tuple[int, ...] = parameter((256, 128), help="nodes of the hidden layers")
    epochs: int = parameter(20, help="at most", at_least=1)
    batch: int = parameter(1024, help="positions of a step", at_least=1)
    learning_rate: float = parameter(0.001, help="of Adam", at_least=0)
    last_rate: float = parameter(0.00005, help="the learning rate falls to this", at_least=0)
    patience: int = parameter(
        3, help="epochs without getting better after which it ends; 0 for never", at_least=0
    )
    held_out: float = parameter(0.1, help="share of the rounds that is not trained on", at_most=0.9)
    stretch: int = parameter(2000, help="rounds between two notes on disk", at_least=1)
    seed: int = parameter(2019, help="where all randomness comes from", at_least=0)
    bits: Bits = parameter(32, help=BITS_HELP)

    def __post_init__(self) -> None:
        if not self.hidden or min(self.hidden) < 1:
            raise ArenaError("hidden: expected numbers of nodes from 1 on")

    def make(self, folder: Path, output: Path, workers: int, say: Callable[[str], None]) -> None:
        """Train, write the model with its learning curve beside it, and tell how good it is."""
        source = Source(folder, self.games, self.plays, self.sharpness, self.bidder)
        rounds, data = rounds_from(source)
        sizes = [inputs_for(rounds.rules, "seat"), *self.hidden, SEAT_OUTPUTS]
        say(f"{len(rounds)} rounds of {rounds.rules.name}; layers {sizes}")
        learner = Learner(sizes, Seat.loss, self.learning_rate, self.seed)
        course = Course(
            self.epochs, self.batch, self.learning_rate, self.last_rate, self.patience,
            self.held_out, self.stretch, self.seed,
        )  # fmt: skip
        history = fit(learner, rounds, Seat(), course, notes_of(output, self, data), say)
        held = rounds.part(slice(-max(1, round(len(rounds) * self.held_out)), None))
        examples = examples_of(held.part(slice(0, 1000)), "seat", everyone=False)
        cards, owners = agreement(learner.outputs(examples.inputs), examples)
        say(f"held out: {cards:.1%} of the cards, {owners:.1%} of the holders of unseen cards")
        found = {**data, "cards_right": round(cards, 4), "holders_right": round(owners, 4)}
        encoding = f"seat {VERSIONS['seat']}"
        network = learner.network(encoding, np.ones(SEAT_OUTPUTS, np.float32))
        write_model(output, network, asdict(self), found, history)


class SeatTrainer(RecipeTrainer):
    """`arena train seat RECIPE`."""

    recipe = SeatRecipe

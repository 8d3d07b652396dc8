"""Which card a seat plays and who holds which card, by one network: `arena train seat RECIPE`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.beliefs.network import OUTPUTS, SEAT_OUTPUTS
from agents.networks.encodings import CARD, HELD, LEGAL, MAY
from agents.training.networks.base import POINTS, SEED_HELP
from agents.training.networks.epochs import EpochsRecipe, EpochsTraining, Task
from agents.training.networks.learner import Floats, Targets, squared_error
from agents.training.networks.positions import Positions, positions_of
from arena.config.recipe import TrainingOrder
from arena.core.agent import parameter
from arena.games.kernel.layout import Words

_FAR = np.float32(-1e9)
"""The logit of an impossible card or holder."""
_TINY = np.float32(1e-30)
"""Lower limit of probabilities, so that their logarithm is finite."""
_MEASURED = 1000
"""Held-out rounds, at most, in which agreement is measured."""


@dataclass(frozen=True)
class SeatTask(Task):
    """The card that is played, the holder of each unseen card and the margin: three losses.

    The first two are cross-entropies in nats, over legal cards and over seats that may hold a
    card (its mean over all unseen cards); the last is a mean square in hundreds of points. They
    are of the same size, so their sum weighs them alike.
    """

    def targets(self, positions: Positions) -> dict[str, NDArray[Any]]:
        """Bits of cards as 0 and 1."""
        words = positions.words
        return {
            "margin": positions.margins / np.float32(POINTS),
            "legal": _bits(words[:, LEGAL : LEGAL + 1]),
            "card": _bits(words[:, CARD : CARD + 1]).argmax(axis=1),
            "may": _bits(words[:, MAY + 1 : MAY + 4]),
            "held": _bits(words[:, HELD + 1 : HELD + 4]),
        }

    def loss(self, outputs: Floats, targets: Targets) -> tuple[float, Floats]:
        """The sum of all three."""
        slope = np.zeros_like(outputs)
        may = targets["may"].reshape(-1, 3, 64).astype(bool)
        held = targets["held"].reshape(-1, 3, 64).astype(bool) & may
        unseen = held.any(axis=1, keepdims=True)
        count = max(1, int(unseen.sum()))
        chances = _softmax(np.where(may, outputs[:, :OUTPUTS].reshape(-1, 3, 64), _FAR))
        of_owners = -float(np.log(np.maximum(chances[held], _TINY)).sum()) / count
        slope[:, :OUTPUTS] = (np.where(unseen, chances - held, 0.0) / count).reshape(len(slope), -1)
        cards = np.where(targets["legal"].astype(bool), outputs[:, OUTPUTS:-1], _FAR)
        played = np.arange(len(cards)), targets["card"]
        chances = _softmax(cards)
        of_cards = -float(np.log(np.maximum(chances[played], _TINY)).mean())
        chances[played] -= 1.0
        slope[:, OUTPUTS:-1] = chances / len(cards)
        of_margins, slope[:, -1] = squared_error(outputs[:, -1] - targets["margin"])
        return of_cards + of_owners + of_margins, slope


def _softmax(values: Floats) -> Floats:
    """Chances along the second axis."""
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    chances: Floats = powers / powers.sum(axis=1, keepdims=True)
    return chances


def _bits(words: Words) -> NDArray[np.uint8]:
    """64 columns for each word, lowest bit first."""
    return np.unpackbits(
        np.ascontiguousarray(words, dtype="<u8").view(np.uint8), axis=1, bitorder="little"
    )


def agreement(
    outputs: NDArray[np.float32], targets: dict[str, NDArray[Any]]
) -> tuple[float, float]:
    """How often the likeliest card was played, and how often the likeliest holder is right.

    Only where there is a choice: several legal cards, several seats that may hold the card.
    """
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
class SeatRecipe(EpochsRecipe):
    """Trains a network that says which card a seat plays, who holds which card and who will win.

    Source: the card play network of Niklaus 2019, section 10.3.1. Differs: dense layers of a size
    for one core instead of six convolutions of 256 channels; learns from games of searches, not
    of people; plain suits change places.
    """

    sharpness: float = parameter(1.0, help="of the policy that plays a set of deals", at_least=0)
    last_rate: float | None = parameter(
        0.00005, help="the learning rate falls to this; null: it does not", at_least=0
    )
    patience: int = parameter(
        3, help="epochs without a better held-out loss after which it ends; 0: never", at_least=0
    )
    stretch: int = parameter(2000, help="rounds between two checkpoints", at_least=1)
    seed: int = parameter(2019, help=SEED_HELP, at_least=0)
    bidder: str = parameter(
        "", help="bidder for a set of deals; by default the usual one of the game"
    )

    def task(self) -> Task:
        """All three; only the seat to move looks."""
        return SeatTask("seat", False, "loss", np.ones(SEAT_OUTPUTS, np.float32))

    def begin(self, order: TrainingOrder) -> SeatTraining:
        """Read the rounds and make a new network."""
        return SeatTraining(self, order)


class SeatTraining(EpochsTraining):
    """Also measures how often the likeliest card and the likeliest holder are right."""

    def figures(self) -> dict[str, Any]:
        figures = super().figures()
        held_out = positions_of(self.unknown[:_MEASURED], "seat", everyone=False)
        outputs = self.learner.outputs(held_out.inputs)
        cards, holders = agreement(outputs, self.task.targets(held_out))
        self.order.say(
            f"held out: {cards:.1%} of the cards, {holders:.1%} of the holders of unseen cards"
        )
        self.data |= {"cards_right": round(cards, 4), "holders_right": round(holders, 4)}
        return figures

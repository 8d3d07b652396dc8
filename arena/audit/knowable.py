"""The loss of a card as far as could be known: its mean over worlds that the player could expect.

All cards are valued on the same worlds. A sample flatters whichever card it favours, so for each
world the best card is chosen by all the other worlds. Luck of the draw then costs no agent points,
and a loss may come out a little below 0.

Values are those of open cards from the next card on: a player that gains by hiding or by finding
out is not given credit for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arena.core.rules import View
from arena.core.seeds import Rng

if TYPE_CHECKING:  # compiled code, which reports do without
    from arena.games.likely_worlds import DrawsWorlds
    from arena.solver.solution import Solver

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Knowable:
    """A decision valued on the worlds that the player could expect."""

    values: tuple[float, ...]
    """The mean value of each legal card, in the order of the legal cards."""
    best: tuple[float, ...]
    """In which share of the worlds each card is a best one."""
    loss: float
    """Points that the card played lost against the best one."""
    se: float
    """The standard error of the loss; 0 if all worlds were valued."""
    worlds: int


def knowable(
    solver: Solver, view: View, played: int, worlds: DrawsWorlds, count: int, rng: Rng
) -> Knowable | None:
    """Value a decision on `count` worlds; None if no world could be drawn."""
    draw = worlds.draw(view, count, rng)
    if len(draw.hands) < 2 and not draw.exact:
        return None
    different, place_of = np.unique(draw.hands, axis=0, return_inverse=True)
    values = solver.worlds(view, different)[place_of.reshape(-1)].astype(np.float64)
    weights = draw.weights
    place = view.legal.index(played)
    loss, se = _exact_loss(values, weights, place) if draw.exact else loss_of(values, place)
    best = values == values.max(axis=1, keepdims=True)
    return Knowable(
        tuple((weights @ values).tolist()),
        tuple((weights @ best).tolist()),
        loss,
        se,
        len(values),
    )


def _exact_loss(values: FloatArray, weights: FloatArray, played: int) -> tuple[float, float]:
    means = weights @ values
    return float(means.max() - means[played]), 0.0


def loss_of(values: FloatArray, played: int) -> tuple[float, float]:
    """The loss of a card and its standard error, from its values in sampled worlds (a row each).

    Formula: the mean over worlds w of v_w(best without w) - v_w(played), where the best card
    without w has the best mean in all other worlds; s/√n. Unit: the world. Assumes independent
    worlds. Source: leave-one-out assessment of a choice, Stone 1974, JRSS B 36.
    """
    others = values.sum(axis=0) - values
    chosen = others.argmax(axis=1)
    rows = np.arange(len(values))
    # Of equal cards the one that was played counts as the choice.
    chosen[others[rows, chosen] <= others[:, played]] = played
    differences = values[rows, chosen] - values[:, played]
    return float(differences.mean()), float(differences.std(ddof=1) / len(values) ** 0.5)

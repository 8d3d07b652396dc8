"""The loss of a card as far as could be known: its mean over worlds that the player could expect.

All cards are valued on the same worlds. A sample flatters whichever card it favours, so for each
world the best card is chosen by all the other worlds. Luck of the draw then costs nobody points,
and a loss may come out a little below 0.

Values are those of open cards from the next card on: a player that gains by hiding or by finding
out is not given credit for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.core.errors import ArenaError
from arena.core.rules import View
from arena.core.seeds import Rng
from arena.games.infoset import round_of
from arena.games.likely_worlds import DrawsWorlds, WorldDraw
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


def value_worlds(solver: Solver, view: View, draw: WorldDraw) -> tuple[FloatArray, FloatArray]:
    """The exact value of every legal card in every world, a row each, and the weights.

    Worlds that the seat would have seen otherwise (Weis that were not shown) are left out.
    """
    values: dict[tuple[int, ...], FloatArray | None] = {}
    rows, weights = [], []
    for hands, weight in zip(draw.hands.tolist(), draw.weights, strict=True):
        world = tuple(hands)
        if world not in values:
            state = _agreeing_round(view, world)
            values[world] = None if state is None else _values(solver, view, state)
        found = values[world]
        if found is not None:
            rows.append(found)
            weights.append(weight)
    if not rows:
        return np.empty((0, len(view.legal))), np.empty(0)
    return np.array(rows), np.array(weights) / np.sum(weights)


def _agreeing_round(view: View, hands: tuple[int, ...]) -> Any:
    try:
        state = round_of(view, hands)
    except ArenaError:
        return None
    return state if view.rules.view(state, view.seat) == view else None


def _values(solver: Solver, view: View, state: Any) -> FloatArray:
    solution = solver.solve(view.rules, state)
    return np.array([solution.cards[card].low for card in view.legal], dtype=np.float64)


def knowable(
    solver: Solver, view: View, played: int, worlds: DrawsWorlds, count: int, rng: Rng
) -> Knowable | None:
    """Value a decision on `count` worlds; None if no world could be drawn."""
    draw = worlds.draw(view, count, rng)
    values, weights = value_worlds(solver, view, draw)
    if len(values) < (1 if draw.exact else 2):
        return None
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

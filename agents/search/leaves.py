"""What a leaf of a tree is worth to each side: played out and scored, or judged by a network.

A value is kept per side and always better when it is higher, whatever the game. So a tree
never has to ask who is minimising.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.codes import BLOCK, DIFFERENCE, IGNORE, OWN_POINTS
from agents.search.network import Judge, expected_margin
from agents.search.playouts import points_taken, roll_out
from arena.games.kernel.jit import compiled, inlined, uncounted
from arena.games.kernel.layout import (
    FEW_ARE_GOOD,
    LEFT,
    SIDES,
    STATE_WORDS,
    TURN,
    ZERO,
    Int,
    Words,
)
from arena.games.kernel.step import (
    copy_state,
    final_scores,
    side_of,
)
from arena.games.rulebook import Book


class Leaves(NamedTuple):
    """How leaves are judged."""

    rollouts: int
    """Playouts per leaf; their values are averaged."""
    rollout: int
    """`RANDOM`, `SEMI_RANDOM` or `RULE`."""
    value: int
    """`DIFFERENCE` to the mean of the other sides, `OWN_POINTS` or `WIN`."""
    moon: int
    """What all points in one hand mean where few are good: `IGNORE` them as points like any
    others, `BLOCK` others from it but not try it, or `SHOOT` as the rules score it."""
    stop: int
    """Playouts end when so many tricks are left; 0 plays to the end and scores the round."""
    mix: float
    """The network's share in the value of a leaf: 0 for playouts alone, 1 for no playouts."""
    book: Book | None = None
    """What `RULE` plays by."""


@inlined
def judge_leaf(
    state: Words,
    game: Words,
    leaves: Leaves,
    judge: Judge | None,
    rng: Words,
    scores: NDArray[np.int64],
    values: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """The value of a leaf to each side: by playouts, by a network, or by both."""
    if judge is None:  # then numba leaves the rest out
        _play_out(state, game, leaves, rng, scores, values, sums)
    else:
        is_over = state[LEFT] == ZERO
        side = np.int64(side_of(game, state[TURN]))
        expected = 0.0 if is_over else expected_margin(state, game, judge)
        if is_over or leaves.mix < 1.0:
            _play_out(state, game, leaves, rng, scores, values, sums)
        if not is_over:
            for i in range(2):
                by_network = expected if i == side else -expected
                by_playouts = sums[i] if leaves.mix < 1.0 else 0.0
                sums[i] = leaves.mix * by_network + (1.0 - leaves.mix) * by_playouts


@inlined
def _play_out(
    state: Words,
    game: Words,
    leaves: Leaves,
    rng: Words,
    scores: NDArray[np.int64],
    values: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """The mean value of a leaf to each side, over its playouts."""
    if leaves.rollouts == 1 or state[LEFT] == ZERO:
        roll_out(state, game, leaves.rollout, np.uint64(leaves.stop), leaves.book, rng)
        values_of(state, game, leaves, scores, sums)
    else:
        _play_out_often(state, game, leaves, rng, scores, values, sums)


@compiled
def _play_out_often(
    state: Words,
    game: Words,
    leaves: Leaves,
    rng: Words,
    scores: NDArray[np.int64],
    values: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    end = np.empty(STATE_WORDS, np.uint64)
    for side in range(4):
        sums[side] = 0.0
    for _ in range(leaves.rollouts):
        copy_state(state, end)
        roll_out(end, game, leaves.rollout, np.uint64(leaves.stop), leaves.book, rng)
        values_of(end, game, leaves, scores, values)
        for side in range(4):
            sums[side] += values[side] / np.float64(leaves.rollouts)


@uncounted
def values_of(
    state: Words,
    game: Words,
    leaves: Leaves,
    scores: NDArray[np.int64],
    values: NDArray[np.float64],
) -> None:
    """Put what a state at its end is worth to each side into `values`; `scores` is room."""
    sides = np.int64(game[SIDES])
    few_are_good = game[FEW_ARE_GOOD] != ZERO
    if state[LEFT] == ZERO and not (few_are_good and leaves.moon == IGNORE):
        final_scores(state, game, scores)
        if few_are_good and leaves.moon == BLOCK:
            for side in range(sides):
                scores[side] = max(scores[side], points_taken(state, side))
    else:
        for side in range(sides):
            scores[side] = points_taken(state, side)
    if few_are_good:
        for side in range(sides):
            scores[side] = -scores[side]

    if leaves.value == OWN_POINTS:
        for side in range(sides):
            values[side] = np.float64(scores[side])
    elif leaves.value == DIFFERENCE:
        total = np.int64(0)
        for side in range(sides):
            total += scores[side]
        for side in range(sides):
            others = np.float64(total - scores[side]) / np.float64(sides - 1)
            values[side] = np.float64(scores[side]) - others
    else:
        _share_win(scores, sides, values)


@inlined
def _share_win(scores: NDArray[np.int64], sides: Int, values: NDArray[np.float64]) -> None:
    """1 to the best side; if several are, they share it."""
    best, winners = scores[0], 0
    for side in range(sides):
        best = max(best, scores[side])
    for side in range(sides):
        winners += scores[side] == best
    for side in range(sides):
        values[side] = 1.0 / np.float64(winners) if scores[side] == best else 0.0

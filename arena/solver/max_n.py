"""Endings of games with more than two sides: max-n, by the rules of the kernel.

All players see all cards and play for their own final score alone (Luckhardt and Irani 1986). Who
has several cards of the same value plays the first in kernel order. Another choice among equals may
change what the others score, and then what they play: next to each score there are bounds that
hold whatever is chosen among equals, now and later (the sets of
soft-maxⁿ, Sturtevant and Bowling 2006, as bounds).
There is no pruning, so the result does not depend on the size of the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.games.kernel.jit import inlined, records, uncounted
from arena.games.kernel.layout import (
    FEW_ARE_GOOD,
    LEFT,
    ONE,
    SIDES,
    STATE_WORDS,
    TABLE,
    TURN,
    ZERO,
    Int,
    Numbers,
    Words,
)
from arena.games.kernel.step import copy_state, final_scores, legal, play, side_of
from arena.solver.by_rules import rules_key
from arena.solver.memory import MOST_NODES, NO_LIMIT, NODES, SALT

_ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("scores", np.int16, (4,)),
        ("lows", np.int16, (4,)),
        ("highs", np.int16, (4,)),
    ]
)
_CARDS = 56
_NONE = -30_000


class MaxNWorkspace(NamedTuple):
    """Memory for max-n. Positions under one salt share entries of the table."""

    table: Any
    counts: Numbers
    states: NDArray[np.uint64]
    moves: Words
    keys: Words
    scores: NDArray[np.int64]
    """By ply: the scores with the best card so far,"""
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    """and their bounds whatever is chosen among equals."""

    @classmethod
    def of(cls, bits: int) -> MaxNWorkspace:
        """A table of 2 ** `bits` entries of 32 bytes."""
        return cls(
            records(np.zeros(1 << bits, dtype=_ENTRY)),
            np.array([0, NO_LIMIT, 1], dtype=np.int64),
            np.empty((_CARDS, STATE_WORDS), dtype=np.uint64),
            np.empty(_CARDS, dtype=np.uint64),
            np.empty(_CARDS, dtype=np.uint64),
            np.empty((_CARDS, 4), dtype=np.int64),
            np.empty((_CARDS, 4), dtype=np.int64),
            np.empty((_CARDS, 4), dtype=np.int64),
        )


@uncounted
def max_n(ws: MaxNWorkspace, root: Words, game: Words) -> bool:
    """Write final scores, higher for better, to `ws.scores[0]`, their bounds to `lows`, `highs`.

    False if the nodes do not last.
    """
    table, states = ws.table, ws.states
    scores, lows, highs = ws.scores, ws.lows, ws.highs
    last = np.uint64(len(table) - 1)
    sides = np.int64(game[SIDES])
    copy_state(root, states[0])
    ply: Int = np.int64(0)
    entering = True
    while True:
        state = states[ply]
        known = False
        if entering:
            entering = False
            ws.keys[ply] = ws.moves[ply] = ZERO
            if state[LEFT] == ZERO:
                final_scores(state, game, scores[ply])
                known = True
                for side in range(sides):
                    if game[FEW_ARE_GOOD] != ZERO:
                        scores[ply, side] = -scores[ply, side]
                    lows[ply, side] = highs[ply, side] = scores[ply, side]
            else:
                ws.moves[ply] = legal(state, game)
                for side in range(sides):
                    scores[ply, side] = lows[ply, side] = highs[ply, side] = _NONE
                if state[TABLE] == ZERO and state[LEFT] != ONE:
                    key = rules_key(state, ws.counts[SALT])
                    ws.keys[ply] = key
                    entry = table[key & last]
                    if entry.key == key:
                        known = True
                        for side in range(sides):
                            scores[ply, side] = entry.scores[side]
                            lows[ply, side] = entry.lows[side]
                            highs[ply, side] = entry.highs[side]
        while known or ws.moves[ply] == ZERO:
            if not known and ws.keys[ply] != ZERO:
                entry = table[ws.keys[ply] & last]
                entry.key = ws.keys[ply]
                for side in range(sides):
                    entry.scores[side] = np.int16(scores[ply, side])
                    entry.lows[side] = np.int16(lows[ply, side])
                    entry.highs[side] = np.int16(highs[ply, side])
            known = False
            if ply == 0:
                return True
            ply -= 1
            mover = np.int64(side_of(game, states[ply][TURN]))
            if scores[ply + 1, mover] > scores[ply, mover]:
                for side in range(sides):
                    scores[ply, side] = scores[ply + 1, side]
            _widen(lows, highs, ply, mover, sides)
        if ws.counts[NODES] >= ws.counts[MOST_NODES]:
            return False
        ws.counts[NODES] += 1
        card: Any = ws.moves[ply] & (~ws.moves[ply] + ONE)
        ws.moves[ply] ^= card
        copy_state(states[ply], states[ply + 1])
        ply += 1
        play(states[ply], game, card)
        entering = True


@inlined
def _widen(
    lows: NDArray[np.int64], highs: NDArray[np.int64], ply: Int, mover: Int, sides: Int
) -> None:
    """Add the card after a ply to the bounds, unless it or all cards before are surely worse."""
    if highs[ply + 1, mover] < lows[ply, mover]:
        return
    better = lows[ply + 1, mover] > highs[ply, mover]
    # Whatever is chosen, the mover gets the best of the lower bounds.
    sure = max(lows[ply, mover], lows[ply + 1, mover])
    for side in range(sides):
        if better or lows[ply + 1, side] < lows[ply, side]:
            lows[ply, side] = lows[ply + 1, side]
        if better or highs[ply + 1, side] > highs[ply, side]:
            highs[ply, side] = highs[ply + 1, side]
    lows[ply, mover] = sure

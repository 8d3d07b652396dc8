"""Endings of games with more than two sides: max-n, by the rules of the kernel.

Everybody sees all cards and plays for their own final score alone (Luckhardt and Irani 1986). Who
has several cards of the same value plays the first in kernel order; where the others would score
otherwise with another one, the result is marked as *tied*.
There is no pruning, so the result does not depend on the size of the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.games.kernel.jit import records, uncounted
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

_ENTRY = np.dtype([("key", np.uint64), ("scores", np.int32, (4,)), ("tied", np.int64)])
_CARDS = 56
_NONE = -1_000_000


class MaxNWorkspace(NamedTuple):
    """Memory for max-n. Positions under one salt share entries of the table."""

    table: Any
    counts: Numbers
    states: NDArray[np.uint64]
    moves: Words
    keys: Words
    scores: NDArray[np.int64]
    """By ply: the scores with the best card so far, those of the last card behind them."""
    tied: Numbers

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
            np.empty(_CARDS, dtype=np.int64),
        )


@uncounted
def max_n(ws: MaxNWorkspace, root: Words, game: Words) -> bool:
    """Write final scores, higher for better, to `ws.scores[0]` and `ws.tied[0]`.

    False if the nodes do not last.
    """
    table, states, scores, tied = ws.table, ws.states, ws.scores, ws.tied
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
            tied[ply] = 0
            ws.keys[ply] = ws.moves[ply] = ZERO
            if state[LEFT] == ZERO:
                final_scores(state, game, scores[ply])
                known = True
                if game[FEW_ARE_GOOD] != ZERO:
                    for side in range(sides):
                        scores[ply, side] = -scores[ply, side]
            else:
                ws.moves[ply] = legal(state, game)
                for side in range(sides):
                    scores[ply, side] = _NONE
                if state[TABLE] == ZERO and state[LEFT] != ONE:
                    key = rules_key(state, ws.counts[SALT])
                    ws.keys[ply] = key
                    entry = table[key & last]
                    if entry.key == key:
                        known = True
                        tied[ply] = entry.tied
                        for side in range(sides):
                            scores[ply, side] = entry.scores[side]
        while known or ws.moves[ply] == ZERO:
            if not known and ws.keys[ply] != ZERO:
                entry = table[ws.keys[ply] & last]
                entry.key, entry.tied = ws.keys[ply], tied[ply]
                for side in range(sides):
                    entry.scores[side] = np.int32(scores[ply, side])
            known = False
            if ply == 0:
                return True
            ply -= 1
            mover = np.int64(side_of(game, states[ply][TURN]))
            new, old = scores[ply + 1, mover], scores[ply, mover]
            if new > old:
                tied[ply] = tied[ply + 1]
                for side in range(sides):
                    scores[ply, side] = scores[ply + 1, side]
            elif new == old:
                tied[ply] |= tied[ply + 1]
                for side in range(sides):
                    if scores[ply, side] != scores[ply + 1, side]:
                        tied[ply] |= 1
        if ws.counts[NODES] >= ws.counts[MOST_NODES]:
            return False
        ws.counts[NODES] += 1
        card: Any = ws.moves[ply] & (~ws.moves[ply] + ONE)
        ws.moves[ply] ^= card
        copy_state(states[ply], states[ply + 1])
        ply += 1
        play(states[ply], game, card)
        entering = True

"""Any game of two sides that has a kernel: alpha-beta on the final scores, by the rules alone.

Nothing is known of how a score comes about, so a position is everything that final scores may
depend on: the cards left, the leader, what each side has taken and what tricks have opened. It
serves endings of games without a score form (`arena.games.score_form`), such as those of
plug-ins. Null windows as in MTD(f) (Plaat et al. 1996); no recursion, as in `alpha_beta`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.games.kernel.bits import high_bit
from arena.games.kernel.jit import inlined, records, uncounted
from arena.games.kernel.layout import (
    BEST,
    FEW_ARE_GOOD,
    HANDS,
    LED,
    LEFT,
    ONE,
    OPENED,
    OWN_STATE,
    STATE_WORDS,
    TABLE,
    TAKEN,
    TRUMPS,
    TURN,
    ZERO,
    Int,
    Numbers,
    Word,
    Words,
)
from arena.games.kernel.rng import mix
from arena.games.kernel.step import copy_state, final_scores, legal, play, side_of
from arena.solver.memory import MOST_NODES, NO_LIMIT, NODES, SALT

FAR_SCORE = 1_000_000
UNKNOWN_SCORE = 2_000_000
"""The answer of a search that ran out of nodes."""

_ENTRY = np.dtype([("key", np.uint64), ("low", np.int32), ("high", np.int32), ("card", np.uint64)])
_CARDS = 56
_K1, _K2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


class RulesWorkspace(NamedTuple):
    """Memory for searches by the rules. Positions under one salt share entries of the table."""

    table: Any
    counts: Numbers
    states: NDArray[np.uint64]
    moves: Words
    """By ply: the cards not yet tried,"""
    tried: Words
    """the one being tried,"""
    keys: Words
    """the key of the position,"""
    bests: Numbers
    """and the best value so far for who moves."""
    scores: Numbers

    @classmethod
    def of(cls, bits: int) -> RulesWorkspace:
        """A table of 2 ** `bits` entries of 24 bytes."""
        return cls(
            records(np.zeros(1 << bits, dtype=_ENTRY)),
            np.array([0, NO_LIMIT, 1], dtype=np.int64),
            np.empty((_CARDS, STATE_WORDS), dtype=np.uint64),
            np.empty(_CARDS, dtype=np.uint64),
            np.empty(_CARDS, dtype=np.uint64),
            np.empty(_CARDS, dtype=np.uint64),
            np.empty(_CARDS, dtype=np.int64),
            np.zeros(4, dtype=np.int64),
        )


@uncounted
def rules_key(state: Words, salt: Int) -> Word:
    """Names a position at the beginning of a trick."""
    key: Word = mix((state[TURN] + ONE) * _K2 + np.uint64(salt) * _K1)
    for seat in range(4):
        key = mix(key ^ state[HANDS + np.uint64(seat)]) * _K1
    for side in range(4):
        key = mix(key ^ state[TAKEN + np.uint64(side)]) * _K2
    for number in range(OWN_STATE, STATE_WORDS):
        key = mix(key ^ state[number]) * _K1
    return Word(mix(key ^ state[OPENED]) | ONE)


@uncounted
def value_by_rules(
    ws: RulesWorkspace, state: Words, game: Words, guess: Int, found: Numbers
) -> None:
    """Narrow the bounds `found` of side 0's margin as far as the nodes last."""
    value = guess
    while found[0] < found[1]:
        goal = max(found[0] + 1, min(value, found[1]))
        value = _search(ws, state, game, goal)
        if value == UNKNOWN_SCORE:
            return
        if value < goal:
            found[1] = value
        else:
            found[0] = value
            value += 1


@uncounted
def _search(ws: RulesWorkspace, root: Words, game: Words, goal: Int) -> Int:
    """A lower bound of the margin that is at least `goal`, or an upper bound that is below it."""
    table, states = ws.table, ws.states
    last = np.uint64(len(table) - 1)
    copy_state(root, states[0])
    ply: Int = np.int64(0)
    value: Int = np.int64(0)
    entering = True
    while True:
        state = states[ply]
        known = False
        if entering:
            entering = False
            if state[LEFT] == ZERO:
                final_scores(state, game, ws.scores)
                value, known = ws.scores[0] - ws.scores[1], True
                if game[FEW_ARE_GOOD] != ZERO:
                    value = -value
            else:
                ws.moves[ply] = legal(state, game)
                ws.keys[ply] = ws.tried[ply] = ZERO
                ws.bests[ply] = -FAR_SCORE if side_of(game, state[TURN]) == ZERO else FAR_SCORE
                if state[TABLE] == ZERO and state[LEFT] != ONE:
                    key = rules_key(state, ws.counts[SALT])
                    ws.keys[ply] = key
                    entry = table[key & last]
                    if entry.key == key:
                        if entry.low >= goal:
                            value, known = np.int64(entry.low), True
                        elif entry.high < goal:
                            value, known = np.int64(entry.high), True
                        elif entry.card & ws.moves[ply] != ZERO:
                            ws.tried[ply] = entry.card  # the best answer of an earlier search
        # Go back up with a value as long as it settles the position above as well.
        while known or ws.moves[ply] == ZERO:
            if not known:
                value = ws.bests[ply]
                if ws.keys[ply] != ZERO:
                    _remember(ws, last, ply, goal, value)
            known = False
            if ply == 0:
                return value
            ply -= 1
            ours = side_of(game, states[ply][TURN]) == ZERO
            ws.bests[ply] = max(ws.bests[ply], value) if ours else min(ws.bests[ply], value)
            if ours == (value >= goal):
                ws.moves[ply] = ZERO
        if ws.counts[NODES] >= ws.counts[MOST_NODES]:
            return np.int64(UNKNOWN_SCORE)
        ws.counts[NODES] += 1
        state = states[ply]
        card: Any = ws.tried[ply]
        if card & ws.moves[ply] == ZERO:
            card = _most_promising(state, game, ws.moves[ply])
        ws.tried[ply] = card
        ws.moves[ply] ^= card
        copy_state(state, states[ply + 1])
        ply += 1
        play(states[ply], game, card)
        entering = True


@inlined
def _remember(ws: RulesWorkspace, last: Word, ply: Int, goal: Int, value: Int) -> None:
    key = ws.keys[ply]
    entry = ws.table[key & last]
    if entry.key != key:
        entry.key, entry.low, entry.high = key, np.int32(-FAR_SCORE), np.int32(FAR_SCORE)
    if value >= goal:
        entry.low = np.int32(value)
    else:
        entry.high = np.int32(value)
    entry.card = ws.tried[ply]


@inlined
def _most_promising(state: Words, game: Words, moves: Any) -> Word:
    """The highest card that takes the lead in the trick; if none does, the lowest."""
    best = state[BEST]
    leading = moves
    if state[TABLE] != ZERO:
        leading = moves & (state[LED] | game[TRUMPS]) & ~(best | (best - ONE))
    card: Word = moves & (~moves + ONE)
    if leading != ZERO:
        card = ONE << high_bit(leading)
    return card

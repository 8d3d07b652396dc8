"""Perfect play with all cards known, for games of two sides: alpha-beta with a table.

A position is worth the final score of side 0 less that of side 1 (`SCORE`), with all that
the rules make of it at the end; or only the points and bonuses still to come (`POINTS`),
which depends on nothing that is over and so is found much faster.

Every search asks one question, "is it worth at least g?" (a null window), and the answers
close in on the value: MTD(f) of Plaat et al. 1996. Bounds are kept in a table, at the
beginning of tricks, under the cards left and the leader; for `SCORE` also under what each
side has taken and what tricks have opened. What was played before follows from the cards
left, because within one table all positions come from the same hands.

There is no recursion: what numba keeps on disk must not call itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.search.worlds import Worlds, deal_world
from arena.games.kernel.bits import ctz, high_bit
from arena.games.kernel.jit import compiled, inlined, records, uncounted
from arena.games.kernel.layout import (
    BEST,
    HANDS,
    LED,
    LEFT,
    ONE,
    OPENED,
    S16,
    STATE_WORDS,
    TABLE,
    TAKEN,
    TRUMPS,
    TURN,
    ZERO,
    Int,
    Word,
    Words,
)
from arena.games.kernel.rng import mix
from arena.games.kernel.step import copy_state, final_scores, legal, play, side_of

SCORE, POINTS = 0, 1

ENTRY = np.dtype([("key", np.uint64), ("low", np.int32), ("high", np.int32), ("card", np.uint64)])
Table: TypeAlias = Any
"""A record array of `ENTRY`."""

_MOST_CARDS = 56
_PART = np.uint64(0xFFFF)
_FAR = 1 << 20
"""Beyond every score."""
_K1, _K2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


class SolverWorkspace(NamedTuple):
    """Where a solver works. The table may be used again for the same hands, not for others."""

    table: Table
    states: NDArray[np.uint64]
    moves: NDArray[np.uint64]
    """By ply: the cards not yet tried,"""
    tried: NDArray[np.uint64]
    """the one being tried,"""
    keys: NDArray[np.uint64]
    """the key of the position,"""
    bests: NDArray[np.int64]
    """and the best value so far for who moves."""
    scores: NDArray[np.int64]

    @classmethod
    def of(cls, bits: int = 16) -> SolverWorkspace:
        """A table of 2 ** `bits` entries of 24 bytes."""
        return cls(
            records(np.zeros(1 << bits, dtype=ENTRY)),
            np.empty((_MOST_CARDS, STATE_WORDS), dtype=np.uint64),
            np.empty(_MOST_CARDS, dtype=np.uint64),
            np.empty(_MOST_CARDS, dtype=np.uint64),
            np.empty(_MOST_CARDS, dtype=np.uint64),
            np.empty(_MOST_CARDS, dtype=np.int64),
            np.zeros(4, dtype=np.int64),
        )


@compiled
def solve_cards(
    state: Words, game: Words, objective: Int, room: SolverWorkspace, values: NDArray[np.float64]
) -> None:
    """Add what each legal card is worth to side 0 to `values`, by the number of its bit."""
    after = np.empty(STATE_WORDS, np.uint64)
    cards = legal(state, game)
    guess: Int = np.int64(0)
    while cards != ZERO:
        card = cards & (~cards + ONE)
        cards ^= card
        copy_state(state, after)
        play(after, game, card)
        guess = solve(after, game, objective, guess, room)
        values[ctz(card)] += np.float64(guess)


@compiled
def solve_worlds(
    count: Int,
    root: Words,
    game: Words,
    worlds: Worlds,
    objective: Int,
    rng: Words,
    room: SolverWorkspace,
    values: NDArray[np.float64],
) -> None:
    """`solve_cards` in each of `count` worlds."""
    world = np.empty(STATE_WORDS, np.uint64)
    copy_state(root, world)
    for _ in range(count):
        deal_world(worlds, rng, world)
        clear(room)
        solve_cards(world, game, objective, room, values)


@uncounted
def clear(room: SolverWorkspace) -> None:
    """Forget everything: for other hands."""
    for i in range(len(room.table)):
        room.table[i].key = ZERO


@uncounted
def solve(state: Words, game: Words, objective: Int, guess: Int, room: SolverWorkspace) -> Int:
    """What a position is worth to side 0, under perfect play of both sides."""
    low, high = -_FAR, _FAR
    value = guess
    while low < high:
        goal = value + 1 if value == low else value
        value = _search(state, game, objective, goal, room)
        if value < goal:
            high = value
        else:
            low = value
    return value


@uncounted
def _search(root: Words, game: Words, objective: Int, goal: Int, room: SolverWorkspace) -> Int:
    """A lower bound of the value that is at least `goal`, or an upper bound that is below it."""
    table, states = room.table, room.states
    last = np.uint64(len(table) - 1)
    copy_state(root, states[0])
    ply: Int = 0
    value: Int = np.int64(0)
    entering = True
    while True:
        state = states[ply]
        known = False
        if entering:
            entering = False
            if state[LEFT] == ZERO:
                value, known = _worth(state, game, objective, room.scores), True
            else:
                room.moves[ply] = legal(state, game)
                room.keys[ply] = ZERO
                room.tried[ply] = ZERO
                room.bests[ply] = -_FAR if side_of(game, state[TURN]) == ZERO else _FAR
                if state[TABLE] == ZERO and state[LEFT] != ONE:
                    key = _key(state, objective)
                    room.keys[ply] = key
                    entry = table[key & last]
                    if entry.key == key:
                        base = _base(state, objective)
                        if entry.low + base >= goal:
                            value, known = np.int64(entry.low) + base, True
                        elif entry.high + base < goal:
                            value, known = np.int64(entry.high) + base, True
                        elif entry.card & room.moves[ply] != ZERO:
                            room.tried[ply] = entry.card  # the best answer of an earlier search
        # Go back up with a value as long as it settles the position above as well.
        while known or room.moves[ply] == ZERO:
            if not known:
                value = room.bests[ply]
                _remember(table, last, room, ply, objective, goal, value)
                known = True
            if ply == 0:
                return value
            ply -= 1
            known = False
            maximising = side_of(game, states[ply][TURN]) == ZERO
            if maximising:
                room.bests[ply] = max(room.bests[ply], value)
            else:
                room.bests[ply] = min(room.bests[ply], value)
            if (maximising and value >= goal) or (not maximising and value < goal):
                room.moves[ply] = ZERO
        state = states[ply]
        card: Any = room.tried[ply]  # the table's advice, or the card tried before
        if card & room.moves[ply] == ZERO:
            card = _most_promising(state, game, room.moves[ply])
        room.tried[ply] = card
        room.moves[ply] ^= card
        copy_state(state, states[ply + 1])
        ply += 1
        play(states[ply], game, card)
        entering = True


@inlined
def _remember(
    table: Table, last: Word, room: SolverWorkspace, ply: Int, objective: Int, goal: Int, value: Int
) -> None:
    key = room.keys[ply]
    if key == ZERO:
        return
    base = _base(room.states[ply], objective)
    entry = table[key & last]
    if entry.key != key:
        entry.key, entry.low, entry.high = key, np.int32(-_FAR), np.int32(_FAR)
    if value >= goal:
        entry.low = np.int32(value - base)
    else:
        entry.high = np.int32(value - base)
    entry.card = room.tried[ply]


@inlined
def _key(state: Words, objective: Int) -> Word:
    # Mixed before the cards come in: 1 and 2 differ by the two weakest cards of a suit.
    key: Word = mix((state[TURN] + ONE) * _K2)
    for seat in range(4):
        key = mix(key ^ state[HANDS + np.uint64(seat)]) * _K1
    if objective == SCORE:
        key = mix(key ^ state[TAKEN]) * _K2
        key = mix(key ^ state[TAKEN + ONE] ^ state[OPENED] * _K1)
    return key | ONE


@inlined
def _lead(state: Words) -> Int:
    """By how much side 0 is ahead in points and bonuses."""
    ours, theirs = state[TAKEN], state[TAKEN + ONE]
    return np.int64((ours & _PART) + (ours >> S16 & _PART)) - np.int64(
        (theirs & _PART) + (theirs >> S16 & _PART)
    )


@inlined
def _base(state: Words, objective: Int) -> Int:
    """What the bounds in the table are relative to."""
    return _lead(state) if objective == POINTS else np.int64(0)


@inlined
def _worth(state: Words, game: Words, objective: Int, scores: NDArray[np.int64]) -> Int:
    if objective == POINTS:
        return _lead(state)
    final_scores(state, game, scores)
    return scores[0] - scores[1]


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

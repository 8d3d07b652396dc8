"""Uniformly random deals, in compiled code.

A deck is split in two at random: every card goes to one half or the other by a random
bit, then cards chosen at random move until the halves are equal. By symmetry every split
is equally likely. The halves are split again for four players. Other numbers of players,
who divide the deck between them, draw their cards one by one.
"""

from __future__ import annotations

import numpy as np

from arena.games.kernel.bits import pdep, popcount
from arena.games.kernel.jit import compiled, inlined
from arena.games.kernel.layout import (
    DECK,
    DECLARER,
    FIRST_LEAD,
    HANDS,
    LEFT,
    ONE,
    PLAYERS,
    S32,
    STATE_WORDS,
    THREE,
    TRICKS,
    TURN,
    TWO,
    ZERO,
    Word,
    Words,
)
from arena.games.kernel.rng import advance, mix
from arena.games.kernel.tricks import pick

__all__ = ["random_deal"]

_FOUR = np.uint64(4)


@inlined
def random_deal(state: Words, game: Words, rng: Words, leader: Word, declarer: Word) -> None:
    """A new round at its first card, all deals equally likely.

    Where a card decides who leads (Hearts), `leader` is not looked at.
    """
    seed = advance(rng[0])
    deck, size = game[DECK], game[TRICKS]
    for i in range(STATE_WORDS):
        state[i] = ZERO
    if game[PLAYERS] == TWO:
        half, seed = _half(mix(seed), size, seed)
        first = pdep(half, deck)
        state[HANDS] = first
        state[HANDS + ONE] = deck ^ first
    elif game[PLAYERS] == _FOUR:
        half, seed = _half(mix(seed), size + size, seed)
        even = pdep(half, deck)
        odd = deck ^ even
        seed = advance(seed)
        word = mix(seed)
        half, seed = _half(word, size, seed)
        first = pdep(half, even)
        half, seed = _half(word >> S32, size, seed)
        second = pdep(half, odd)
        state[HANDS] = first
        state[HANDS + ONE] = second
        state[HANDS + TWO] = even ^ first
        state[HANDS + THREE] = odd ^ second
    else:
        seed = _one_by_one(state, game, seed)
    rng[0] = seed
    state[LEFT] = size
    state[DECLARER] = declarer
    state[TURN] = leader
    if game[FIRST_LEAD] != ZERO:
        for number in range(4):
            seat = Word(number)
            if state[HANDS + seat] & game[FIRST_LEAD] != ZERO:
                state[TURN] = seat


@compiled
def _one_by_one(state: Words, game: Words, seed: Word) -> Word:
    """Deal to any number of players; the new seed."""
    left = game[DECK]
    for number in range(np.int64(game[PLAYERS])):
        for _ in range(np.int64(game[TRICKS])):
            seed = advance(seed)
            card = pick(left, mix(seed) >> S32)
            state[HANDS + Word(number)] |= card
            left ^= card
    return seed


@inlined
def _half(word: Word, wanted: Word, seed: Word) -> tuple[Word, Word]:
    """A random set of `wanted` out of twice as many bits, from random bits; and the seed."""
    full = (ONE << (wanted + wanted)) - ONE
    chosen = word & full
    count = popcount(chosen)
    if count > wanted:
        # The cards left out are as random a set as those chosen.
        chosen ^= full
        count = wanted + wanted - count
    while count < wanted:
        seed = advance(seed)
        chosen |= pick(~chosen & full, mix(seed) >> S32)
        count += ONE
    return chosen, seed

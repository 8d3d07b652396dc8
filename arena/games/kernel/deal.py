"""Uniformly random deals, in compiled code.

A deck is split in two at random: every card goes to one half or the other by a random
bit, then cards chosen at random move until the halves are equal. By symmetry every split
is equally likely. The halves are split again for four players; with three, one draws a third
of the deck card by card and the others halve the rest. If the deck is not a multiple of three,
cards are left over first, but never the one that has to be led.
"""

from __future__ import annotations

from arena.games.kernel.bits import pdep, popcount
from arena.games.kernel.jit import inlined, uncounted
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


@inlined
def random_deal(state: Words, game: Words, rng: Words, leader: Word, declarer: Word) -> None:
    """A new round at its first card, all deals equally likely.

    Where a card decides who leads (Hearts), `leader` is not looked at.
    """
    seed = advance(rng[0])
    deck, size = game[DECK], game[TRICKS]
    for i in range(STATE_WORDS):
        state[i] = ZERO
    if game[PLAYERS] <= THREE:
        if game[PLAYERS] == THREE:
            while popcount(deck) > size + size + size:
                deck ^= pick(deck & ~game[FIRST_LEAD], mix(seed) >> S32)
                seed = advance(seed)
            third, seed = _third(size, seed)
            state[HANDS + TWO] = pdep(third, deck)
            deck ^= state[HANDS + TWO]
        half, seed = _half(mix(seed), size, seed)
        first = pdep(half, deck)
        state[HANDS] = first
        state[HANDS + ONE] = deck ^ first
    else:
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
    rng[0] = seed
    state[LEFT] = size
    state[DECLARER] = declarer
    state[TURN] = leader
    if game[FIRST_LEAD] != ZERO:
        for number in range(4):
            seat = Word(number)
            if state[HANDS + seat] & game[FIRST_LEAD] != ZERO:
                state[TURN] = seat


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


@uncounted
def _third(wanted: Word, seed: Word) -> tuple[Word, Word]:
    """A random set of `wanted` out of three times as many bits; and the seed, not yet used."""
    full = (ONE << (wanted + wanted + wanted)) - ONE
    chosen = ZERO
    while popcount(chosen) < wanted:
        chosen |= pick(full ^ chosen, mix(seed) >> S32)
        seed = advance(seed)
    return chosen, seed

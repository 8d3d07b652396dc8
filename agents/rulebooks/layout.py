"""A rule player for compiled code: one array of words, its book.

A book says whose rules are followed, and what they look at beyond the state of the kernel: in
which order each seat looks through its cards, and the cards played so far.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from arena.games.kernel.bits import ctz, high_bit
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import ONE, ZERO, Word, Words

Book: TypeAlias = Words

WHOSE = 0
"""The number of the rules: see `rulebooks`."""
LEADER = 1
"""Who led the first trick."""
COUNT = 2
"""How many cards have been played."""
KNOWN = 3
"""How many of them were when the book was made."""
OWN_WORDS = 4
"""From here on, words of the game's own."""
CARDS = 32
"""By bit: the number of the card."""
ALIKE = 96
"""By bit: the cards of the same rank."""
PRECEDENCE = 160
"""By seat and bit: of several cards, the one with the lowest number is looked at first."""
PLAYS = 416
"""The cards played, in order."""
SIZE = 480


@inlined
def first_of(book: Book, seat: Word, cards: Word) -> Word:
    """The card that a seat looks at first; 0 if there is none."""
    found, best = ZERO, np.uint64(1 << 32)
    while cards != ZERO:
        bit = ctz(cards)
        cards &= cards - ONE
        number = book[PRECEDENCE + 64 * np.int64(seat) + np.int64(bit)]
        if number < best:
            found, best = ONE << bit, number
    return found


@inlined
def highest(cards: Word) -> Word:
    """The highest bit of some; 0 if there is none."""
    return ONE << high_bit(cards) if cards != ZERO else ZERO


@inlined
def lowest(cards: Word) -> Word:
    """The lowest bit of some; 0 if there is none."""
    return cards & (ZERO - cards)


@inlined
def above(card: Word) -> Word:
    """All bits above that of a card."""
    return ~(card | (card - ONE))

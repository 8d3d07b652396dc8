"""What is certain of the balance of the tricks to come, without a search."""

from __future__ import annotations

import numpy as np

from arena.games.kernel import dispatch
from arena.games.kernel.bits import high_bit, popcount
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import (
    KIND,
    LOW_SUIT,
    ONE,
    OWN,
    TRUMPS,
    TWO,
    ZERO,
    Int,
    Numbers,
    Word,
    Words,
)
from arena.games.score_form import ALIKE, BONUS_LEFT, NATURAL, SUIT_SIZE
from arena.solver.keys import suit_of

PART = np.uint64(0xFFFF)
"""The points in the value of a trick."""


@inlined
def points_left(game: Words, cards: Word) -> Int:
    """The points of all cards: tables of tricks have them for any set of cards."""
    return np.int64(dispatch.trick_value(game[KIND], game, game[OWN], cards) & PART)


@inlined
def bonus_left(form: Numbers, cards: Word) -> Int:
    """The most bonus that can still be made of some cards."""
    total: Int = np.int64(0)
    ranks: Int = np.int64(511)
    for number in range(4):
        at = number * SUIT_SIZE + suit_of(cards, number)
        total += form[BONUS_LEFT + at]
        ranks &= form[NATURAL + at]
    return total + form[ALIKE + ranks]


@inlined
def sure_trumps(game: Words, hands: Words, all_cards: Word) -> Int:
    """Points of the trumps that go to the side that holds them; negative if that is odd seats."""
    trumps = all_cards & game[TRUMPS]
    if trumps == ZERO:
        return np.int64(0)
    even = trumps & (hands[0] | hands[2])
    odd = trumps ^ even
    if even > odd:
        top = ONE << high_bit(odd) if odd != ZERO else ZERO
        return points_left(game, even & ~(top | (top - ONE)) if odd != ZERO else even)
    top = ONE << high_bit(even) if even != ZERO else ZERO
    return -points_left(game, odd & ~(top | (top - ONE)) if even != ZERO else odd)


@inlined
def cashed(game: Words, hands: Words, leader: Word, all_cards: Word) -> tuple[Int, Int]:
    """Points and tricks that the leader can take at once by leading cards that no card beats."""
    cards = hands[leader]
    others = all_cards & ~cards
    points: Int = np.int64(0)
    tricks: Int = np.int64(0)
    trumps = game[TRUMPS]
    theirs = others & trumps
    if theirs != ZERO:  # someone could trump, the partner too
        top = cards & trumps & ~((ONE << high_bit(theirs)) * TWO - ONE)
        longest = max(
            max(popcount(hands[0] & theirs), popcount(hands[1] & theirs)),
            max(popcount(hands[2] & theirs), popcount(hands[3] & theirs)),
        )
        if popcount(top) < longest:
            return points_left(game, top), np.int64(popcount(top))
        points, tricks = points_left(game, theirs), np.int64(0)  # they are drawn
        others &= ~trumps
    for number in range(4):
        suit = LOW_SUIT << np.uint64(16 * number)
        theirs = others & suit
        top = cards & suit
        if theirs != ZERO:
            top &= ~((ONE << high_bit(theirs)) * TWO - ONE)
        points += points_left(game, top)
        tricks += np.int64(popcount(top))
    return points, tricks

"""Equivalence of positions, and of the cards of a hand, for the search."""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.games.kernel.bits import pdep, pext
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import ONE, THREE, TWO, ZERO, Int, Numbers, Word, Words
from arena.games.kernel.rng import mix
from arena.games.score_form import (
    CANONICAL,
    INTERCHANGEABLE,
    LOW_CARDS,
    LOW_RANKS,
    NATURAL,
    NEAR_POINTS,
    NEARLY,
    SUIT_SIZE,
)

_K1, _K2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_SUIT = np.uint64(511)


@inlined
def suit_of(cards: Word, number: Int) -> Any:
    """The cards of one suit, for tables."""
    return np.int64(cards >> np.uint64(16 * number) & _SUIT)


@inlined
def low_ranks_matter(form: Numbers, cards: Word) -> bool:
    """Whether four low cards of one rank are left, so that it matters which ones are."""
    ranks: Int = form[LOW_RANKS]
    for number in range(4):
        ranks &= form[NATURAL + number * SUIT_SIZE + suit_of(cards, number)]
    return bool(ranks != 0)


@inlined
def canonical_cards(form: Numbers, cards: Word, bonus: Int) -> tuple[Word, Word]:
    """The cards that stand for those left, and the points that this replaces.

    Cards between which it makes no difference which one is left are replaced by the weakest. If
    no bonus can come, neighbours of nearly the same points are too: X then differs by the
    difference of the points at the most (`difference`).
    """
    if low_ranks_matter(form, cards):
        return Word(cards), ZERO
    start = NEARLY if bonus == 0 else CANONICAL
    result, replaced = ZERO, ZERO
    for number in range(4):
        at = number * SUIT_SIZE + suit_of(cards, number)
        result |= np.uint64(form[start + at]) << np.uint64(16 * number)
        if bonus == 0:
            replaced |= np.uint64(form[NEAR_POINTS + at])
    return Word(result), Word(replaced)


@inlined
def difference(one: Word, other: Word) -> Int:
    """By how much X can differ between positions with one key and other points."""
    total: Int = np.int64(0)
    rest = one ^ other
    shift = ZERO
    while rest >> shift != ZERO:
        total += abs(np.int64(one >> shift & THREE) - np.int64(other >> shift & THREE))
        shift += TWO
    return total


@inlined
def position_key(
    hands: Words, cards: Word, canonical: Word, leader: Word, sweeps: Int, salt: Int, kind: Int
) -> Word:
    """Names a position at the beginning of a trick."""
    about = leader | np.uint64(sweeps) << np.uint64(2) | np.uint64(kind) << np.uint64(4)
    about |= np.uint64(salt) << np.uint64(7)
    key = mix(about * _K2 + _K1)
    for seat in range(4):
        key = mix(key ^ pdep(pext(hands[seat], cards), canonical)) * _K1
    return Word(key | ONE)


@inlined
def distinct(moves: Word, hand: Word, form: Numbers, all_cards: Word) -> Word:
    """The legal cards without those that are as good as a weaker one of the same hand."""
    if low_ranks_matter(form, all_cards):
        return moves
    others = all_cards & ~hand
    for number in range(4):
        low = form[LOW_CARDS + number]
        shift = np.uint64(16 * number)
        mine = moves >> shift & np.uint64((1 << low) - 1)
        if mine & (mine - ONE) == ZERO or mine == ZERO:
            continue
        if form[INTERCHANGEABLE + number * SUIT_SIZE + suit_of(all_cards, number)] == 0:
            continue
        between = others >> shift
        seen = False
        for place in range(low):
            bit = ONE << np.uint64(place)
            if mine & bit != ZERO:
                if seen:
                    moves ^= bit << shift
                seen = True
            elif between & bit != ZERO:
                seen = False
    return moves

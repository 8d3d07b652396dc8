"""Which positions are one for the search, and which cards of a hand are one move."""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import ONE, ZERO, Int, Numbers, Word, Words
from arena.games.kernel.rng import mix
from arena.games.score_form import INTERCHANGEABLE, LOW_CARDS, LOW_RANKS, NATURAL, SUIT_SIZE

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
def _packed(bits: Word, kept: Word) -> Word:
    """The bits of `bits` where `kept` has one, moved together; for up to four bits."""
    result, place = ZERO, ZERO
    for number in range(4):
        bit = np.uint64(number)
        if kept >> bit & ONE != ZERO:
            result |= (bits >> bit & ONE) << place
            place += ONE
    return result


@inlined
def position_key(
    hands: Words, form: Numbers, leader: Word, sweeps: Int, salt: Int, limited: bool
) -> Word:
    """Names a position at the beginning of a trick."""
    all_cards = hands[0] | hands[1] | hands[2] | hands[3]
    first, second, third, fourth = hands[0], hands[1], hands[2], hands[3]
    fixed = low_ranks_matter(form, all_cards)
    if not fixed:
        for number in range(4):
            low = form[LOW_CARDS + number]
            left = suit_of(all_cards, number)
            if form[INTERCHANGEABLE + number * SUIT_SIZE + left] == 0:
                continue
            mask = np.uint64((1 << low) - 1)
            shift = np.uint64(16 * number)
            kept = np.uint64(left) & mask
            if kept & (kept + ONE) != ZERO:  # there are gaps
                gone = ~(mask << shift)
                first = first & gone | _packed(first >> shift & mask, kept) << shift
                second = second & gone | _packed(second >> shift & mask, kept) << shift
                third = third & gone | _packed(third >> shift & mask, kept) << shift
                fourth = fourth & gone | _packed(fourth >> shift & mask, kept) << shift
    about = leader | np.uint64(sweeps) << np.uint64(2) | np.uint64(fixed) << np.uint64(4)
    about |= np.uint64(limited) << np.uint64(5) | np.uint64(salt) << np.uint64(6)
    key = mix(about * _K2 + _K1)
    key = mix(key ^ first) * _K1
    key = mix(key ^ second) * _K1
    key = mix(key ^ third) * _K1
    key = mix(key ^ fourth) * _K1
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

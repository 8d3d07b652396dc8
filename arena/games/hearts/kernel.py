"""Hearts for the compiled kernel: the rules of `rules.py` on masks in kernel coordinates."""

from __future__ import annotations

import numpy as np

from arena.core.cards import mask_of
from arena.games.hearts import tables
from arena.games.hearts.rules import Hearts
from arena.games.hearts.semi_random import STRENGTH
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import (
    BETTER,
    FIRST_LEAD,
    ONE,
    OWN,
    PLAYERS,
    TAKEN,
    ZERO,
    Numbers,
    Word,
    Words,
)
from arena.games.kernel.order import kernel_bits
from arena.games.kernel.spec import KernelGame, game_words

CLOCKWISE, PAIRS, ALONE = True, False, True

# --- parameters --------------------------------------------------------------------------

HEART_CARDS = OWN
QUEEN = OWN + 1
"""The queen of spades."""
QUEEN_POINTS = OWN + 2
NOT_LED_FIRST = OWN + 3
"""The cards that may not be led before hearts are broken."""
NOT_ON_FIRST_TRICK = OWN + 4
"""The cards that may not be discarded on the first trick."""
BREAKING = OWN + 5
"""The cards that break hearts."""

_COUNT = np.uint64(0xFFFF)


# --- playing -----------------------------------------------------------------------------


@inlined
def leading(rule: Word, game: Words, hand: Word, first_trick: bool, opened: Word) -> Word:
    """The cards that may be led."""
    if first_trick:
        return Word(hand & game[FIRST_LEAD])
    allowed = hand & ~game[NOT_LED_FIRST]
    return hand if opened != ZERO or allowed == ZERO else allowed


@inlined
def following(
    rule: Word,
    game: Words,
    trumps: Word,
    hand: Word,
    table: Word,
    led: Word,
    best: Word,
    partner_holds: bool,
    first_trick: bool,
) -> Word:
    """The cards that may be played to a trick that has been led."""
    follow = hand & led
    discards = hand
    if first_trick:
        allowed = hand & ~game[NOT_ON_FIRST_TRICK]
        discards = allowed if allowed != ZERO else hand
    return follow if follow != ZERO else discards


@inlined
def trick_value(game: Words, first_parameter: Word, table: Word) -> Word:
    """Points of a trick."""
    queen = game[QUEEN_POINTS] if table & game[QUEEN] != ZERO else ZERO
    return Word(popcount(table & game[HEART_CARDS]) + queen)


@inlined
def opens(game: Words, table: Word, seat: Word) -> Word:
    """1 if a trick breaks hearts."""
    return ONE if table & game[BREAKING] != ZERO else ZERO


@inlined
def final_scores(state: Words, game: Words, scores: Numbers) -> None:
    """The points taken, unless a player has shot the moon."""
    dealt, most = np.int64(0), np.int64(0)
    for seat in range(np.int64(game[PLAYERS])):
        points = np.int64(state[TAKEN + np.uint64(seat)] & _COUNT)
        scores[seat] = points
        dealt += points
        most = max(most, points)
    if most == dealt:
        for seat in range(np.int64(game[PLAYERS])):
            scores[seat] = dealt - scores[seat]


# --- semi-random play --------------------------------------------------------------------


@inlined
def semi_leading(
    semi_random_flags: Word, game: Words, calls: Word, seat: Word, cards: Word
) -> Word:
    """`semi_random.candidates` as a mask, for a lead."""
    return Word(_semi_candidates(semi_random_flags, game, cards, ZERO, ZERO, ZERO))


@inlined
def semi_following(
    semi_random_flags: Word,
    game: Words,
    trumps: Word,
    calls: Word,
    seat: Word,
    cards: Word,
    table: Word,
    led: Word,
    best: Word,
    partner_holds: bool,
) -> Word:
    """`semi_random.candidates` as a mask, for a trick that has been led."""
    return Word(_semi_candidates(semi_random_flags, game, cards, table, led, best))


@inlined
def _semi_candidates(
    semi_random_flags: Word, game: Words, cards: Word, table: Word, led: Word, best: Word
) -> Word:
    point_cards = game[HEART_CARDS] | game[QUEEN]
    takes = cards if table == ZERO else cards & led & ~(best | (best - ONE))
    stays_below = cards & ~takes
    chosen = stays_below & point_cards if semi_random_flags & BETTER != ZERO else ZERO
    chosen = game[QUEEN] if chosen & game[QUEEN] != ZERO else chosen
    bad = takes if table & point_cards != ZERO else takes & point_cards
    if popcount(table) + ONE == game[PLAYERS] and bad != takes:
        bad |= stays_below
    good = cards & ~bad
    good = good if good != ZERO else cards
    return chosen if chosen != ZERO else good


# --- parameters from the rules -----------------------------------------------------------


def kernel_game(rules: Hearts, trump: None = None) -> KernelGame:
    """The rules; there is no trump."""
    bits = kernel_bits(rules.deck, None, STRENGTH)

    def kernel_mask(cards: int) -> int:
        return mask_of(bit for card, bit in bits.items() if cards >> card & 1)

    words = game_words(rules, None, bits, table_words=0)
    words[HEART_CARDS] = kernel_mask(tables.HEARTS)
    words[QUEEN] = kernel_mask(tables.QUEEN)
    words[QUEEN_POINTS] = tables.POINTS[tables.QUEEN.bit_length() - 1]
    words[FIRST_LEAD] = kernel_mask(tables.TWO_OF_CLUBS)
    not_led_first = tables.HEARTS | (tables.QUEEN if rules.queen_lead_ban else 0)
    words[NOT_LED_FIRST] = kernel_mask(not_led_first)
    words[NOT_ON_FIRST_TRICK] = kernel_mask(
        0 if rules.points_on_first_trick else tables.POINT_CARDS
    )
    words[BREAKING] = kernel_mask(
        tables.POINT_CARDS if rules.queen_breaks_hearts else tables.HEARTS
    )
    return KernelGame(rules, None, words, bits)

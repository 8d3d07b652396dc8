"""Spades for the compiled kernel: the rules of `rules.py` on masks in kernel coordinates."""

from __future__ import annotations

import numpy as np

from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import (
    BETTER,
    ONE,
    OPENED,
    OWN,
    OWN_STATE,
    PROTECT_TENS,
    S32,
    TAKEN,
    THREE,
    TOP_SUIT,
    TWO,
    ZERO,
    Numbers,
    Word,
    Words,
)
from arena.games.kernel.order import kernel_bits
from arena.games.kernel.spec import KernelGame, Table, game_words
from arena_spades.rules import Spades, bags_of, tricks_bid
from arena_spades.tables import BAG_PENALTY, BAGS, DECK, STRENGTH

__all__ = [
    "final_scores",
    "following",
    "kernel_game",
    "leading",
    "opens",
    "semi_following",
    "trick_value",
]

CLOCKWISE, PAIRS = True, False  # a nil is one seat's own

NIL, COUNT_BAGS = OWN, OWN + 1

# The word of calls: four bits for the bid of each seat, then four for the bags of each side.
_BITS, _BID = np.uint64(4), np.uint64(15)
_BAGS_FROM = np.uint64(16)
_TOOK_FROM = np.uint64(4)
"""Bit 4 + seat of `OPENED` is set once that seat has taken a trick."""


# --- playing -----------------------------------------------------------------------------


@inlined
def leading(rule: Word, game: Words, hand: Word, first_trick: bool, opened: Word) -> Word:
    """The cards that may be led."""
    plain = hand & ~TOP_SUIT
    return hand if opened & ONE != ZERO or plain == ZERO else plain


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
    return follow if follow != ZERO else hand


@inlined
def trick_value(game: Words, first_parameter: Word, table: Word) -> Word:
    """A trick is a trick."""
    return ONE


@inlined
def opens(game: Words, table: Word, seat: Word) -> Word:
    """Whether a spade was played, and who took a trick."""
    broken = ONE if table & TOP_SUIT != ZERO else ZERO
    return broken | ONE << (_TOOK_FROM + seat)


@inlined
def final_scores(state: Words, game: Words, scores: Numbers) -> None:
    """Contract, bags and nils."""
    calls, took, nil = state[OWN_STATE], state[OPENED] >> _TOOK_FROM, np.int64(game[NIL])
    for number in range(2):
        side = np.uint64(number)
        bid, score = np.int64(0), np.int64(0)
        for seat in (side, side + TWO):
            tricks = calls >> (_BITS * seat) & _BID
            bid += np.int64(tricks)
            if tricks == ZERO:
                score += -nil if took >> seat & ONE != ZERO else nil
        taken = np.int64(state[TAKEN + side] >> S32)
        if taken < bid:
            score -= 10 * bid
        else:
            score += 10 * bid
            if game[COUNT_BAGS] != ZERO:
                had = np.int64(calls >> (_BAGS_FROM + _BITS * side) & _BID)
                score += taken - bid - BAG_PENALTY * ((had + taken - bid) // BAGS)
        scores[number] = score


# --- semi-random play --------------------------------------------------------------------


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
    taking = cards & (led | trumps) & ~(best | (best - ONE))
    below = cards & ~taking
    partner = seat + TWO & THREE
    better = semi_random_flags & BETTER != ZERO
    chosen = ZERO
    if calls >> (_BITS * seat) & _BID == ZERO:
        chosen = below
    elif partner_holds:
        if calls >> (_BITS * partner) & _BID == ZERO:
            chosen = taking if better else ZERO
        elif semi_random_flags & PROTECT_TENS != ZERO:
            chosen = below
    elif better and popcount(table) == THREE:
        chosen = taking
    return chosen if chosen != ZERO else cards


# --- parameters from the rules -----------------------------------------------------------


def kernel_game(rules: Spades, trump: int) -> KernelGame:
    """The rules; spades are always trumps."""
    bits = kernel_bits(DECK, trump, STRENGTH)
    words = game_words(rules, trump, bits, table_words=0)
    words[NIL], words[COUNT_BAGS] = rules.nil, rules.bags
    return KernelGame(rules, trump, words, bits, _fill_in)


def _fill_in(table: Table, state: list[int]) -> None:
    """What was bid, the bags of the match so far, and who has taken a trick."""
    for call in table.bids:
        state[OWN_STATE] |= tricks_bid(call) << int(_BITS) * call.seat
    for side, score in enumerate(table.standing.scores):
        state[OWN_STATE] |= bags_of(score) << int(_BAGS_FROM + _BITS * np.uint64(side))
    for trick in table.tricks:
        state[OPENED] |= 1 << int(_TOOK_FROM) + trick.winner

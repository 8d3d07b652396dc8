"""Thirds for the compiled kernel."""

from __future__ import annotations

import numpy as np

from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import BETTER, LAST_TRICK, ONE, TAKEN, ZERO, Numbers, Word, Words
from arena.games.kernel.order import kernel_bits
from arena.games.kernel.spec import KernelGame, game_words

from .rules import DECK, FOR_THE_LAST, STRENGTH, Thirds

__all__ = ["final_scores", "following", "kernel_game", "semi_following", "trick_value"]

CLOCKWISE, PAIRS = False, False

_POINTS = np.uint64(0xFFFF)


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
    """Follow suit if you can."""
    follow = hand & led
    return follow if follow != ZERO else hand


@inlined
def trick_value(game: Words, first_parameter: Word, table: Word) -> Word:
    """A point; the last trick's are added by the kernel."""
    return ONE


@inlined
def final_scores(state: Words, game: Words, scores: Numbers) -> None:
    """The points taken."""
    for seat in range(3):
        scores[seat] = np.int64(state[TAKEN + np.uint64(seat)] & _POINTS)


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
    takes = cards & led & ~(best | (best - ONE))
    return takes if semi_random_flags & BETTER != ZERO and takes != ZERO else cards


def kernel_game(rules: Thirds, trump: None = None) -> KernelGame:
    """The rules; there is no trump."""
    bits = kernel_bits(DECK, None, STRENGTH)
    words = game_words(rules, None, bits, table_words=0)
    words[LAST_TRICK] = FOR_THE_LAST
    return KernelGame(rules, None, words, bits)

"""`rule_player`, compiled, in kernel coordinates: for playouts with `rollout: rule`."""

from __future__ import annotations

import numpy as np

from arena.games.kernel.bits import ctz
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import (
    BEST,
    HOLDER,
    LED,
    ONE,
    TABLE,
    TOP_SUIT,
    TURN,
    ZERO,
    Int,
    Word,
    Words,
)
from arena.games.kernel.spec import KernelGame
from arena.games.rulebook import Book, above

__all__ = ["RULES", "choose", "fill"]


def fill(game: KernelGame, book: Book) -> None:
    """No words of its own."""


@uncounted
def choose(state: Words, game: Words, book: Book, legal: Word) -> Word:
    """The card by the rules; several are legal."""
    cards = legal
    if state[TABLE] != ZERO and (state[HOLDER] ^ state[TURN]) & ONE != ZERO:
        taking = legal & (state[LED] | TOP_SUIT) & above(state[BEST])
        if taking != ZERO:
            cards = taking
    return _lowest(cards)


RULES = {"rule": choose}


@inlined
def _lowest(cards: Word) -> Word:
    """The weakest card, spades last; of several as weak the one of the first suit."""
    found = ZERO
    least: Int = 1 << 30
    while cards != ZERO:
        card = cards & (~cards + ONE)
        cards ^= card
        bit = np.int64(ctz(card))
        height: Int = bit % 16 * 4 + bit // 16
        if card & TOP_SUIT != ZERO:
            height += 64
        if height < least:
            found, least = card, height
    return found

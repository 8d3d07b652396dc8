"""The order in which the kernel numbers cards: plain Python, for agents that must agree with it.

Suits ascend as in `arena.core.cards.SUITS`, but the trump suit comes last; inside a suit the
weakest card comes first. Where a compiled player chooses number k of some cards, it
counts in this order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from arena.core.cards import LANE, SUITS, cards_of

SUIT_WIDTH = 16


def place_of_suit(trump: int | None) -> tuple[int, ...]:
    """The lane of each suit.

    >>> place_of_suit(1)
    (0, 3, 1, 2)
    """
    last = [trump] if trump is not None and trump < len(SUITS) else []
    suits = [suit for suit in range(len(SUITS)) if suit not in last] + last
    return tuple(suits.index(suit) for suit in range(len(SUITS)))


@cache
def kernel_bits(deck: int, trump: int | None, strength: tuple[int, ...]) -> dict[int, int]:
    """The number of each card's bit in the kernel, given every card's strength in its suit."""
    lanes = place_of_suit(trump)
    bits = {}
    for suit, lane in enumerate(lanes):
        cards = [card for card in cards_of(deck) if card // LANE == suit]
        for place, card in enumerate(sorted(cards, key=strength.__getitem__)):
            bits[card] = SUIT_WIDTH * lane + place
    return bits


def in_kernel_order(cards: Sequence[int], bits: dict[int, int]) -> list[int]:
    """Cards sorted by `kernel_bits`."""
    return sorted(cards, key=bits.__getitem__)

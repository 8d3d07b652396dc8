"""Hearts cards and points, written down once. Source: Kiele 2024, section 2.1."""

from __future__ import annotations

from arena.core.cards import DECK, LANE, SUITS, mask_of, parse_card

SUIT_MASK: tuple[int, ...] = tuple(((1 << LANE) - 1) << LANE * s for s in range(4))
HEARTS = SUIT_MASK[SUITS.index("H")]
QUEEN = 1 << parse_card("SQ")
"""The queen of spades."""
TWO_OF_CLUBS = 1 << parse_card("C2")

HEART_POINTS, QUEEN_POINTS = 1, 13
POINTS: tuple[int, ...] = tuple(
    HEART_POINTS if HEARTS >> card & 1 else QUEEN_POINTS if QUEEN >> card & 1 else 0
    for card in range(DECK.bit_count())
)
"""`POINTS[card]`."""
POINT_CARDS = mask_of(card for card, points in enumerate(POINTS) if points)
ALL_POINTS = sum(POINTS)
"""All points of a round, and what a moon is worth: 26."""

PASSED_CARDS = 3

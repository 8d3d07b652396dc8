"""Klaverjas cards: order, points and roem, written down once.

Sources: Hoogenboom 2017 table 2.1 and section 2.3; Hordijk 2022; Aaldering 2023.
"""

from __future__ import annotations

from arena.core.cards import LANE, RANKS, deck_of
from arena.games.trump import higher_trumps

PLAIN_ORDER = "789JQKTA"
"""Ranks of a plain suit, weakest first."""
TRUMP_ORDER = "78QKTA9J"
"""Ranks of the trump suit, weakest first."""

PLAIN_POINTS = {"J": 2, "Q": 3, "K": 4, "T": 10, "A": 11}
TRUMP_POINTS = {"Q": 3, "K": 4, "T": 10, "A": 11, "9": 14, "J": 20}
LAST_TRICK = 10

RUN_OF_THREE, RUN_OF_FOUR, STUK = 20, 50, 20
FOUR_ALIKE = 100
PIT = 100

DECK = deck_of(PLAIN_ORDER)
SUIT_MASK: tuple[int, ...] = tuple(DECK & (((1 << LANE) - 1) << LANE * s) for s in range(4))

ROUND_POINTS = 3 * sum(PLAIN_POINTS.values()) + sum(TRUMP_POINTS.values()) + LAST_TRICK
"""All points of a round without roem and pit: 162."""


def _per_card(plain: dict[str, int], trumps: dict[str, int]) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(
            (trumps if suit == trump else plain).get(rank, 0) for suit in range(4) for rank in RANKS
        )
        for trump in range(4)
    )


POINTS = _per_card(PLAIN_POINTS, TRUMP_POINTS)
"""`POINTS[trump][card]`."""

STRENGTH = _per_card(
    {rank: place for place, rank in enumerate(PLAIN_ORDER)},
    {rank: place + len(PLAIN_ORDER) for place, rank in enumerate(TRUMP_ORDER)},
)
"""`STRENGTH[trump][card]`: every trump above every plain card; plain suits do not compare."""

HIGHER_TRUMPS = higher_trumps(DECK, STRENGTH)
"""`HIGHER_TRUMPS[trump][card]`: mask of the trumps that beat `card` (all, if it is plain)."""

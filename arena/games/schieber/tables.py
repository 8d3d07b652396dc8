"""Schieber cards: order, points, Weis and multipliers, written down once.

Sources: Niklaus 2019 chapter 3; the multipliers are those of pyschieber and of
Swisslos (games to 2500); Weis as in the printed Swiss rules.
"""

from __future__ import annotations

from typing import Literal

from arena.core.cards import LANE, RANKS, SUITS, TRUMPS, deck_of
from arena.games.trump import higher_trumps

NATURAL_ORDER = "6789TJQKA"
"""Ranks of a plain suit, and of every suit in obe-abe, weakest first; une-ufe turns it round."""
TRUMP_ORDER = "678TQKA9J"
"""Ranks of the trump suit, weakest first."""

PLAIN_POINTS = {"J": 2, "Q": 3, "K": 4, "T": 10, "A": 11}
TRUMP_POINTS = {"Q": 3, "K": 4, "T": 10, "A": 11, "9": 14, "J": 20}
OBE_POINTS = {**PLAIN_POINTS, "8": 8}
UNE_POINTS = {"6": 11, "8": 8, "J": 2, "Q": 3, "K": 4, "T": 10}
LAST_TRICK = 5
MATCH: Literal[100] = 100

RUN = {3: 20, 4: 50, 5: 100, 6: 100, 7: 100, 8: 100, 9: 100}
"""Weis for a run, by its length."""
FOUR_ALIKE = {rank: {"9": 150, "J": 200}.get(rank, 100) for rank in NATURAL_ORDER}
"""Weis for four alike, by rank."""
STOECK = 20
MOST_WEIS = 590
"""The most that the Weis of two partners can come to: see `Schieber.margin_bounds`."""

MULTIPLIERS: dict[str, tuple[int, ...]] = {
    "none": (1, 1, 1, 1, 1, 1),
    "pyschieber": (1, 2, 1, 2, 3, 3),
    "swisslos": (2, 1, 1, 2, 3, 3),
}
"""What the points of a round are multiplied by, for each of `TRUMPS`."""

DECK = deck_of(NATURAL_ORDER)
SUIT_MASK: tuple[int, ...] = tuple(DECK & (((1 << LANE) - 1) << LANE * s) for s in range(4))
JACK: tuple[int, ...] = tuple(1 << LANE * s + RANKS.index("J") for s in range(4))
STOECK_CARDS: tuple[int, ...] = tuple(3 << LANE * s + RANKS.index("Q") for s in range(4))
"""King and queen of each suit, which are Stöck if the suit is trump."""

ROUND_POINTS = 3 * sum(PLAIN_POINTS.values()) + sum(TRUMP_POINTS.values()) + LAST_TRICK
"""All points of a round without Weis, Stöck and match: 157, whatever is trump."""

_BY_TRUMP = dict.fromkeys(SUITS, PLAIN_POINTS) | {"O": OBE_POINTS, "U": UNE_POINTS}


def _per_card(trump: str, plain: dict[str, int], trumps: dict[str, int]) -> tuple[int, ...]:
    return tuple(
        (trumps if suit == trump else plain).get(rank, 0) for suit in SUITS for rank in RANKS
    )


POINTS = tuple(_per_card(trump, _BY_TRUMP[trump], TRUMP_POINTS) for trump in TRUMPS)
"""`POINTS[trump][card]`."""

STRENGTH = tuple(
    _per_card(
        trump,
        {r: i for i, r in enumerate(reversed(NATURAL_ORDER) if trump == "U" else NATURAL_ORDER)},
        {r: i + len(NATURAL_ORDER) for i, r in enumerate(TRUMP_ORDER)},
    )
    for trump in TRUMPS
)
"""`STRENGTH[trump][card]`: every trump above every plain card; plain suits do not compare."""

HIGHER_TRUMPS = higher_trumps(DECK, STRENGTH)
"""`HIGHER_TRUMPS[trump][card]`: mask of the trumps that beat `card` (all, if it is plain)."""

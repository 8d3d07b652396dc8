"""What the cards and the calls of Spades are worth, written down once."""

from __future__ import annotations

from arena.core.cards import DECK, LANE, SUITS

__all__ = ["BAGS", "BAG_PENALTY", "BIDS", "DECK", "MOST_TRICKS", "SPADES", "STRENGTH", "TRUMP"]

TRUMP = SUITS.index("S")
SPADES = DECK & (((1 << LANE) - 1) << LANE * TRUMP)
MOST_TRICKS = DECK.bit_count() // 4
STRENGTH = tuple(card + (LANE * len(SUITS) if card // LANE == TRUMP else 0) for card in range(52))
"""Every spade stands above every other card; plain suits do not compare."""

BIDS = ("nil", *(str(tricks) for tricks in range(1, MOST_TRICKS + 1)))
"""What can be bid; the place of a bid is the number of tricks."""
BAGS, BAG_PENALTY = 10, 100
"""So many bags cost so many points."""

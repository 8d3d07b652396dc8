"""Rules of thumb for Spades.

Bids as `spades-count` does. Takes a trick with the lowest card that can, unless partner holds it
already; otherwise plays the lowest card. Low cards come before high ones, spades last.

Source: none; what beginners are taught. Deviations: a nil is not played for.
"""

from __future__ import annotations

from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.kernel.order import kernel_bits
from arena_spades.bidding import Count
from arena_spades.tables import DECK, STRENGTH, TRUMP

__all__ = ["act", "choose_card"]

_BITS = kernel_bits(DECK, TRUMP, STRENGTH)


def act(view: View, rng: Rng, mode: str = "") -> Action:
    """The bid or the card by the rules; there is one mode."""
    return Count().bid(view, rng) if view.phase == "bid" else choose_card(view)


def choose_card(view: View) -> int:
    """The card by the rules."""
    rules, place = view.rules, len(view.table)
    cards = list(view.legal)
    if place:
        holder = view.seat_at(rules.trick_winner(view.table, TRUMP))
        if rules.side_of(holder) != rules.side_of(view.seat):
            taking = [c for c in cards if rules.trick_winner((*view.table, c), TRUMP) == place]
            cards = taking or cards
    return min(cards, key=_height)


def _height(card: int) -> tuple[bool, int, int]:
    suit, strength = divmod(_BITS[card], 16)
    return card // 13 == TRUMP, strength, suit

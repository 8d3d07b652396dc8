"""Shared by games with a trump suit: the winner of a trick, and measures of trumps.

A game's tables say `points[trump][card]` and `strength[trump][card]`, by which every trump
stands above every plain card. Where no suit is trump (obe-abe and une-ufe in Schieber),
`trump` is no suit's number, and the best card of the suit led takes the trick.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeAlias

from arena.core.cards import LANE, SUITS, cards_of, mask_of
from arena.core.deals import Deal
from arena.games.base import TrickGame

CardTable: TypeAlias = tuple[tuple[int, ...], ...]
"""A number for each trump and card: `table[trump][card]`."""


class TrumpGame(TrickGame):
    """A game in which the highest trump takes a trick, else the best card of the suit led."""

    strength: ClassVar[CardTable]

    def trick_winner(self, cards: tuple[int, ...], trump: int | None) -> int:
        """The highest trump, else the best card of the suit led."""
        assert trump is not None  # cards are played once trump is known
        strength = self.strength[trump]
        led = cards[0] // LANE
        winner, best = 0, strength[cards[0]]
        for place in range(1, len(cards)):
            card = cards[place]
            suit = card // LANE
            if suit in (led, trump) and strength[card] > best:
                winner, best = place, strength[card]
        return winner


def higher_trumps(deck: int, strength: CardTable) -> CardTable:
    """For each trump suit and card, the mask of the trumps that beat it (all, if it is plain)."""

    def beating(card: int, trump: int) -> int:
        trumps = [other for other in cards_of(deck) if other // LANE == trump]
        return mask_of(t for t in trumps if strength[trump][t] > strength[trump][card])

    suits = range(len(SUITS))
    return tuple(
        tuple(beating(card, trump) for card in range(LANE * len(suits))) for trump in suits
    )


def trump_points(deal: Deal, seat: int | None, points: CardTable) -> int:
    """Points of the cards of the trump suit that a seat was dealt."""
    trump = deal.trump
    if trump is None or seat is None:
        return 0
    return sum(points[trump][card] for card in deal.hands[seat] if card // LANE == trump)


def trump_measures(points: CardTable) -> dict[str, Callable[[Deal], int]]:
    """Numbers that a deal of a game with these points can be filtered by."""
    return {
        "leader-trump-points": lambda deal: trump_points(deal, deal.leader, points),
        "declarer-trump-points": lambda deal: trump_points(deal, deal.declarer, points),
    }

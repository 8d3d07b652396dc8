"""A bidder that counts the points of a hand, as bridge players do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from agents.bidding.calls import best_or_pass, trumps_on_offer
from arena.core.agent import parameter
from arena.core.cards import RANKS, cards_of, rank_of, suit_of
from arena.core.rules import Action, View
from arena.core.seeds import Rng

_ACE, _TEN, _KING = (RANKS.index(rank) for rank in "ATK")
_HIGH_CARDS: Mapping[int, int] = {_ACE: 3, _TEN: 2, _KING: 1}
_HIGH_TRUMPS: Mapping[int, int] = {RANKS.index("J"): 5, RANKS.index("9"): 4}
_OTHER_TRUMP = 1


def hand_points(hand: int, trump: int) -> int:
    """What a hand is worth with this trump.

    An ace counts 3, a ten with another card of its suit 2, a king 1. On top of that the
    trump jack counts 5, the trump nine 4 and every other trump 1.

    >>> from arena.core.cards import CardSet
    >>> hand_points(CardSet.parse("HJ H9 HT C7 D8 S9 SK CQ").mask, trump=2)
    13
    """
    cards = cards_of(hand)
    total = 0
    for card in cards:
        rank, suit = rank_of(card), suit_of(card)
        bare = sum(suit_of(other) == suit for other in cards) == 1
        if rank != _TEN or not bare:
            total += _HIGH_CARDS.get(rank, 0)
        if suit == trump:
            total += _HIGH_TRUMPS.get(rank, _OTHER_TRUMP)
    return total


@dataclass(frozen=True)
class PointsBidder:
    """Plays on hands with more points than a threshold; of several suits, on the best.

    Source: Hoogenboom 2017, section 4.1 and its program. Differs: where a suit can be
    chosen it is the one with the most points, the first in the order C D H S on ties.
    """

    games: ClassVar[tuple[str, ...]] = ("klaverjas",)

    threshold: int = parameter(10, help="play on more points than this, of 39", at_least=0)

    def bid(self, view: View, rng: Rng) -> Action:
        """Play or pass, or the suit with the most points."""
        ratings = {trump: hand_points(view.hand, trump) for trump in trumps_on_offer(view)}
        return best_or_pass(view, ratings, more_than=self.threshold)

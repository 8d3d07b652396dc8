"""Bids as a person would: by the two highest trumps, the number of trumps, and aces."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from agents.bidding.calls import best_or_pass, trumps_on_offer
from agents.bidding.points import hand_points
from arena.core.agent import parameter
from arena.core.cards import RANKS, cards_of, rank_of, suit_of
from arena.core.rules import Action, View
from arena.core.seeds import Rng

Mode: TypeAlias = Literal["as-written", "as-published"]

_JACK, _NINE, _ACE = (RANKS.index(rank) for rank in "J9A")


def worth_playing(hand: int, trump: int, mode: Mode) -> bool:
    """Whether the rules say play.

    * Jack and nine of trump: always.
    * The jack alone: with more than two other trumps, else with two aces.
    * The nine alone: never if it is the only trump; with more than three other trumps,
      else with two aces.
    * Neither: never.

    `as-written` counts the aces of the other suits. `as-published`, the program, wants one
    trump less in both cases and counts the ace of trump as well.

    >>> from arena.core.cards import CardSet
    >>> hand = CardSet.parse("HJ H7 H8 C7 D8 S9 SK CQ").mask
    >>> worth_playing(hand, 2, "as-written"), worth_playing(hand, 2, "as-published")
    (False, True)
    """
    cards = cards_of(hand)
    trumps = {rank_of(card) for card in cards if suit_of(card) == trump}
    aces = sum(rank_of(card) == _ACE for card in cards)
    others_needed = 2
    if mode == "as-written":
        aces -= _ACE in trumps
        others_needed = 3
    others = len(trumps) - 1
    if _JACK in trumps:
        return _NINE in trumps or others >= others_needed or aces >= 2
    if _NINE in trumps:
        return others > 0 and (others >= others_needed + 1 or aces >= 2)
    return False


@dataclass(frozen=True)
class RuleBidder:
    """Plays on jack and nine of trump, or on one of them with enough trumps or aces.

    Source: Hoogenboom 2017, section 4.3 (`as-written`), and its program (`as-published`,
    where it is defined but never used). Differs: where a suit can be chosen, it is the one
    of those worth playing (of all, if none is and passing is not allowed) that has the
    most points by section 4.1.
    """

    games: ClassVar[tuple[str, ...]] = ("klaverjas",)

    mode: Mode = parameter("as-written", help="the rules of the text, or those of the program")

    def bid(self, view: View, rng: Rng) -> Action:
        """Play or pass, or the best suit."""
        ratings = {
            trump: (worth_playing(view.hand, trump, self.mode), hand_points(view.hand, trump))
            for trump in trumps_on_offer(view)
        }
        return best_or_pass(view, ratings, more_than=(False, math.inf))

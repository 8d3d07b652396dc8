"""Counts the tricks of a hand, trump by trump."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from agents.bidding.calls import best_or_pass, trumps_on_offer
from arena.core.agent import parameter
from arena.core.cards import cards_of
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.schieber.tables import STRENGTH, SUIT_MASK


@lru_cache(maxsize=1 << 14)
def _tricks_of_suit(cards: int, suit: int, trump: int) -> int:
    """Tricks that the cards of a suit take when led from the top, wherever the others are.

    The cards of an unbroken run from the top count; all cards count if the run is at least as
    long as the number of missing cards.
    """
    order = sorted(cards_of(SUIT_MASK[suit]), key=STRENGTH[trump].__getitem__, reverse=True)
    run = 0
    while run < len(order) and cards >> order[run] & 1:
        run += 1
    held = cards.bit_count()
    return held if run >= len(order) - held else run


def certain_tricks(hand: int, trump: int) -> int:
    """The certain tricks of a hand that is on lead, if no trick is ruffed.

    >>> from arena.core.cards import CardSet, parse_trump
    >>> hand = CardSet.parse("HJ H9 HA H7 H6 SA SK C7 D8").mask
    >>> [certain_tricks(hand, parse_trump(trump)) for trump in "HO"]
    [5, 3]
    """
    return sum(
        _tricks_of_suit(hand & suit_cards, suit, trump) for suit, suit_cards in enumerate(SUIT_MASK)
    )


@dataclass(frozen=True)
class SimpleRule:
    """Names the trump with the most certain tricks; pushes with too few.

    Source: the idea of the "simple rule-based" trump selection of Niklaus 2019, section 13.2;
    its program is not public. Differs: the definition of a certain trick is ours; of trumps with
    equally many tricks the suit with more cards is named, then the first in the order C D H S O U.
    """

    games: ClassVar[tuple[str, ...]] = ("schieber",)

    tricks: int = parameter(4, help="push with fewer certain tricks than this", at_least=0)

    def bid(self, view: View, rng: Rng) -> Action:
        """The trump with the most certain tricks, or a push."""
        rated = {
            trump: (certain_tricks(view.hand, trump), _length(view.hand, trump))
            for trump in trumps_on_offer(view)
        }
        return best_or_pass(view, rated, more_than=(self.tricks - 1, math.inf))


def _length(hand: int, trump: int) -> int:
    return (hand & SUIT_MASK[trump]).bit_count() if trump < len(SUIT_MASK) else 0

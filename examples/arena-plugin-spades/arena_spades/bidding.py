"""Bids what a hand is likely to take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arena.core.agent import parameter
from arena.core.cards import LANE, RANKS, cards_of
from arena.core.rules import OWN_BIDS, Action, View
from arena.core.seeds import Rng
from arena_spades.tables import MOST_TRICKS, TRUMP

__all__ = ["Count", "likely_tricks"]

_ACE, _KING, _QUEEN, _NINE = (RANKS.index(rank) for rank in "AKQ9")


def likely_tricks(hand: int) -> float:
    """Honours that their suit protects, and spades.

    A plain ace counts 1, a king with one more card 0.7, a queen with two more 0.3. The ace of
    spades counts 1, its king with one more 0.9, its queen with two more 0.7, and every spade
    after the third 1.

    >>> from arena.core.cards import CardSet
    >>> likely_tricks(CardSet.parse("CA DK D2 HQ H3 S2 S3 S4 S5").mask)
    2.7
    """
    total = 0.0
    for suit in range(4):
        ranks = {card % LANE for card in cards_of(hand) if card // LANE == suit}
        king, queen = (0.9, 0.7) if suit == TRUMP else (0.7, 0.3)
        total += _ACE in ranks
        total += king * (_KING in ranks and len(ranks) >= 2)
        total += queen * (_QUEEN in ranks and len(ranks) >= 3)
        if suit == TRUMP:
            total += max(0, len(ranks) - 3)
    return round(total, 2)


@dataclass(frozen=True)
class Count:
    """Counts likely tricks; bids nil on a hand without high cards and few low spades.

    Source: none; what beginners are taught.
    """

    games: ClassVar[tuple[str, ...]] = ("spades",)

    nil_below: float = parameter(
        0.5, help="bid nil if fewer tricks than this are likely", at_least=0
    )

    def bid(self, view: View, rng: Rng) -> Action:
        """The number of tricks counted, at least 1; or nil."""
        spades = [card % LANE for card in cards_of(view.hand) if card // LANE == TRUMP]
        tricks = likely_tricks(view.hand)
        if tricks < self.nil_below and all(rank <= _NINE for rank in spades):
            return OWN_BIDS
        return OWN_BIDS + min(MOST_TRICKS, max(1, round(tricks)))

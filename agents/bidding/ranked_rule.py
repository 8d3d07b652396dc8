"""Rates every trump by fixed scores and names the best one: the ranked rules of JassTheRipper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

import numpy as np

from agents.bidding.calls import best_or_pass, pass_call
from arena.core.cards import RANKS, cards_of, rank_of
from arena.core.rules import OBE, UNE, Action, View
from arena.core.seeds import Rng
from arena.games.schieber.tables import NATURAL_ORDER, SUIT_MASK

_LOWEST = RANKS.index(NATURAL_ORDER[0])
_NINE, _JACK, _ACE = (NATURAL_ORDER.index(rank) for rank in "9JA")
_TRUMP_SCORES = dict(zip(NATURAL_ORDER, (1, 2, 3, 12, 5, 13, 7, 8, 9), strict=True))
_A_TRICK = np.float32(20)
_PUSH = 125
"""What pushing is rated."""
_WITHOUT_TRUMP_SUIT, _AFTER_A_PUSH = 0.9, 0.75
"""What ratings of obe-abe and une-ufe are multiplied by, for the forehand and after a push."""


def ratings(hand: int, *, pushed: bool = False) -> dict[int, int]:
    """The rating of each of the six trumps, for the forehand or after a push.

    >>> from arena.core.cards import CardSet, TRUMPS
    >>> rated = ratings(CardSet.parse("C6 C7 D6 H8 HA S8 S9 SA SJ").mask)
    >>> {TRUMPS[trump]: rating for trump, rating in rated.items()}
    {'C': 46, 'D': 0, 'H': 61, 'S': 267, 'O': 110, 'U': 67}
    """
    suits = [tuple(rank_of(card) - _LOWEST for card in cards_of(hand & suit)) for suit in SUIT_MASK]
    high = [_tricks(tuple(sorted(_ACE - rank for rank in ranks))) for ranks in suits]
    low = [_tricks(ranks) for ranks in suits]
    rated = {trump: _as_trump(trump, suits, high) for trump in range(len(suits))}
    weight = _AFTER_A_PUSH if pushed else _WITHOUT_TRUMP_SUIT
    for trump, by_suit in ((OBE, high), (UNE, low)):
        rated[trump] = math.floor(weight * sum(by_suit) + 0.5)
    return rated


def best_trump(hand: int, *, pushed: bool) -> int:
    """The trump with the highest rating; on ties the first in the order C D H S O U."""
    rated = ratings(hand, pushed=pushed)
    return max(rated, key=rated.__getitem__)


@lru_cache(maxsize=1 << len(NATURAL_ORDER))
def _tricks(missing_above: tuple[int, ...]) -> int:
    """What the cards of a suit are worth without a trump suit, 20 for a trick.

    The cards are given by how many ranks are above each, ascending. The best one is as safe
    as partner is to hold all above it; the next is as safe if it is adjacent, and less if not.
    """
    if not missing_above:
        return 0
    # The program counts in single precision: six thirds of 20 are a little more than 40.
    safety = np.float32(1)
    for _ in range(missing_above[0]):
        safety /= np.float32(3)
    total = safety * _A_TRICK
    better = 0
    for last, this in pairwise(missing_above):
        gap = this - last - 1
        better += gap
        if gap:
            length = len(missing_above)
            safety *= np.float32(1 - 2 / 3 * _others_can_wait(length, better, gap))
        total += safety * _A_TRICK
        better += 1
    return math.ceil(total)


def _others_can_wait(length: int, better: int, gap: int) -> float:
    """A rough chance that an opponent keeps a better card while lower ones are led."""
    others = len(NATURAL_ORDER) - length - 1
    unseen = 3 * len(NATURAL_ORDER) - 1
    if others < 1:
        return 0.0
    chance = others / unseen * math.factorial(others - 1)
    for _ in range(better):
        others -= 1
        chance *= others / unseen
    chance *= 0.45**gap
    return 0.8 if chance > 1 else max(0.0, chance)


def _as_trump(trump: int, suits: list[tuple[int, ...]], tricks: list[int]) -> int:
    """What a suit is worth as trump: its cards, their number, and the other suits' tricks."""
    trumps = suits[trump]
    length = len(trumps)
    if length < 2:
        return 0
    jack, nine, ace = (rank in trumps for rank in (_JACK, _NINE, _ACE))
    quality = 2 * sum(_TRUMP_SCORES[NATURAL_ORDER[rank]] for rank in trumps)
    rating = quality + 10 * jack + 7 * nine + 3 * ace + (120 if length >= 6 else 0)
    rating = int(rating * 1.15**length)
    aces = sum(_ACE in ranks for ranks in suits)
    if jack and nine and length > 2 and aces >= 2:
        rating += 40 if length > 3 else 30
    if jack and length > 3 and quality > 21:
        rating += 40 if length > 4 else 30
    if nine and length > 3:
        rating += 30 if length > 4 else 20
    if jack and ace and length > 4:
        rating += 40 if length > 5 else 30
    return rating + sum(t // 3 for suit, t in enumerate(tricks) if suit != trump)


@dataclass(frozen=True)
class RankedRule:
    """Names the trump with the highest rating, or pushes if none is rated higher than pushing.

    Source: JassTheRipper, "ranked rule-based" in Niklaus 2019, section 13.2. Differs: jack,
    nine and ace of trumps always count; the program misses them on most hands, because it
    takes the order of a hash set for sorted. Ties go in the order push, C D H S, O, U.
    """

    games: ClassVar[tuple[str, ...]] = ("schieber",)

    def bid(self, view: View, rng: Rng) -> Action:
        """The best trump, or a push."""
        rated = ratings(view.hand, pushed=pass_call(view) is None)
        return best_or_pass(view, rated, more_than=_PUSH)

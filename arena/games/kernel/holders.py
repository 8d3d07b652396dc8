"""The possible holders of unseen cards: shared by all plans for drawing worlds.

Up to three hold unseen cards: the other players, and the stock if cards are left undealt.
Both kinds of plan (`uniform_worlds`, `weighted_worlds`) are made from the same facts:

* `unseen`: mask of the cards to give out. Masks may be in any coordinates: the samplers
  never ask what a bit stands for.
* `may[h]` (uint64): the cards that holder `h` may have. `sizes[h]` (int64): how many they have.
  Both are as long as `hands`, or longer; a holder of size 0 takes no part, so they can be
  indexed by seat, with size 0 for the searching seat.
* `rng[0]`: state of SplitMix64, as in `arena.core.seeds.Rng`. `hands[h]`: where the cards go;
  entries of holders that take no part stay as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.core.cards import LANE, deck_of
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import ZERO

MAX_HOLDERS = 3
MAX_UNSEEN = 39
"""Three hands of 13, the most that any player of a 52-card game has not seen."""

# A plan begins with these words.
A, B, C = 0, 1, 2  # which holder is A, B and C; -1 if there is none
SURE = 3  # cards that only A, only B, only C may have: three words
FREE = 6  # all other cards

NOBODY = np.uint64(0xFFFFFFFFFFFFFFFF)

OPENING = np.uint64(deck_of("789TJQKA") >> LANE << LANE)
"""What the first player of a Klaverjas round has not seen if they hold all clubs."""


@inlined
def find_holders(plan: Any, unseen: Any, may: Any, sizes: Any) -> Any:
    """Enter the holders into the plan; whether the cards can be theirs at all."""
    plan[A] = plan[B] = plan[C] = NOBODY
    found, cards, anyones = 0, 0, ZERO
    for holder in range(len(sizes)):
        if sizes[holder] > 0:
            if found == MAX_HOLDERS:
                return False
            plan[A + found] = np.uint64(holder)
            found += 1
            cards += sizes[holder]
            anyones |= may[holder]
    return (
        cards <= MAX_UNSEEN and np.uint64(cards) == popcount(unseen) and unseen & ~anyones == ZERO
    )


@inlined
def size_of(holder: Any, sizes: Any) -> Any:
    """How many cards a holder has; none if there is no such holder."""
    return sizes[holder] if holder != NOBODY else 0


@inlined
def count(mask: Any) -> Any:
    """How many cards there are, as a number with a sign."""
    return np.int64(popcount(mask))


@inlined
def deal(plan: Any, hand_a: Any, hand_b: Any, hands: Any) -> None:
    """Put a world into `hands`: C has what is left."""
    if plan[A] != NOBODY:
        hands[plan[A]] = hand_a
    if plan[B] != NOBODY:
        hands[plan[B]] = hand_b
    if plan[C] != NOBODY:
        hands[plan[C]] = plan[SURE + 2] | (plan[FREE] & ~hand_a & ~hand_b)

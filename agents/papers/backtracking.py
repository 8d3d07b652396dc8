"""World sampling as in the program of Aaldering 2023, compiled.

Cards are taken in random order, and each goes to a random seat that may hold it and has room. If
a seat would be left with fewer possible cards than it needs, the card goes to another seat; if no
seat can take it, the previous card is dealt again. The thesis takes this to be uniform. It is so
only as long as every seat may hold every card: otherwise worlds that are reached in more ways are
dealt more often. Exact worlds are those of `arena.games.kernel.uniform_worlds`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search.worlds import Worlds, sampled_worlds
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import compiled, inlined
from arena.games.kernel.layout import ONE, S32, ZERO, Word, Words
from arena.games.kernel.rng import next64
from arena.games.kernel.tricks import pick
from arena.games.observation import Observation

_UNSEEN, _MAY, _SIZES, _WORDS = 0, 1, 5, 9
_HOLDERS = 4


def backtracking_plan(unseen: Word, may: Words, sizes: NDArray[np.int64]) -> Words:
    """What is dealt, who may have it, and how many cards each holder has: at most four."""
    plan = np.zeros(_WORDS, np.uint64)
    plan[_UNSEEN] = unseen
    plan[_MAY : _MAY + _HOLDERS] = may[:_HOLDERS]
    plan[_SIZES : _SIZES + _HOLDERS] = sizes[:_HOLDERS]
    return plan


def backtracked_worlds(observed: Observation) -> Worlds:
    """Worlds as the program of Aaldering 2023 deals them, not all equally often."""
    return sampled_worlds(sample_backtracking, backtracking_plan(*observed.hidden()))


@compiled
def sample_backtracking(plan: Words, odds: NDArray[np.float64], rng: Words, hands: Words) -> None:
    """Put a world into `hands`, those without room left alone; `odds` are not used."""
    count = np.int64(popcount(plan[_UNSEEN]))
    cards, holders = np.empty(count, np.uint64), np.full(count, -1, np.int64)
    untried = np.empty(count, np.uint64)  # for each card dealt, the holders still to be tried
    left: Any = plan[_UNSEEN]
    for place in range(count):
        cards[place] = pick(left, next64(rng) >> S32)
        left ^= cards[place]
    left = plan[_UNSEEN]
    room = plan[_SIZES : _SIZES + _HOLDERS].copy()
    place = 0
    untried[0] = _takers(plan, room, cards[0]) if count > 0 else ZERO
    while place < count:
        if holders[place] >= 0:  # it was dealt once, and that led nowhere
            room[holders[place]] += ONE
            left |= cards[place]
            holders[place] = -1
        if untried[place] == ZERO:
            place -= 1
            continue
        taker = pick(untried[place], next64(rng) >> S32)
        untried[place] ^= taker
        holder = np.int64(popcount(taker - ONE))
        holders[place] = holder
        room[holder] -= ONE
        left ^= cards[place]
        if _all_can_fill(plan, room, left):
            place += 1
            if place < count:
                untried[place] = _takers(plan, room, cards[place])
    for seat in range(_HOLDERS):
        if plan[_SIZES + seat] != ZERO:
            hands[seat] = ZERO
    for place in range(count):
        hands[holders[place]] |= cards[place]


@inlined
def _takers(plan: Words, room: Words, card: Word) -> Word:
    """One bit for each holder who may have a card and has room for it."""
    found = ZERO
    for holder in range(_HOLDERS):
        if room[holder] != ZERO and plan[_MAY + holder] & card != ZERO:
            found |= ONE << np.uint64(holder)
    return found


@inlined
def _all_can_fill(plan: Words, room: Words, left: Word) -> bool:
    can = True
    for holder in range(_HOLDERS):
        can &= popcount(plan[_MAY + holder] & left) >= room[holder]
    return can

"""Statistics by the hand of the player, in addition to those that all worlds share.

A tree over all worlds has one statistic for a card, whatever else its player holds. Only the
searching seat holds the same cards in every world; the others choose there as if they could not
see their own hands. With all observers a card is also counted by the hand it was chosen from,
which is what its player knows: their hand and the cards played. So each has a tree of their own, as
in multiple-observer information set MCTS (Cowling, Powley and Whitehouse 2012), where in games
with public moves only the separate trees of all players would otherwise be the same.

A hand is seldom met twice at first. Until then the shared statistic serves as what `prior`
visits from this hand would have shown.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from arena.games.kernel.jit import inlined, records, uncounted
from arena.games.kernel.layout import ONE, ZERO, Int, Word
from arena.games.kernel.rng import mix

HAND = np.dtype(
    [
        ("key", np.uint64),  # node and hand; 0 where there is nothing
        ("value", np.float64),  # sum, for the side that played the node's card from the hand
        ("visits", np.int32),
    ],
    align=True,
)
Hands: TypeAlias = Any
"""An array of `HAND`, a table with open addresses; its length is a power of two."""

_ROOM_PER_SIMULATION = 8
"""Slots: a simulation seldom counts more than four hands."""
_MOST_ROOM = 1 << 21
"""Slots at most (50 MB)."""
_PROBES = 16
_NODE_STEP = np.uint64(0x9E3779B97F4A7C15)


def new_hands(simulations: int) -> Hands:
    """An empty table for so many simulations."""
    size = 1 << (_ROOM_PER_SIMULATION * simulations - 1).bit_length()
    return records(np.zeros(min(size, _MOST_ROOM), dtype=HAND))


NO_HANDS: Hands = records(np.zeros(0, dtype=HAND))


@inlined
def _key(node: Int, hand: Word) -> Word:
    return Word(mix(hand ^ (np.uint64(node) * _NODE_STEP)) | ONE)


@uncounted
def _slot(hands: Hands, key: Word) -> Int:
    """Where a key is or may be put; -1 if it is crowded there."""
    last = np.uint64(len(hands) - 1)
    place = key & last
    for _ in range(_PROBES):
        found = hands[np.int64(place)].key
        if found in (key, ZERO):
            return np.int64(place)
        place = (place + ONE) & last
    return np.int64(-1)


@inlined
def count_hand(hands: Hands, node: Int, hand: Word, value: float) -> None:
    """Count that the card of a node was played from a hand; forgotten if there is no room."""
    key = _key(node, hand)
    slot = _slot(hands, key)
    if slot >= 0:
        hands[slot].key = key
        hands[slot].value += value
        hands[slot].visits += 1


@inlined
def seen_from(hands: Hands, node: Int, hand: Word) -> tuple[Int, float]:
    """Visits and sum of a node from a hand."""
    slot = _slot(hands, _key(node, hand))
    if slot < 0:
        return 0, 0.0
    return np.int64(hands[slot].visits), hands[slot].value

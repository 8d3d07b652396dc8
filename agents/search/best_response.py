"""A best response: only the one who thinks searches; the others play as a policy says.

In a tree over all worlds the others choose without seeing their own hands, and as well as they
can learn to. Here they are taken as they are: in the tree and in playouts their cards are drawn
from a policy, each from their own hand. So the tree has nodes for the thinker's decisions only,
or for those of the partner as well. What a player knows at a node, a hand and all cards played, is
the same in every world that leads to it, and so are the legal cards: no card is ever unavailable.

A node is found by a hash of the cards played since the root, and of the hand if it is not the
thinker's. It has a place for each card, by its order in the hand that its player has at the root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.policies.features import Deck, watch
from agents.policies.tables import Factors, draw
from agents.search.leaves import Leaves, values_of
from agents.search.worlds import Worlds, deal_world
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import compiled, inlined
from arena.games.kernel.layout import HANDS, LEFT, ONE, STATE_WORDS, TURN, ZERO, Int, Word, Words
from arena.games.kernel.rng import mix
from arena.games.kernel.step import copy_state, legal, play

__all__ = ["Others", "Plan", "respond"]

_MOST_DECISIONS = 32
"""Longer than any path: two players may search."""
_NODE = np.uint64(0xFFFFFF)
"""The part of a slot that is the number of a node; the rest is of its hash."""
_MEAN, _SPREAD = 0, 1


class Others(NamedTuple):
    """How all cards are played that are not searched for."""

    deck: Deck
    factors: Factors
    """A row of tables for each type, sharpened."""
    by_type: bool
    """Whether seats play as their types do in a world, or all as the first type."""
    searching: Words
    """A bit for each seat whose cards are searched for."""


class Plan(NamedTuple):
    """The decisions that were met."""

    slots: Words
    """A table with open addresses: hash and number of a node, 0 if there is none. Its length is a
    power of two."""
    scores: NDArray[np.float32]
    """`[node, card]`: the mean value for the thinker's side, and 1 / sqrt(visits); 0 before the
    first visit. Node 0 is none, node 1 is the root."""
    visits: NDArray[np.int32]
    """`[node, card]`; the last column has the sums."""

    @classmethod
    def empty(cls, nodes: int, cards: int) -> Plan:
        """Room for so many nodes of so many cards, the root included."""
        return cls(
            np.zeros(1 << (2 * nodes + 3).bit_length(), np.uint64),
            np.zeros((nodes + 2, cards, 2), np.float32),
            np.zeros((nodes + 2, cards + 1), np.int32),
        )


@inlined
def _slot(plan: Plan, key: Word) -> Int:
    """Where the node of a key is, or may be entered."""
    last = np.uint64(len(plan.slots) - 1)
    place = key & last
    tag = key & ~_NODE
    while True:
        found = plan.slots[place]
        if found == ZERO or found & ~_NODE == tag:
            return np.int64(place)
        place = (place + ONE) & last


@inlined
def _select(
    plan: Plan, node: Int, cards: Word, hand: Word, c: float, roots: NDArray[np.float64]
) -> Word:
    """The card with the highest upper bound; 0 if some were not tried yet."""
    best, best_score = ZERO, np.float32(-np.inf)
    total: Int = min(np.int64(plan.visits[node, plan.visits.shape[1] - 1]), len(roots) - 1)
    bonus = np.float32(c * roots[total])
    while cards != ZERO:
        card = cards & (~cards + ONE)
        cards ^= card
        at = np.int64(popcount(hand & (card - ONE)))
        spread = plan.scores[node, at, _SPREAD]
        if spread == np.float32(0.0):
            return ZERO
        score = plan.scores[node, at, _MEAN] + bonus * spread
        if score > best_score:
            best, best_score = card, score
    return best


@inlined
def _untried(plan: Plan, node: Int, cards: Word, hand: Word) -> Word:
    found = ZERO
    while cards != ZERO:
        card = cards & (~cards + ONE)
        cards ^= card
        if plan.visits[node, np.int64(popcount(hand & (card - ONE)))] == 0:
            found |= card
    return found


@inlined
def _count(plan: Plan, node: Int, at: Int, value: np.float32) -> None:
    visits = plan.visits[node, at] + 1
    plan.visits[node, at] = visits
    plan.visits[node, plan.visits.shape[1] - 1] += 1
    number = np.float32(visits)
    plan.scores[node, at, _MEAN] += (value - plan.scores[node, at, _MEAN]) / number
    plan.scores[node, at, _SPREAD] = np.float32(1.0) / np.sqrt(number)


@compiled
def respond(
    plan: Plan,
    used: Int,
    simulations: Int,
    root: Words,
    root_voids: Words,
    game: Words,
    worlds: Worlds,
    others: Others,
    c: float,
    leaves: Leaves,
    side: Int,
    roots: NDArray[np.float64],
    rng: Words,
) -> Int:
    """Add simulations to a plan that has `used` nodes; how many it has now.

    `side` is the thinker's. When there is no room left, simulations go on without new nodes.
    """
    world, state = np.empty(STATE_WORDS, np.uint64), np.empty(STATE_WORDS, np.uint64)
    voids = np.empty(4, np.uint64)
    nodes, places = np.empty(_MOST_DECISIONS, np.int64), np.empty(_MOST_DECISIONS, np.int64)
    weights = np.empty(64, np.float64)
    values, scores = np.empty(4, np.float64), np.empty(4, np.int64)
    deck, factors = others.deck, others.factors
    thinker, searching = root[TURN], others.searching[0]
    kinds = worlds.pool.kinds
    most = len(plan.visits)
    copy_state(root, world)
    for _ in range(simulations):
        number = deal_world(worlds, rng, world)
        copy_state(world, state)
        for i in range(4):
            voids[i] = root_voids[i]
        key, depth, in_tree = ONE, 0, True
        while state[LEFT] != ZERO:
            turn = state[TURN]
            cards = legal(state, game)
            card = cards
            if cards & (cards - ONE) != ZERO:
                kind = kinds[number, np.int64(turn)] if others.by_type else 0
                card, hand = ZERO, ZERO
                node: Int = 0
                if in_tree and searching >> turn & ONE != ZERO:
                    kind = 0
                    hand = world[HANDS + turn]
                    own_key = key if turn == thinker else mix(key ^ hand) | ONE
                    slot = _slot(plan, own_key)
                    node = np.int64(plan.slots[slot] & _NODE)
                    if node == 0:
                        in_tree = False
                        if used < most:
                            node = used
                            used += 1
                            plan.slots[slot] = own_key & ~_NODE | np.uint64(node)
                    else:
                        card = _select(plan, node, cards, hand, c, roots)
                        if card == ZERO:
                            cards = _untried(plan, node, cards, hand)
                if card == ZERO:
                    card = draw(state, game, voids, deck, factors, kind, cards, weights, rng)
                if node != 0:
                    nodes[depth] = node
                    places[depth] = np.int64(popcount(hand & (card - ONE)))
                    depth += 1
            watch(state, voids, card)
            play(state, game, card)
            if in_tree:
                key = mix(key ^ card) | ONE
        values_of(state, game, leaves, scores, values)
        for i in range(depth):
            _count(plan, nodes[i], places[i], np.float32(values[side]))
    return used

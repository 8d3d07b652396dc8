"""A best response: only the one who thinks searches; the others play as a policy says.

In a tree over all worlds the others choose without seeing their own hands, and as well as they
can learn to. Here they are taken as they are: in the tree and in playouts their cards are drawn
from a policy, each from their own hand. So the tree has nodes for the thinker's decisions only.
What the thinker knows at a node, a hand and all cards played, is the same in every world that
leads to it, and so are the legal cards: no card is ever unavailable.

A node is found by a hash of the cards played since the root. It keeps visits and the sum of
values for each of the thinker's cards, by their order in the hand at the root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.policies.features import Deck, watch
from agents.policies.tables import Factors, draw
from agents.search.leaves import Int, Leaves, values_of
from agents.search.pool import Pool, deal_from
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import compiled, inlined
from arena.games.kernel.layout import HANDS, LEFT, ONE, STATE_WORDS, TURN, ZERO, Word, Words
from arena.games.kernel.rng import mix
from arena.games.kernel.step import copy_state, legal, play

__all__ = ["Others", "Plan", "respond"]

_MOST_TRICKS = 16


class Others(NamedTuple):
    """How all cards are played that are not searched for."""

    deck: Deck
    factors: Factors
    """A row of tables for each type, sharpened."""
    by_type: bool
    """Whether seats play as their types do in a world, or all as the first type."""


class Plan(NamedTuple):
    """The thinker's decisions that were met."""

    slots: NDArray[np.int32]
    """A table with open addresses: the node of a hash, 0 if there is none. A power of two."""
    keys: Words
    """The hash of each node; node 0 is none, node 1 is the root."""
    visits: NDArray[np.int32]
    """`[node, card]`."""
    values: NDArray[np.float64]
    """Sums, for the thinker's side."""
    totals: NDArray[np.int32]
    """Visits of a node."""

    @classmethod
    def empty(cls, nodes: int, cards: int) -> Plan:
        """Room for so many nodes of so many cards, the root included."""
        size = 1 << (2 * nodes + 3).bit_length()
        return cls(
            np.zeros(size, np.int32),
            np.zeros(nodes + 2, np.uint64),
            np.zeros((nodes + 2, cards), np.int32),
            np.zeros((nodes + 2, cards), np.float64),
            np.zeros(nodes + 2, np.int32),
        )


@inlined
def _slot(plan: Plan, key: Word) -> Int:
    """Where the node of a key is, or may be entered."""
    last = np.uint64(len(plan.slots) - 1)
    place = key & last
    while True:
        node = np.int64(plan.slots[place])
        if node == 0 or plan.keys[node] == key:
            return np.int64(place)
        place = (place + ONE) & last


@inlined
def _select(
    plan: Plan, node: Int, cards: Word, hand: Word, c: float, roots: NDArray[np.float64]
) -> Word:
    """The card with the highest upper bound; 0 if some were not tried yet."""
    best, best_score = ZERO, -np.inf
    number: Int = min(np.int64(plan.totals[node]), len(roots) - 1)
    bonus = c * roots[number]
    while cards != ZERO:
        card = cards & (~cards + ONE)
        cards ^= card
        at = np.int64(popcount(hand & (card - ONE)))
        visits = np.float64(plan.visits[node, at])
        if visits == 0.0:
            return ZERO
        score = plan.values[node, at] / visits + bonus / np.sqrt(visits)
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


@compiled
def respond(
    plan: Plan,
    used: Int,
    simulations: Int,
    root: Words,
    root_voids: Words,
    game: Words,
    pool: Pool,
    worlds: Int,
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
    state, voids = np.empty(STATE_WORDS, np.uint64), np.empty(4, np.uint64)
    nodes, choices = np.empty(_MOST_TRICKS, np.int64), np.empty(_MOST_TRICKS, np.int64)
    weights = np.empty(64, np.float64)
    values, scores = np.empty(4, np.float64), np.empty(4, np.int64)
    deck, factors = others.deck, others.factors
    thinker = root[TURN]
    hand = root[HANDS + thinker]
    most = len(plan.keys)
    for _ in range(simulations):
        copy_state(root, state)
        world = deal_from(pool, worlds, rng)
        for i in range(4):
            seat = np.uint64(i)
            if seat != thinker:
                state[HANDS + seat] = pool.hands[world, i]
            voids[i] = root_voids[i]
        key, depth, in_tree = ONE, 0, True
        while state[LEFT] != ZERO:
            turn = state[TURN]
            cards = legal(state, game)
            card = cards
            if cards & (cards - ONE) != ZERO:
                kind = pool.kinds[world, np.int64(turn)] if others.by_type else 0
                if in_tree and turn == thinker:
                    slot = _slot(plan, key)
                    node = np.int64(plan.slots[slot])
                    if node == 0:
                        in_tree = False
                        if used < most:
                            node = used
                            used += 1
                            plan.slots[slot] = np.int32(node)
                            plan.keys[node] = key
                        card = ZERO
                    else:
                        card = _select(plan, node, cards, hand, c, roots)
                        if card == ZERO:
                            cards = _untried(plan, node, cards, hand)
                    if card == ZERO:
                        card = cards
                        if cards & (cards - ONE) != ZERO:
                            card = draw(state, game, voids, deck, factors, 0, cards, weights, rng)
                    if node != 0:
                        nodes[depth] = node
                        choices[depth] = np.int64(popcount(hand & (card - ONE)))
                        depth += 1
                else:
                    card = draw(state, game, voids, deck, factors, kind, cards, weights, rng)
            watch(state, voids, card)
            play(state, game, card)
            if in_tree:
                key = mix(key ^ card) | ONE
        values_of(state, game, leaves, scores, values)
        for i in range(depth):
            plan.visits[nodes[i], choices[i]] += 1
            plan.values[nodes[i], choices[i]] += values[side]
            plan.totals[nodes[i]] += 1
    return used

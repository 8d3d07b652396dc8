"""A search tree over sequences of cards, in one flat array.

A node stands for the cards played since the root. Who plays next follows from them, so
all worlds in which they can be played share the node: in one world it is a UCT tree, over
many it is single-observer information set MCTS (Cowling, Powley and Whitehouse 2012).

A node's value is a sum from the point of view of the side that *played* its card, which is
the side that chooses between it and its siblings. There is no sign to flip: after a trick
the winner leads, so the sides do not alternate, and with four sides there is no sign at all.

In a known world between two sides the tree can also prove values, as score bounded MCTS
does (Cazenave and Saffidine 2010): the ends of the round are certain, bounds go up from there,
and no time is spent on what is proven or cannot be best.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.search.leaves import Leaves, judge_leaf
from agents.search.network import Judge, follow, set_out
from agents.search.observers import Hands, count_hand, seen_from
from agents.search.rulebooks import note_in, open_book
from agents.search.worlds import Worlds, deal_world
from arena.games.kernel.bits import ctz
from arena.games.kernel.jit import compiled, inlined
from arena.games.kernel.layout import (
    HANDS,
    LEFT,
    ONE,
    S32,
    STATE_WORDS,
    TURN,
    ZERO,
    Int,
    Word,
    Words,
)
from arena.games.kernel.playout import pick
from arena.games.kernel.rng import next64
from arena.games.kernel.step import copy_state, legal, play, side_of

__all__ = [
    "AVAILABILITY",
    "GLOBAL",
    "PARENT",
    "Nodes",
    "Policy",
    "grow",
    "keep_subtree",
    "new_nodes",
    "read_root",
    "reset",
]

GLOBAL, PARENT, AVAILABILITY = 0, 1, 2

NODE = np.dtype(
    [
        ("card", np.uint64),  # the card that leads here, one bit; 0 at the root
        ("tried", np.uint64),  # the cards of its children
        ("value", np.float64),  # sum, for the side that played the card
        ("average", np.float64),  # value / visits
        ("spread", np.float64),  # 1 / sqrt(visits)
        ("low", np.float32),  # what is proven of its value, for the same side
        ("high", np.float32),
        ("visits", np.int32),
        ("available", np.int32),  # how often the card could have been chosen
        ("first", np.int32),  # child; 0 if there is none
        ("next", np.int32),  # sibling
    ]
)
Nodes: TypeAlias = Any
"""A record array of `NODE`."""

_MOST_CARDS = 56
"""Longer than any path: a deck has 52 cards."""


_UNBOUNDED = np.float32(np.inf)


class Policy(NamedTuple):
    """How a child is chosen: by mean value + c * sqrt(ln N / visits)."""

    c: float
    ucb: int
    """What N is: the `GLOBAL` number of the simulation, the `PARENT`'s visits, or the
    child's own `AVAILABILITY`."""
    proves: bool = False
    """Whether to prove values. Only where there is one world, two sides and nothing to look
    at but the difference of their final scores; simulations end when the root is proven."""
    first_play: float = np.inf
    """How urgent a card is that was not tried here yet: so many points above the mean of the
    cards that were. Infinite to try every card once before any is tried again."""
    prior: float = 0.0
    """What the shared statistics are worth, in visits, where there are statistics by hand."""
    sign_by_depth: bool = False
    """Whether the two sides are taken to play in turns, card by card, whoever has won a trick:
    a mistake of the program of 2023."""


def new_nodes(simulations: int) -> Nodes:
    """Room for a tree: every simulation adds at most one node to the root."""
    nodes = np.recarray((simulations + 1,), dtype=NODE)
    reset(nodes)
    return nodes


@compiled
def reset(nodes: Nodes) -> None:
    """Leave only the root, without visits."""
    _clear(nodes, 0, ZERO)


@inlined
def _clear(nodes: Nodes, node: Int, card: Word) -> None:
    nodes[node].card = card
    nodes[node].tried = ZERO
    nodes[node].value = nodes[node].average = nodes[node].spread = 0.0
    nodes[node].low = -_UNBOUNDED
    nodes[node].high = _UNBOUNDED
    nodes[node].visits = 0
    nodes[node].available = 0
    nodes[node].first = 0
    nodes[node].next = 0


@compiled
def grow(
    nodes: Nodes,
    hands: Hands,
    used: Int,
    simulations: Int,
    root: Words,
    game: Words,
    worlds: Worlds,
    policy: Policy,
    leaves: Leaves,
    judge: Judge,
    roots: NDArray[np.float64],
    rng: Words,
) -> Int:
    """Add simulations to a tree that has `used` nodes; how many it has now.

    When there is no room left, simulations go on without new nodes. `roots[n]` is sqrt(ln n).
    If `hands` has any room, the other players decide by their own cards.
    """
    world, state = np.empty(STATE_WORDS, np.uint64), np.empty(STATE_WORDS, np.uint64)
    path, sides = np.empty(_MOST_CARDS, np.int64), np.empty(_MOST_CARDS, np.int64)
    choices, holding = np.empty(_MOST_CARDS, np.uint64), np.empty(_MOST_CARDS, np.uint64)
    by_hand = len(hands) > 0
    values, sums = np.empty(4, np.float64), np.empty(4, np.float64)
    scores = np.empty(4, np.int64)
    copy_state(root, world)
    for _ in range(simulations):
        deal_world(worlds, rng, world)
        copy_state(world, state)
        depth, used = _descend(
            nodes, hands, used, state, game, policy, roots, rng, path, sides, choices, holding
        )
        open_book(leaves.book)
        set_out(judge)
        for i in range(depth):
            note_in(leaves.book, nodes[path[i]].card)
            follow(judge, nodes[path[i]].card)
        is_certain = state[LEFT] <= ONE  # the last trick plays itself
        judge_leaf(state, game, leaves, judge, rng, scores, values, sums)
        nodes[0].visits += 1
        for i in range(depth):
            _update(nodes, path[i], sums[sides[i]])
            if by_hand and holding[i] != ZERO:
                count_hand(hands, path[i], holding[i], sums[sides[i]])
        if policy.proves and is_certain and depth > 0:
            _prove(nodes, path, sides, choices, depth, sums[sides[depth - 1]])
            if nodes[0].low == nodes[0].high:
                break
    return used


@inlined
def _update(nodes: Nodes, node: Int, value: float) -> None:
    # Nodes are compared more often than they are updated, so what costs is done here.
    visits = nodes[node].visits + 1
    total = nodes[node].value + value
    nodes[node].visits = visits
    nodes[node].value = total
    nodes[node].average = total / np.float64(visits)
    nodes[node].spread = 1.0 / np.sqrt(np.float64(visits))


@inlined
def _descend(
    nodes: Nodes,
    hands: Hands,
    used: Int,
    state: Words,
    game: Words,
    policy: Policy,
    roots: NDArray[np.float64],
    rng: Words,
    path: NDArray[np.int64],
    sides: NDArray[np.int64],
    choices: Words,
    holding: Words,
) -> tuple[Int, Int]:
    """Play cards by the tree, then one that is new to it; the length of the path and `used`."""
    node, depth = 0, 0
    by_hand, thinker = len(hands) > 0, state[TURN]
    while state[LEFT] != ZERO:
        cards = legal(state, game)
        sides[depth] = np.int64(side_of(game, state[TURN]))
        if policy.sign_by_depth and depth > 0:
            sides[depth] = 1 - sides[depth - 1]
        choices[depth] = cards
        holding[depth] = state[HANDS + state[TURN]] if state[TURN] != thinker else ZERO
        untried = cards & ~nodes[node].tried
        best = 0
        if untried != ZERO:
            if used == len(nodes):
                break
            if policy.first_play != np.inf:
                best = _select(nodes, node, cards, policy, roots, True)
            elif policy.ucb == AVAILABILITY or node == 0:
                _count_available(nodes, node, cards)
            if best == 0:
                card = pick(untried, next64(rng) >> S32)
                path[depth] = _expand(nodes, used, node, card)
                play(state, game, card)
                return depth + 1, used + 1
        elif by_hand and holding[depth] != ZERO:
            best = _select_by_hand(nodes, hands, holding[depth], node, cards, policy, roots)
        elif policy.proves:
            best = _select_open(nodes, node, policy, roots)
        else:
            best = _select(nodes, node, cards, policy, roots, False)
        node = best
        path[depth] = node
        depth += 1
        play(state, game, nodes[node].card)
    return depth, used


@inlined
def _expand(nodes: Nodes, used: Int, parent: Int, card: Word) -> Int:
    _clear(nodes, used, card)
    nodes[used].available = 1
    nodes[used].next = nodes[parent].first
    nodes[parent].first = np.int32(used)
    nodes[parent].tried |= card
    return used


@inlined
def _count_available(nodes: Nodes, parent: Int, cards: Word) -> None:
    child = np.int64(nodes[parent].first)
    while child != 0:
        if nodes[child].card & cards != ZERO:
            nodes[child].available += 1
        child = np.int64(nodes[child].next)


@inlined
def _select(
    nodes: Nodes,
    parent: Int,
    cards: Word,
    policy: Policy,
    roots: NDArray[np.float64],
    may_try: bool,
) -> Int:
    """The child with the highest upper bound among those whose card is legal.

    If a card may be tried that has no child yet, 0 when that is more urgent.
    """
    best: Int = 0
    best_score = -np.inf
    visits, value = 0, 0.0
    most = len(roots) - 1
    number = nodes[parent].visits if policy.ucb == PARENT else nodes[0].visits
    bonus = policy.c * roots[min(number, most)]
    child = np.int64(nodes[parent].first)
    while child != 0:
        if nodes[child].card & cards != ZERO:
            nodes[child].available += 1
            if policy.ucb == AVAILABILITY:
                bonus = policy.c * roots[min(nodes[child].available, most)]
            score = nodes[child].average + bonus * nodes[child].spread
            if score > best_score:
                best, best_score = child, score
            if may_try:
                visits += nodes[child].visits
                value += nodes[child].value
        child = np.int64(nodes[child].next)
    if may_try and visits > 0 and best_score < value / np.float64(visits) + policy.first_play:
        return 0
    return best


@compiled
def _select_by_hand(
    nodes: Nodes,
    hands: Hands,
    hand: Word,
    parent: Int,
    cards: Word,
    policy: Policy,
    roots: NDArray[np.float64],
) -> Int:
    """`_select` for a player who knows their hand."""
    best: Int = 0
    best_score = -np.inf
    most = len(roots) - 1
    number = nodes[parent].visits if policy.ucb == PARENT else nodes[0].visits
    child = np.int64(nodes[parent].first)
    while child != 0:
        if nodes[child].card & cards != ZERO:
            nodes[child].available += 1
            if policy.ucb == AVAILABILITY:
                number = nodes[child].available
            seen, value = seen_from(hands, child, hand)
            prior = min(policy.prior, np.float64(nodes[child].visits))
            visits = prior + np.float64(seen)
            if visits == 0.0:
                return child
            mean = (prior * nodes[child].average + value) / visits
            score = mean + policy.c * roots[min(number, most)] / np.sqrt(visits)
            if score > best_score:
                best, best_score = child, score
        child = np.int64(nodes[child].next)
    return best


@compiled
def read_root(nodes: Nodes, rows: NDArray[np.float64]) -> Int:
    """Put the children of the root into `rows`; how many there are.

    A row is: number of the card's bit, visits, value, availability, whether it is proven.
    """
    count = 0
    child = np.int64(nodes[0].first)
    while child != 0:
        low, high = np.float64(nodes[child].low), np.float64(nodes[child].high)
        rows[count, 0] = np.float64(ctz(nodes[child].card))
        rows[count, 1] = nodes[child].visits
        rows[count, 2] = min(max(nodes[child].average, low), high)
        rows[count, 3] = nodes[child].available
        rows[count, 4] = low == high
        count += 1
        child = np.int64(nodes[child].next)
    return count


# --- proofs ------------------------------------------------------------------------------


@compiled
def _select_open(nodes: Nodes, parent: Int, policy: Policy, roots: NDArray[np.float64]) -> Int:
    """The child with the highest upper bound among those that may still turn out best."""
    proven = -_UNBOUNDED
    child = np.int64(nodes[parent].first)
    while child != 0:
        proven = max(proven, nodes[child].low)
        child = np.int64(nodes[child].next)
    best: Int = 0
    best_score = -np.inf
    bonus = policy.c * roots[min(nodes[parent].visits, len(roots) - 1)]
    child = np.int64(nodes[parent].first)
    while child != 0:
        if nodes[child].high > proven and nodes[child].low < nodes[child].high:
            score = nodes[child].average + bonus * nodes[child].spread
            if score > best_score:
                best, best_score = child, score
        child = np.int64(nodes[child].next)
    return best


@compiled
def _prove(
    nodes: Nodes,
    path: NDArray[np.int64],
    sides: NDArray[np.int64],
    choices: Words,
    depth: Int,
    value: float,
) -> None:
    """Enter a certain value at the end of a path, and what follows from it on the way up."""
    nodes[path[depth - 1]].low = nodes[path[depth - 1]].high = np.float32(value)
    for i in range(depth - 1, -1, -1):
        parent = path[i - 1] if i > 0 else 0
        low, high = -_UNBOUNDED, -_UNBOUNDED
        child = np.int64(nodes[parent].first)
        while child != 0:
            low, high = max(low, nodes[child].low), max(high, nodes[child].high)
            child = np.int64(nodes[child].next)
        if choices[i] & ~nodes[parent].tried != ZERO:
            high = _UNBOUNDED
        if i > 0 and sides[i - 1] != sides[i]:
            low, high = -high, -low
        if nodes[parent].low == low and nodes[parent].high == high:
            return
        nodes[parent].low, nodes[parent].high = low, high


@compiled
def keep_subtree(nodes: Nodes, cards: Words, kept: Nodes) -> Int:
    """Copy what comes after `cards` have been played; how many nodes, 0 if it was never visited."""
    start: Int = np.int64(0)
    for card in cards:
        start = np.int64(nodes[start].first)
        while start != 0 and nodes[start].card != card:
            start = np.int64(nodes[start].next)
        if start == 0:
            return 0
    came_from = np.empty(len(kept), np.int64)
    kept[0] = nodes[start]
    kept[0].card, kept[0].next = ZERO, np.int32(0)
    came_from[0] = start
    used: Int = 1
    node: Int = 0
    while node < used:
        child = np.int64(nodes[came_from[node]].first)
        last: Int = np.int64(0)
        kept[node].first = np.int32(0)
        while child != 0:
            kept[used] = nodes[child]
            kept[used].next = np.int32(0)
            came_from[used] = child
            if last == 0:
                kept[node].first = np.int32(used)
            else:
                kept[last].next = np.int32(used)
            last = used
            used += 1
            child = np.int64(nodes[child].next)
        node += 1
    return used

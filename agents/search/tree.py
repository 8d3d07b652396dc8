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

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from agents.policies.pool import Pool
from agents.search.leaves import Leaves, judge_leaf
from agents.search.network import Judge, follow, set_out
from agents.search.nodes import UNBOUNDED, Nodes, Slots, child_of, expand, has_room, is_new, reset
from agents.search.observers import Hands, count_hand, seen_from
from agents.search.worlds import Worlds, deal_world
from arena.games.kernel.bits import ctz, kth_bit, popcount, prefetch
from arena.games.kernel.jit import compiled, inlined, uncounted
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
from arena.games.kernel.pointers import NUMBERS, prototype
from arena.games.kernel.rng import next64
from arena.games.kernel.step import copy_state, legal, play, side_of
from arena.games.kernel.tricks import pick
from arena.games.rulebook import note_in, open_book

GLOBAL, PARENT, AVAILABILITY = 0, 1, 2

_LINES_AHEAD = 7
"""Lines of cache, of two nodes each: most of the children that a node has."""

_MOST_CARDS = 56
"""Longer than any path: a deck has 52 cards."""


class Selection(NamedTuple):
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
    """Weight of the shared statistics, in visits, where there are statistics by hand."""
    credit: int = 0
    """The address of a function, as `call_credit` takes it, that says which side each card on the
    way to a leaf counts for; 0: the side that played it."""


call_credit = prototype(types.none, NUMBERS, types.int64)
"""Calls `credit(sides, depth)`, which may write the sides of the first `depth` cards anew."""


def grow(
    nodes: Nodes,
    hands: Hands,
    simulations: Int,
    root: Words,
    game: Words,
    worlds: Worlds,
    policy: Selection,
    leaves: Leaves,
    judge: Judge | None,
    scales: NDArray[np.float64],
    rng: Words,
) -> None:
    """`grow_tree`, for Python: without a judge it hands tuples over field by field.

    To find out the types of tuples, for every call again, takes numba three times as long as all
    else that it does before compiled code begins.
    """
    if judge is not None:
        grow_tree(nodes, hands, simulations, root, game, worlds, policy, leaves, judge, scales, rng)
        return
    _grow(
        *nodes, *worlds[:-1], *worlds.pool, *policy, *leaves, hands, simulations, root, game,
        scales, rng,
    )  # fmt: skip


_NODES = len(Nodes._fields)
_WORLDS = _NODES + len(Worlds._fields) - 1
_POOL = _WORLDS + len(Pool._fields)
_POLICY = _POOL + len(Selection._fields)
_LEAVES = _POLICY + len(Leaves._fields)
"""Where each of the tuples ends among the fields."""


@compiled
def _grow(*fields: Any) -> None:
    kind, sampler, first, second, odds, share = fields[_NODES:_WORLDS]
    worlds = Worlds(kind, sampler, first, second, odds, share, Pool(*fields[_WORLDS:_POOL]))
    hands, simulations, root, game, scales, rng = fields[_LEAVES:]
    grow_tree(
        Nodes(*fields[:_NODES]), hands, simulations, root, game, worlds,
        Selection(*fields[_POOL:_POLICY]), Leaves(*fields[_POLICY:_LEAVES]), None, scales, rng,
    )  # fmt: skip


@compiled
def grow_tree(
    nodes: Nodes,
    hands: Hands,
    simulations: Int,
    root: Words,
    game: Words,
    worlds: Worlds,
    policy: Selection,
    leaves: Leaves,
    judge: Judge | None,
    scales: NDArray[np.float64],
    rng: Words,
) -> None:
    """Add simulations to a tree, new or begun before.

    When there is no room left, simulations go on without new nodes. `scales` is
    `decision.scales_upto`. If `hands` has any room, the other players decide by their own cards.
    """
    way = Way(
        np.empty(_MOST_CARDS, np.uint64),
        np.empty(_MOST_CARDS, np.uint64),
        np.empty(_MOST_CARDS, np.int64),
        np.empty(_MOST_CARDS, np.uint64),
        np.empty(_MOST_CARDS, np.uint64),
    )
    room = SimulationWorkspace(
        np.empty(STATE_WORDS, np.uint64),
        np.empty(STATE_WORDS, np.uint64),
        np.empty(4, np.int64),
        np.empty(4, np.float64),
        np.empty(4, np.float64),
    )
    copy_state(root, room.world)
    if is_new(nodes):
        reset(nodes)
    _simulate(
        nodes, hands, simulations, game, worlds, policy, leaves, judge, scales, rng, way, room
    )


class SimulationWorkspace(NamedTuple):
    """Scratch buffers of a simulation."""

    world: Words
    state: Words
    scores: NDArray[np.int64]
    values: NDArray[np.float64]
    sums: NDArray[np.float64]


@uncounted
def _simulate(
    nodes: Nodes,
    hands: Hands,
    simulations: Int,
    game: Words,
    worlds: Worlds,
    policy: Selection,
    leaves: Leaves,
    judge: Judge | None,
    scales: NDArray[np.float64],
    rng: Words,
    way: Way,
    room: SimulationWorkspace,
) -> None:
    """The simulations of `grow`."""
    slots, state, sums = nodes.slots, room.state, room.sums
    by_hand = len(hands) > 0
    for _ in range(simulations):
        deal_world(worlds, rng, room.world)
        copy_state(room.world, state)
        depth = _descend(nodes, hands, state, game, policy, scales, rng, way)
        if policy.credit != 0:
            call_credit(np.uint64(policy.credit), way.sides, depth)
        open_book(leaves.book)
        for i in range(depth):
            note_in(leaves.book, way.cards[i])
        if judge is not None:
            set_out(judge)
            for i in range(depth):
                follow(judge, way.cards[i])
        is_certain = state[LEFT] <= ONE  # the last trick plays itself
        judge_leaf(state, game, leaves, judge, rng, room.scores, room.values, sums)
        slots[0].visits += 1
        for i in range(depth):
            node, value = way.path[i], sums[way.sides[i]]
            slots[node].visits += 1
            slots[node].value += value
            if by_hand and way.holding[i] != ZERO:
                count_hand(hands, slots[node].number, way.holding[i], value)
        if policy.proves and is_certain and depth > 0:
            _prove(nodes, way, depth, sums[way.sides[depth - 1]])
            if nodes.bounds[0, 0] == nodes.bounds[0, 1]:
                break


class Way(NamedTuple):
    """From the root to a leaf, card by card."""

    path: Words
    """The node of each card."""
    cards: Words
    sides: NDArray[np.int64]
    """The seat that played it."""
    choices: Words
    """All cards that were legal, where values are proven."""
    holding: Words
    """The hand that it was played from, where hands count; 0 for the searching seat."""


@inlined
def _descend(
    nodes: Nodes,
    hands: Hands,
    state: Words,
    game: Words,
    policy: Selection,
    scales: NDArray[np.float64],
    rng: Words,
    way: Way,
) -> Int:
    """Play cards by the tree, then one that is new to it; the length of the way."""
    slots, node, depth = nodes.slots, ZERO, 0
    by_hand, thinker = len(hands) > 0, state[TURN]
    while state[LEFT] != ZERO:
        cards = legal(state, game)
        way.sides[depth] = np.int64(side_of(game, state[TURN]))
        if policy.proves:
            way.choices[depth] = cards
        if by_hand:
            way.holding[depth] = state[HANDS + state[TURN]] if state[TURN] != thinker else ZERO
        tried = slots[node].tried
        untried = cards & ~tried
        best = ZERO
        if untried != ZERO:
            if not has_room(nodes):
                break
            if policy.first_play != np.inf:
                best = _select(slots, node, cards & tried, policy, scales, True)
            elif policy.ucb == AVAILABILITY or node == ZERO:
                _count_available(slots, node, cards & tried)
            if best == ZERO:
                card = pick(untried, next64(rng) >> S32)
                way.path[depth] = expand(nodes, node, card)
                way.cards[depth] = card
                play(state, game, card)
                return depth + 1
        elif by_hand and way.holding[depth] != ZERO:
            best = _select_by_hand(slots, hands, way.holding[depth], node, cards, policy, scales)
        elif policy.proves:
            best = _select_open(nodes, node, policy, scales)
        elif cards & (cards - ONE) == ZERO:
            best = child_of(np.uint64(slots[node].children), tried, cards)
            slots[best].available += 1
        else:
            best = _select(slots, node, cards, policy, scales, False)
        card = kth_bit(tried, best - np.uint64(slots[node].children))
        node = best
        # They are looked at after the card has been played: until then there is time to load them.
        ahead = np.uint64(slots[node].children)
        for line in range(_LINES_AHEAD):
            prefetch(slots, ahead + np.uint64(2 * line))
        way.path[depth] = node
        way.cards[depth] = card
        depth += 1
        play(state, game, card)
    return depth


@inlined
def _count_available(slots: Slots, parent: Word, cards: Word) -> None:
    first, tried = np.uint64(slots[parent].children), slots[parent].tried
    while cards != ZERO:
        slots[child_of(first, tried, cards)].available += 1
        cards &= cards - ONE


@inlined
def _select(
    slots: Slots,
    parent: Word,
    cards: Word,
    policy: Selection,
    scales: NDArray[np.float64],
    may_try: bool,
) -> Word:
    """The child with the highest upper bound among those of some cards, the newest of equals.

    If a card may be tried that has no child yet, 0 when that is more urgent.
    """
    best, best_score = ZERO, -np.inf
    visits, value = np.int64(0), 0.0
    number = slots[parent].visits if policy.ucb == PARENT else slots[0].visits
    bonus = policy.c * _root_of_log(scales, number)
    first, tried = np.uint64(slots[parent].children), slots[parent].tried
    while cards != ZERO:
        child = child_of(first, tried, cards)
        cards &= cards - ONE
        available = slots[child].available + 1
        slots[child].available = available
        if policy.ucb == AVAILABILITY:
            bonus = policy.c * _root_of_log(scales, available)
        score = _mean(slots, child) + bonus * _spread(scales, slots[child].visits)
        # Which is best the CPU cannot foresee, so there is no branch; equals are rare.
        if score == best_score and slots[child].number > slots[best].number:
            best = child
        best = child if score > best_score else best
        best_score = score if score > best_score else best_score
        if may_try:
            visits += slots[child].visits
            value += slots[child].value
    if may_try and visits > 0 and best_score < value / np.float64(visits) + policy.first_play:
        return ZERO
    return best


@inlined
def _mean(slots: Slots, node: Word) -> float:
    return float(slots[node].value / np.float64(slots[node].visits))


@inlined
def _root_of_log(scales: NDArray[np.float64], number: Int) -> float:
    return float(scales[0, np.uint64(min(np.int64(number), scales.shape[1] - 1))])


@inlined
def _spread(scales: NDArray[np.float64], visits: Int) -> float:
    """1 / sqrt(visits)."""
    if visits < scales.shape[1]:
        return float(scales[1, np.uint64(visits)])
    return float(1.0 / np.sqrt(np.float64(visits)))


@uncounted
def _select_by_hand(
    slots: Slots,
    hands: Hands,
    hand: Word,
    parent: Word,
    cards: Word,
    policy: Selection,
    scales: NDArray[np.float64],
) -> Word:
    """`_select` for a player who knows their hand; a card never played from it comes first."""
    first, tried = np.uint64(slots[parent].children), slots[parent].tried
    number = slots[parent].visits if policy.ucb == PARENT else slots[0].visits
    best, best_score, best_number = ZERO, -np.inf, np.int64(-1)
    left = cards
    while left != ZERO:
        child = child_of(first, tried, left)
        left &= left - ONE
        if policy.ucb == AVAILABILITY:
            number = slots[child].available + 1
        seen, value = seen_from(hands, slots[child].number, hand)
        prior = min(policy.prior, np.float64(slots[child].visits))
        visits = prior + np.float64(seen)
        score = np.inf
        if visits > 0.0:
            mean = (prior * _mean(slots, child) + value) / visits
            score = mean + policy.c * _root_of_log(scales, number) / np.sqrt(visits)
        born = np.int64(slots[child].number)
        if score > best_score or (score == best_score and born > best_number):
            best, best_score, best_number = child, score, born
    while cards != ZERO:
        child = child_of(first, tried, cards)
        cards &= cards - ONE
        # What is older than a card never played from the hand was not weighed against it.
        if best_score < np.inf or slots[child].number >= best_number:
            slots[child].available += 1
    return best


@uncounted
def read_root(
    slots: Slots,
    bounds: NDArray[np.float32],
    to_cards: NDArray[np.uint8],
    counts: NDArray[np.int64],
    values: NDArray[np.float64],
) -> Int:
    """Read the children of the root, in ascending order of their cards; how many there are.

    The rows of `counts` are: card, visits, availability, whether its value is proven, and the
    number of the node. Means are clipped to the proven bounds.
    """
    left = slots[0].tried
    child = np.uint64(slots[0].children)
    count = 0
    while left != ZERO:
        card, number = np.int64(to_cards[ctz(left)]), slots[child].number
        place = count
        while place > 0 and counts[0, place - 1] > card:
            for row in range(len(counts)):
                counts[row, place] = counts[row, place - 1]
            values[place] = values[place - 1]
            place -= 1
        counts[0, place] = card
        counts[1, place] = slots[child].visits
        counts[2, place] = slots[child].available
        counts[3, place] = len(bounds) > 0 and bounds[number, 0] == bounds[number, 1]
        counts[4, place] = number
        values[place] = _known_mean(slots, bounds, child)
        child += ONE
        count += 1
        left &= left - ONE
    return count


@uncounted
def best_child(
    slots: Slots, bounds: NDArray[np.float32], to_cards: NDArray[np.uint8], by_visits: bool
) -> Int:
    """The root's card with most visits, or the best mean; the other decides ties, then the lowest
    card."""
    left = slots[0].tried
    child = np.uint64(slots[0].children)
    best = np.int64(-1)
    most, highest = np.int64(0), -np.inf
    while left != ZERO:
        card, visits = np.int64(to_cards[ctz(left)]), np.int64(slots[child].visits)
        value = _known_mean(slots, bounds, child)
        if visits == most and value == highest:
            better = bool(card < best)
        elif by_visits:
            better = bool(visits > most or (visits == most and value > highest))
        else:
            better = bool(value > highest or (value == highest and visits > most))
        if better and visits > 0:
            best, most, highest = card, visits, value
        child += ONE
        left &= left - ONE
    return best


@inlined
def _known_mean(slots: Slots, bounds: NDArray[np.float32], node: Word) -> float:
    """A mean, clipped to the proven bounds."""
    mean, number = _mean(slots, node), slots[node].number
    if len(bounds) > 0:
        mean = min(max(mean, np.float64(bounds[number, 0])), np.float64(bounds[number, 1]))
    return float(mean)


# --- proofs ------------------------------------------------------------------------------


@uncounted
def _select_open(
    nodes: Nodes, parent: Word, policy: Selection, scales: NDArray[np.float64]
) -> Word:
    """The child with the highest upper bound among those that may still turn out best."""
    slots, bounds = nodes.slots, nodes.bounds
    proven = -UNBOUNDED
    first, count = np.uint64(slots[parent].children), popcount(slots[parent].tried)
    for i in range(count):
        proven = max(proven, bounds[slots[first + np.uint64(i)].number, 0])
    best, best_score, best_number = ZERO, -np.inf, np.int64(-1)
    bonus = policy.c * _root_of_log(scales, slots[parent].visits)
    for i in range(count):
        child = first + np.uint64(i)
        born = np.int64(slots[child].number)
        low, high = bounds[born, 0], bounds[born, 1]
        if high > proven and low < high:
            score = _mean(slots, child) + bonus * _spread(scales, slots[child].visits)
            if score > best_score or (score == best_score and born > best_number):
                best, best_score, best_number = child, score, born
    return best


@uncounted
def _prove(nodes: Nodes, way: Way, depth: Int, value: float) -> None:
    """Enter a certain value at the end of a way, and what follows from it on the way up."""
    slots, bounds = nodes.slots, nodes.bounds
    end = slots[way.path[depth - 1]].number
    bounds[end, 0] = bounds[end, 1] = np.float32(value)
    for i in range(depth - 1, -1, -1):
        parent = way.path[i - 1] if i > 0 else ZERO
        low, high = -UNBOUNDED, -UNBOUNDED
        first = np.uint64(slots[parent].children)
        for j in range(popcount(slots[parent].tried)):
            child = slots[first + np.uint64(j)].number
            low, high = max(low, bounds[child, 0]), max(high, bounds[child, 1])
        if way.choices[i] & ~slots[parent].tried != ZERO:
            high = UNBOUNDED
        if i > 0 and way.sides[i - 1] != way.sides[i]:
            low, high = -high, -low
        here = slots[parent].number
        if bounds[here, 0] == low and bounds[here, 1] == high:
            return
        bounds[here, 0], bounds[here, 1] = low, high

"""A best response: only the one who thinks searches; the others play as a policy says.

In a tree over all worlds the others choose without seeing their own hands, and as well as they
can learn to. Here they are taken as they are: in the tree and in playouts their cards are drawn
from a policy, each from their own hand. So the tree has nodes for the thinker's decisions only,
or for those of the partner as well. What a player knows at a node, a hand and all cards played, is
the same in every world that leads to it, and so are the legal cards: no card is ever unavailable.

A node is found by a hash of the cards played since the root, and of the hand if it is not the
thinker's. It has a place for each card, by its order in the hand that its player has at the root.

The cards at the root are compared in the same worlds and with the same luck: whichever card has its
n-th turn, the world is the n-th of a sequence that goes evenly through the pool, and the k-th card
played after it is drawn by the same number. So a card is not the best for having met kinder worlds
or weaker play. (Common random numbers, and the additive recurrence of the golden ratio.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.policies.features import Deck, points_of, points_of_card, see
from agents.policies.pool import world_at
from agents.policies.tables import Factors, draw_in
from agents.search.leaves import Leaves, values_of
from agents.search.worlds import POOLED, Worlds, deal_number, deal_world
from arena.games.kernel import dispatch
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import compiled, inlined, uncounted
from arena.games.kernel.layout import (
    BEST,
    DECK,
    DECLARER,
    HANDS,
    HOLDER,
    KIND,
    LAST_TRICK,
    LED,
    LEFT,
    ONE,
    ONE_TRICK,
    OPENED,
    OWN,
    PLAYED,
    RULE,
    SIDE_OF,
    STATE_WORDS,
    STEP,
    TABLE,
    TAKEN,
    THREE,
    TRICKS,
    TRUMPS,
    TURN,
    TWO,
    ZERO,
    Int,
    Word,
    Words,
)
from arena.games.kernel.rng import advance, mix
from arena.games.kernel.step import copy_state, legal, side_in, suit_bits_of

MOST_DECISIONS = 32
"""Longer than any path: two players may search."""
_NODE = np.uint64(0xFFFFFF)
"""The part of a slot that is the number of a node; the rest is of its hash."""
_ROOT = 1
_MEAN, _SPREAD = 0, 1
_GOLDEN = 0.6180339887498949


class Others(NamedTuple):
    """How all cards are played that are not searched for."""

    deck: Deck
    factors: Factors
    """A row of tables for each type, sharpened."""
    by_type: bool
    """Whether seats play as their types do in a world, or all as the first type."""
    searching: Words
    """A bit for each seat that searches for its cards."""


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
def count_visit(plan: Plan, node: Int, at: Int, value: np.float32) -> None:
    visits = plan.visits[node, at] + 1
    plan.visits[node, at] = visits
    plan.visits[node, plan.visits.shape[1] - 1] += 1
    number = np.float32(visits)
    plan.scores[node, at, _MEAN] += (value - plan.scores[node, at, _MEAN]) / number
    plan.scores[node, at, _SPREAD] = np.float32(1.0) / np.sqrt(number)


@uncounted
def enter(
    plan: Plan,
    used: Int,
    key: Word,
    cards: Word,
    hand: Word,
    c: float,
    roots: NDArray[np.float64],
) -> tuple[Int, Int, Word, Word]:
    """Come to a decision that is searched for.

    Its node, 0 if there is no room for one; how many nodes there are now; the card to play, 0 if
    the policy is to draw it; and the cards to draw from.
    """
    slot = _slot(plan, key)
    node = np.int64(plan.slots[slot] & _NODE)
    if node == 0:
        if used < len(plan.visits):
            node = used
            used += 1
            plan.slots[slot] = key & ~_NODE | np.uint64(node)
        return node, used, ZERO, cards
    card = _select(plan, node, cards, hand, c, roots)
    if card == ZERO:
        cards = _untried(plan, node, cards, hand)
        if cards & (cards - ONE) == ZERO:
            card = cards
    return node, used, card, cards


@inlined
def next_world(
    plan: Plan,
    used: Int,
    root: Words,
    cards: Word,
    worlds: Worlds,
    c: float,
    roots: NDArray[np.float64],
    luck: Word,
    rng: Words,
    world: Words,
) -> Int:
    """Deal the world of a simulation, by how often the card was tried that it is going to try.

    The numbers of `rng` are then those of this turn; `luck` is what they are made of.
    """
    turns: Int = 0
    if used > _ROOT:
        hand = root[HANDS + root[TURN]]
        card = _select(plan, _ROOT, cards, hand, c, roots)
        if card != ZERO:
            turns = np.int64(plan.visits[_ROOT, np.int64(popcount(hand & (card - ONE)))])
    rng[0] = mix(luck ^ mix(np.uint64(turns)))
    if worlds.kind != POOLED:
        return deal_world(worlds, rng, world)
    share = 0.5 + _GOLDEN * np.float64(turns)
    number = world_at(worlds.pool, share - np.floor(share))
    deal_number(worlds.pool, number, world)
    return number


class ResponseWorkspace(NamedTuple):
    """Scratch buffers of simulations."""

    world: Words
    state: Words
    voids: Words
    nodes: NDArray[np.int64]
    """The nodes on the way, and the places of their cards."""
    places: NDArray[np.int64]
    weights: NDArray[np.float64]
    values: NDArray[np.float64]
    scores: NDArray[np.int64]


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
    room = ResponseWorkspace(
        root.copy(),
        np.empty(STATE_WORDS, np.uint64),
        np.empty(4, np.uint64),
        np.empty(MOST_DECISIONS, np.int64),
        np.empty(MOST_DECISIONS, np.int64),
        np.empty(64, np.float64),
        np.empty(4, np.float64),
        np.empty(4, np.int64),
    )
    return _simulate(
        plan, used, simulations, root, root_voids, game, worlds, others, c, leaves, side, roots,
        rng, room,
    )  # fmt: skip


# What changes with every card is kept in locals, as playouts do: by the step API, which writes
# all of it to a state, a simulation takes twice as long.
@uncounted
def _simulate(
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
    room: ResponseWorkspace,
) -> Int:
    """The simulations of `respond`."""
    world, state, voids, nodes, places, weights, values, scores = room
    deck, factors, by_type = others.deck, others.factors, others.by_type
    thinker, searching, declarer = root[TURN], others.searching[0], root[DECLARER]
    kinds = worlds.pool.kinds
    kind, rule, trumps, step = game[KIND], game[RULE], game[TRUMPS], game[STEP]
    all_tricks, sides, last, first_parameter = (
        game[TRICKS],
        game[SIDE_OF],
        game[LAST_TRICK],
        game[OWN],
    )
    first_unplayed = game[DECK]
    for i in range(4):
        first_unplayed &= ~root[PLAYED + np.uint64(i)]
    first_place = np.int64(popcount(root[TABLE]))
    first_points = points_of(root[TABLE], deck)
    root_cards, luck = legal(root, game), mix(rng[0])
    for _ in range(simulations):
        number = next_world(plan, used, root, root_cards, worlds, c, roots, luck, rng, world)
        copy_state(world, state)
        if dispatch.can_score_ahead(kind, game):
            dispatch.score_ahead(kind, state, game)
        for i in range(4):
            voids[i] = root_voids[i]
        seed = rng[0]
        key, depth, in_tree = ONE, 0, True
        unplayed, points = first_unplayed, first_points
        place: Int = first_place
        table, led, best, holder = state[TABLE], state[LED], state[BEST], state[HOLDER]
        seat, left, opened = state[TURN], state[LEFT], state[OPENED]
        while left != ZERO:
            hand = state[HANDS + seat]
            partner_holds = side_in(sides, holder) == side_in(sides, seat)
            if place == 0:
                cards = dispatch.leading(kind, rule, game, hand, left == all_tricks, opened)
            else:
                cards = dispatch.following(
                    kind, rule, game, trumps, hand, table, led, best, partner_holds,
                    left == all_tricks,
                )  # fmt: skip
            card = cards
            seed = advance(seed)
            if cards & (cards - ONE) != ZERO:
                row = np.uint64(kinds[number, np.int64(seat)]) if by_type else ZERO
                node: Int = 0
                card = ZERO
                at_root = world[HANDS + seat]
                if in_tree and searching >> seat & ONE != ZERO:
                    row = ZERO
                    own_key = key if seat == thinker else mix(key ^ at_root) | ONE
                    before = used
                    node, used, card, cards = enter(plan, used, own_key, cards, at_root, c, roots)
                    in_tree = node != 0 and used == before
                if card == ZERO:
                    scene = see(
                        hand, unplayed, table, led, best, trumps, place, partner_holds,
                        voids[(seat + step) & THREE], voids[(seat + TWO) & THREE],
                        voids[(seat - step) & THREE],
                        np.int64(((declarer - seat) * step) & THREE), np.int64(left) - 1, points,
                        deck,
                    )  # fmt: skip
                    card = draw_in(scene, deck, factors, row, cards, weights, mix(seed))
                if node != 0:
                    nodes[depth] = node
                    places[depth] = np.int64(popcount(at_root & (card - ONE)))
                    depth += 1
            if in_tree:
                key = mix(key ^ card) | ONE
            state[HANDS + seat] = hand ^ card
            unplayed ^= card
            if place == 0:
                led = suit_bits_of(card)
            elif card & led == ZERO:
                voids[seat] |= led
            if card & (led | trumps) > best:
                best, holder = card, seat
            table |= card
            points += points_of_card(card, deck)
            place += 1
            seat = (seat + step) & THREE
            if place == 4:
                left -= ONE
                value = dispatch.trick_value(kind, game, first_parameter, table) + ONE_TRICK
                if left == ZERO:
                    value += last
                opened |= dispatch.opens(kind, game, table, holder)
                state[TAKEN + side_in(sides, holder)] += value
                seat = holder
                place, points = 0, 0
                table = led = best = ZERO
        state[LEFT], state[TURN], state[OPENED] = left, seat, opened
        rng[0] = seed
        values_of(state, game, leaves, scores, values)
        for i in range(depth):
            count_visit(plan, nodes[i], places[i], np.float32(values[side]))
    return used

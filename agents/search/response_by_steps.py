"""A best response to others that play by networks or rules, not by tables.

The same search as `best_response`, but every card is played on a state of the kernel, and the
observations and the book of the others' rules are kept with it. That takes longer, but less
than asking a network or the rules for a card.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.policies.kinds import Style, draw_by, open_voids, watch_in
from agents.search.best_response import MOST_DECISIONS, Plan, count_visit, enter, next_world
from agents.search.leaves import Leaves, values_of
from agents.search.worlds import Worlds
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import compiled, uncounted
from arena.games.kernel.layout import (
    HANDS,
    LEFT,
    ONE,
    STATE_WORDS,
    TURN,
    ZERO,
    Int,
    Words,
)
from arena.games.kernel.rng import mix
from arena.games.kernel.step import copy_state, legal, play
from arena.games.observation import SEEN_WORDS, notice
from arena.games.rulebook import note_in, open_book


class StepsWorkspace(NamedTuple):
    """Scratch buffers of simulations."""

    world: Words
    state: Words
    seen: Words
    nodes: NDArray[np.int64]
    places: NDArray[np.int64]
    values: NDArray[np.float64]
    scores: NDArray[np.int64]


@compiled
def respond_by_steps(
    plan: Plan,
    used: Int,
    simulations: Int,
    root: Words,
    seen: Words,
    game: Words,
    worlds: Worlds,
    style: Style,
    searching: Words,
    c: float,
    leaves: Leaves,
    side: Int,
    roots: NDArray[np.float64],
    rng: Words,
) -> Int:
    """`best_response.respond`, the others playing in a `style`.

    `seen` is what there was to notice until now, `searching` a bit for each seat that searches.
    """
    room = StepsWorkspace(
        root.copy(),
        np.empty(STATE_WORDS, np.uint64),
        np.empty(SEEN_WORDS, np.uint64),
        np.empty(MOST_DECISIONS, np.int64),
        np.empty(MOST_DECISIONS, np.int64),
        np.empty(4, np.float64),
        np.empty(4, np.int64),
    )
    return _simulate(
        plan, used, simulations, root, seen, game, worlds, style, searching, c, leaves, side,
        roots, rng, room,
    )  # fmt: skip


@uncounted
def _simulate(
    plan: Plan,
    used: Int,
    simulations: Int,
    root: Words,
    root_seen: Words,
    game: Words,
    worlds: Worlds,
    style: Style,
    searching: Words,
    c: float,
    leaves: Leaves,
    side: Int,
    roots: NDArray[np.float64],
    rng: Words,
    room: StepsWorkspace,
) -> Int:
    """The simulations of `respond_by_steps`."""
    world, state, seen, nodes, places, values, scores = room
    thinker, root_cards, luck = root[TURN], legal(root, game), mix(rng[0])
    for _ in range(simulations):
        next_world(plan, used, root, root_cards, worlds, c, roots, luck, rng, world)
        copy_state(world, state)
        for i in range(SEEN_WORDS):
            seen[i] = root_seen[i]
        open_book(style.book)
        open_voids(style.by_seat)
        key, depth, in_tree = ONE, 0, True
        while state[LEFT] != ZERO:
            cards = legal(state, game)
            card = cards
            seat = state[TURN]
            if cards & (cards - ONE) != ZERO:
                node: Int = 0
                card, among = ZERO, cards
                at_root = world[HANDS + seat]
                if in_tree and searching[0] >> seat & ONE != ZERO:
                    own_key = key if seat == thinker else mix(key ^ at_root) | ONE
                    before = used
                    node, used, card, among = enter(plan, used, own_key, cards, at_root, c, roots)
                    in_tree = node != 0 and used == before
                if card == ZERO:
                    card = draw_by(style, state, game, seen, cards, among, rng)
                if node != 0:
                    nodes[depth] = node
                    places[depth] = np.int64(popcount(at_root & (card - ONE)))
                    depth += 1
            if in_tree:
                key = mix(key ^ card) | ONE
            note_in(style.book, card)
            watch_in(style.by_seat, state, card)
            notice(state, game, seen, card)
            play(state, game, card)
        values_of(state, game, leaves, scores, values)
        for i in range(depth):
            count_visit(plan, nodes[i], places[i], np.float32(values[side]))
    return used

"""One tree for each sampled world, and a vote of the trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.leaves import Leaves
from agents.search.network import Judge
from agents.search.nodes import Nodes, reset
from agents.search.observers import Hands
from agents.search.tree import Selection, grow_tree
from agents.search.worlds import KNOWN, Worlds, deal_world
from arena.games.kernel.bits import ctz
from arena.games.kernel.jit import compiled, uncounted
from arena.games.kernel.layout import ONE, STATE_WORDS, ZERO, Int, Words
from arena.games.kernel.step import copy_state


class Ballots(NamedTuple):
    """What the trees say about each card, by the number of its bit."""

    visits: NDArray[np.float64]
    """Summed over trees."""
    values: NDArray[np.float64]
    """Sums over all visits."""
    chosen: NDArray[np.float64]
    """How many trees visited it most."""
    chosen_means: NDArray[np.float64]
    """Sum of its means over those trees."""
    seen: NDArray[np.float64]
    """In how many trees it is."""

    @classmethod
    def empty(cls) -> Ballots:
        """Before the first tree."""
        return cls(*(np.zeros(64) for _ in range(5)))


@compiled
def poll(
    nodes: Nodes,
    no_hands: Hands,
    trees: Int,
    simulations: Int,
    root: Words,
    game: Words,
    worlds: Worlds,
    policy: Selection,
    leaves: Leaves,
    judge: Judge | None,
    scales: NDArray[np.float64],
    rng: Words,
    ballots: Ballots,
) -> None:
    """Grow a tree in each of `trees` worlds and count its ballot."""
    world = np.empty(STATE_WORDS, np.uint64)
    copy_state(root, world)
    known = Worlds(
        KNOWN, worlds.sampler, worlds.first, worlds.second, worlds.odds, worlds.share, worlds.pool
    )
    for _ in range(trees):
        deal_world(worlds, rng, world)
        reset(nodes)
        grow_tree(
            nodes, no_hands, simulations, world, game, known, policy, leaves, judge, scales, rng
        )
        tally(nodes, ballots)


@uncounted
def tally(nodes: Nodes, ballots: Ballots) -> None:
    """Count the ballot of one tree.

    Between equals the card with the better mean is chosen, then the one tried last.
    """
    slots, cards = nodes.slots, nodes.slots[0].tried
    child = np.uint64(slots[0].children)
    best, best_mean = np.uint64(0), -np.inf
    best_visits, best_number = np.int64(0), np.int64(0)
    while cards != ZERO:
        card = ctz(cards)
        visits, number = np.int64(slots[child].visits), np.int64(slots[child].number)
        mean = slots[child].value / np.float64(visits)
        ballots.seen[card] += 1.0
        ballots.visits[card] += np.float64(visits)
        ballots.values[card] += slots[child].value
        if (visits, mean, number) > (best_visits, best_mean, best_number):
            best, best_visits, best_mean, best_number = card, visits, mean, number
        cards &= cards - ONE
        child += ONE
    ballots.chosen[best] += 1.0
    ballots.chosen_means[best] += best_mean

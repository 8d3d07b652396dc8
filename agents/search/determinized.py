"""One tree for each sampled world, and a vote of the trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search.leaves import Leaves
from agents.search.network import Judge
from agents.search.observers import Hands
from agents.search.tree import Nodes, Policy, grow, reset
from agents.search.worlds import KNOWN, Worlds, deal_world
from arena.games.kernel.bits import ctz
from arena.games.kernel.jit import compiled
from arena.games.kernel.layout import STATE_WORDS, Int, Words
from arena.games.kernel.step import copy_state

__all__ = ["Ballots", "poll", "tally"]


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
    policy: Policy,
    leaves: Leaves,
    judge: Judge,
    roots: NDArray[np.float64],
    rng: Words,
    ballots: Ballots,
) -> None:
    """Grow a tree in each of `trees` worlds and count its ballot."""
    world = np.empty(STATE_WORDS, np.uint64)
    copy_state(root, world)
    known = Worlds(KNOWN, worlds.first, worlds.second, worlds.odds, worlds.share, worlds.pool)
    for _ in range(trees):
        deal_world(worlds, rng, world)
        reset(nodes)
        grow(nodes, no_hands, 1, simulations, world, game, known, policy, leaves, judge, roots, rng)
        tally(nodes, ballots)


@compiled
def tally(nodes: Nodes, ballots: Ballots) -> None:
    """Count the ballot of one tree. Between equals the card with the better mean is chosen."""
    best, best_mean = np.uint64(0), -np.inf
    best_visits: Int = 0
    child = np.int64(nodes[0].first)
    while child != 0:
        card = ctz(nodes[child].card)
        visits = np.int64(nodes[child].visits)
        mean = nodes[child].value / np.float64(visits)
        ballots.seen[card] += 1.0
        ballots.visits[card] += np.float64(visits)
        ballots.values[card] += nodes[child].value
        if visits > best_visits or (visits == best_visits and mean > best_mean):
            best, best_visits, best_mean = card, visits, mean
        child = np.int64(nodes[child].next)
    ballots.chosen[best] += 1.0
    ballots.chosen_means[best] += best_mean

"""Determinized Monte Carlo tree search: one tree per sampled world, then a vote."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.search.decision import CardStatistics, least_value, scales_upto, spend
from agents.search.determinized import Ballots, poll, tally
from agents.search.nodes import give_up, new_nodes, reset
from agents.search.observers import NO_HANDS
from agents.search.tree import grow
from agents.search.worlds import Worlds, deal_world, known_worlds
from agents.searchers.tree_search import TreeQuestion, TreeSearch
from arena.core.agent import parameter
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.kernel.spec import KernelGame

Vote: TypeAlias = Literal["visits", "value", "count-times-mean", "count"]

_MOST_NODES = 1 << 18
"""A tree with a time budget stops growing here, but not searching."""


@dataclass(frozen=True, kw_only=True)
class Dmcts(TreeSearch):
    """Samples worlds, grows a tree in each as if all cards were known, and lets the trees vote.

    Source: the I-DMCTS (`worlds` x `iterations`) and T-DMCTS (`worlds_per_trick: 15`,
    `budget`, `vote: count-times-mean`, `rollouts: 2`, `c: 1.4142`, `value: own-points`) of
    Niklaus 2019, chapters 9 and 13. Differs: worlds are drawn exactly, and each has its
    share of the time. Bids by Monte Carlo unless the configuration names a bidder;
    passes cards as `rule` does.

    `vote`: most visits in all trees; best mean over all visits; how often a tree chose the
    card times the average of its means there, counted from the least possible value (own
    points are, as published, so that being chosen more often is never a disadvantage); or
    how often a tree chose it.
    """

    worlds: int = parameter(25, help="worlds per decision", at_least=1)
    worlds_per_trick: int | None = parameter(
        None, help="worlds for each trick that is left, instead of `worlds`", at_least=1
    )
    iterations: int = parameter(100, help="simulations in the tree of a world", at_least=1)
    vote: Vote = parameter("visits", help="how the trees agree on a card")

    def search_all(self, view: View, rng: Rng) -> tuple[Action, dict[Action, CardStatistics]]:
        """The card that the trees vote for; visits, mean value and number of trees of each."""
        question = self.question(view, rng)
        game, ballots = question.game, self.search(view, question)
        worst = least_value(view.rules, self.value)
        return elected(game, ballots, self.vote, worst), ballot_statistics(game, ballots)

    def search(self, view: View, question: TreeQuestion) -> Ballots:
        """The ballots of this decision's trees."""
        worlds = self.worlds_of(question)
        trees = self.worlds
        if self.worlds_per_trick is not None:
            trees = self.worlds_per_trick * (view.rules.hand_size - len(view.tricks))
        if self.budget is not None:
            end = question.began + self.budget.milliseconds / 1000
            return self._by_the_clock(question, worlds, trees, end)
        nodes, scales = new_nodes(self.iterations), scales_upto(self.iterations)
        ballots = Ballots.empty()
        poll(
            nodes, NO_HANDS, trees, self.iterations, question.root, question.game.words, worlds,
            question.selection, question.leaves, question.judge, scales, question.seed, ballots,
        )  # fmt: skip
        give_up(nodes)
        return ballots

    def _by_the_clock(
        self, question: TreeQuestion, worlds: Worlds, trees: int, end: float
    ) -> Ballots:
        nodes, scales = new_nodes(_MOST_NODES), scales_upto(_MOST_NODES)
        known, world = known_worlds(), question.root.copy()
        game, seed = question.game.words, question.seed

        def simulate(simulations: int) -> None:
            grow(
                nodes, NO_HANDS, simulations, world, game, known, question.selection,
                question.leaves, question.judge, scales, seed,
            )  # fmt: skip

        ballots = Ballots.empty()
        for left in range(trees, 0, -1):
            deal_world(worlds, seed, world)
            reset(nodes)
            now = perf_counter()
            spend(now + (end - now) / left, simulate)
            tally(nodes, ballots)
        give_up(nodes)
        return ballots


def _means(ballots: Ballots) -> NDArray[np.float64]:
    means = np.full(64, -np.inf)
    np.divide(ballots.values, ballots.visits, out=means, where=ballots.visits > 0)
    return means


_RESULTS: dict[Vote, Callable[[Ballots], NDArray[np.float64]]] = {
    "visits": lambda ballots: ballots.visits,
    "value": _means,
    "count-times-mean": lambda ballots: np.where(ballots.chosen > 0, ballots.chosen_means, -np.inf),
    "count": lambda ballots: ballots.chosen,
}


def elected(game: KernelGame, ballots: Ballots, vote: Vote, worst: float = 0.0) -> int:
    """The card that wins the vote; ties go to more visits, then to the lowest card.

    `worst` is the least possible value, from which `count-times-mean` counts.
    """
    from_worst = ballots.chosen_means - worst * ballots.chosen
    result = _RESULTS[vote](ballots._replace(chosen_means=from_worst))
    bits = np.flatnonzero(ballots.seen)
    return max(
        (game.cards[int(bit)] for bit in bits),
        key=lambda card: (
            result[game.bits[card]], ballots.visits[game.bits[card]], -card
        ),
    )  # fmt: skip


def ballot_statistics(game: KernelGame, ballots: Ballots) -> dict[int, CardStatistics]:
    """Ballots by card, in ascending order."""
    means = _means(ballots)
    return {
        card: CardStatistics(int(ballots.visits[bit]), float(means[bit]), int(ballots.seen[bit]))
        for bit, card in sorted(game.cards.items(), key=lambda item: item[1])
        if ballots.seen[bit]
    }

"""Information set Monte Carlo tree search with a single observer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from agents.search.decision import (
    UCBS,
    CardStatistics,
    Final,
    Ucb,
    most_promising,
    root_statistics,
    scales_upto,
)
from agents.search.nodes import Nodes, give_up, keep_subtree, new_nodes, size_of
from agents.search.observers import NO_HANDS, new_hands
from agents.search.tree import Selection, grow
from agents.searchers.tree_search import TreeQuestion, TreeSearch
from arena.core.agent import Agent, Setup, parameter
from arena.core.errors import ArenaError
from arena.core.rules import Action, Rules, View
from arena.core.seeds import Rng
from arena.games.kernel.spec import KernelGame

_MOST_NODES = 1 << 20
"""A tree with a time budget stops growing here (64 MB), but not searching."""


@dataclass(frozen=True, kw_only=True)
class Ismcts(TreeSearch):
    """Grows one tree over all worlds that agree with what is known; plays the card tried most.

    Source: SO-ISMCTS of Cowling, Powley and Whitehouse 2012 as used by Aaldering 2023
    (`ucb: global` as in its program, `c: 200` its best constant); in Hearts every player
    maximises their own value (max-n). Differs: values are always those of the side to move,
    where the program of the thesis changes their sign with every card, also between the
    last card of a trick and the lead of its winner; worlds are drawn exactly; ties go to the
    best mean. `aaldering-2023` brings single deviations of the program back. Bids by Monte
    Carlo unless the configuration names a bidder; passes cards as `rule` does.
    """

    simulations: int = parameter(1000, help="simulations per decision", at_least=1)
    ucb: Ucb = parameter(
        "availability", help="N in sqrt(ln N / n): simulations, parent's visits or availability"
    )
    first_play: float | None = parameter(
        None,
        help="urgency of a card not tried yet: points above the mean of those tried; "
        "without it all are tried once first",
        at_least=0,
    )
    observers: Literal["one", "all"] = parameter(
        "one", help="all: in the tree the other players decide by the cards they hold"
    )
    prior: float = parameter(
        3.0, help="observers all: visits that the statistics of all hands are worth", at_least=0
    )
    final: Final = parameter("visits", help="play the card with most visits or the best mean")
    reuse_tree: bool = parameter(False, help="go on with what is left of the last decision's tree")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.observers == "all" and (self.reuse_tree or self.first_play is not None):
            raise ArenaError("observers: all goes with neither reuse_tree nor first_play")
        if self.is_weak and self.reuse_tree:
            raise ArenaError("reuse_tree goes with neither strength nor temperature")

    def take_seat(self, setup: Setup) -> Agent:
        """With `reuse_tree` a player that remembers its tree, else this one."""
        return _Remembering(self) if self.reuse_tree else self

    def choose(self, view: View, rng: Rng) -> Action:
        """The card with most visits, or the best mean."""
        question = self.question(view, rng)
        nodes = self.search(view, question)
        card = self.best(question.game, nodes, rng)
        give_up(nodes)
        return card

    def search_all(self, view: View, rng: Rng) -> tuple[Action, dict[Action, CardStatistics]]:
        """The card, and visits, mean value and availability of each card."""
        question = self.question(view, rng)
        nodes = self.search(view, question)
        card, found = self.best(question.game, nodes, rng), root_statistics(question.game, nodes)
        give_up(nodes)
        return card, found

    def best(self, game: KernelGame, nodes: Nodes, rng: Rng) -> Action:
        """The card to play after a search."""
        return most_promising(game, nodes, self.final)

    def selection(self, rules: Rules) -> Selection:
        """How trees choose between cards."""
        return (
            super()
            .selection(rules)
            ._replace(
                ucb=UCBS[self.ucb],
                # A whole number would be another type: all of the search would be compiled again.
                first_play=np.inf if self.first_play is None else float(self.first_play),
                prior=float(self.prior),
            )
        )

    def search(self, view: View, question: TreeQuestion, begun: Nodes | None = None) -> Nodes:
        """The tree after this decision's simulations, added to those of a tree already begun."""
        game = question.game
        worlds = self.worlds_of(question)
        nodes = new_nodes(self.room) if begun is None else begun
        hands = new_hands(self.room + 1) if self.observers == "all" else NO_HANDS
        visits = 0 if begun is None else int(begun.slots["visits"][0])
        scales = scales_upto(visits + self.room)

        def simulate(simulations: int) -> None:
            grow(
                nodes, hands, simulations, question.root, game.words, worlds, question.selection,
                question.leaves, question.judge, scales, question.seed,
            )  # fmt: skip

        self.spend(question, self.simulations, simulate)
        return nodes

    @property
    def room(self) -> int:
        """How many nodes a decision may add to a tree."""
        return self.simulations if self.budget is None else _MOST_NODES


class _Remembering:
    """Plays one round; begins each search with the part of the last tree that came true."""

    def __init__(self, agent: Ismcts) -> None:
        self._agent = agent
        self._tree: Nodes | None = None
        self._played: tuple[int, ...] = ()

    @property
    def reproducible(self) -> bool:
        return self._agent.reproducible

    def act(self, view: View, rng: Rng) -> Action:
        """The best card after the search."""
        if (action := self._agent.without_search(view, rng)) is not None:
            return action
        played = tuple(card for trick in view.tricks for card in trick.cards) + view.table
        question = self._agent.question(view, rng)
        begun = self._come_true(question, played)
        self._tree = self._agent.search(view, question, begun)
        self._played = played
        return self._agent.best(question.game, self._tree, rng)

    def _come_true(self, question: TreeQuestion, played: tuple[int, ...]) -> Nodes | None:
        if self._tree is None:
            return None
        cards = question.game.masks([1 << card for card in played[len(self._played) :]])
        kept = new_nodes(size_of(self._tree) + self._agent.room)
        return kept if keep_subtree(self._tree, cards, kept) else None

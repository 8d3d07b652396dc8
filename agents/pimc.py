"""Perfect information Monte Carlo: sampled worlds, solved exactly when few cards are left."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Literal

import numpy as np

from agents.dmcts import Dmcts
from agents.search.decision import CardStatistics, best_card
from agents.search.worlds import deal_hands
from agents.searchers.tree_search import TreeQuestion
from arena.core.agent import parameter
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.solver.solution import Solver


@dataclass(frozen=True, kw_only=True)
class Pimc(Dmcts):
    """Samples worlds and finds the best card of each by alpha-beta; keeps the best mean.

    Source: perfect information Monte Carlo sampling (Ginsberg 2001 for bridge; Long et al.
    2010 on why it works). While more than `exact_tricks` are left each world is searched
    by a tree instead, as `dmcts` does. For games of two partnerships.
    """

    exact_tricks: int = parameter(
        4, help="solve exactly when at most so many tricks are left", at_least=1
    )
    exact_worlds: int = parameter(50, help="worlds to solve, where they are solved", at_least=1)
    objective: Literal["score", "points"] = parameter(
        "score", help="what is solved for: the final score, or points and bonuses (faster)"
    )

    @property
    def needs(self) -> tuple[str, ...]:
        """The solver is for two sides, and must know how the score follows from the tricks."""
        return (*super().needs, "two-sides", "open-score")

    def choose(self, view: View, rng: Rng) -> Action:
        """The card with the best mean; before the exact part, the one that trees vote for."""
        if self._tricks_left(view) > self.exact_tricks:
            return super().choose(view, rng)
        return best_card(self._solve(view, rng), "value")

    def explain(self, view: View, rng: Rng) -> dict[Action, CardStatistics]:
        """Worlds and mean value of each card; before the exact part, what the trees say."""
        if self._tricks_left(view) > self.exact_tricks:
            return super().explain(view, rng)
        return self._solve(view, rng)

    def _tricks_left(self, view: View) -> int:
        return view.rules.hand_size - len(view.tricks)

    def _solve(self, view: View, rng: Rng) -> dict[Action, CardStatistics]:
        question = self.question(view, rng)
        worlds = self.worlds_of(question)
        solver, state = Solver(min(20, 4 + 2 * self._tricks_left(view))), question.root.copy()
        hands = np.empty((1 if self.budget is not None else self.exact_worlds, 4), np.uint64)
        sums, solved = np.zeros(len(view.legal)), 0
        while not self._enough(question, solved):
            deal_hands(worlds, question.seed, state, hands)
            values = solver.worlds(view, hands, points_only=self.objective == "points")
            sums += values.sum(axis=0)
            solved += len(hands)
        return {
            card: CardStatistics(solved, total / solved, solved)
            for card, total in zip(view.legal, sums.tolist(), strict=True)
        }

    def _enough(self, question: TreeQuestion, solved: int) -> bool:
        if self.budget is None:
            return solved > 0
        return solved > 0 and perf_counter() >= question.began + self.budget.milliseconds / 1000

"""Endings: the last tricks of a round, solved with open cards in sampled worlds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from agents.search.decision import CardStatistics
from agents.search.worlds import POOLED, Worlds, deal_hands
from arena.core.agent import parameter
from arena.core.rules import Action, View
from arena.games.kernel.layout import HANDS, Words
from arena.solver.solution import Solver

_BETWEEN_LOOKS_AT_THE_CLOCK = 8
"""Worlds solved between two looks at the clock."""


@dataclass(frozen=True)
class Endings:
    """The last tricks: every card is worth its mean over worlds that are solved exactly."""

    tricks: int = parameter(4, help="solve when at most so many tricks are left", at_least=1)
    worlds: int = parameter(
        128, help="worlds to solve; with a time budget as many as there is time for", at_least=1
    )
    objective: Literal["score", "points"] = parameter(
        "score", help="what is solved for: the final score, or points and bonuses (faster)"
    )

    @property
    def needs(self) -> tuple[str, ...]:
        """Any game with a kernel can be solved; points alone only where they make the score."""
        return ("open-score",) if self.objective == "points" else ()

    def covers(self, view: View) -> bool:
        """Whether a decision is one of the last tricks."""
        return view.phase == "play" and view.rules.hand_size - len(view.tricks) <= self.tricks

    def solve(
        self, view: View, root: Words, worlds: Worlds, seed: Words, until: float | None
    ) -> dict[Action, CardStatistics]:
        """Worlds solved and the mean value of each legal card.

        `until` is the end of the time, by `perf_counter`; None if there is no time budget.
        """
        solver = Solver(min(20, 4 + 2 * self.tricks))
        sums, chance, solved = np.zeros(len(view.legal)), 0.0, 0
        for hands, weights in self._batches(view, root, worlds, seed, until):
            values = solver.worlds(view, hands, points_only=self.objective == "points")
            sums += weights @ values
            chance += float(weights.sum())
            solved += len(hands)
        means = (sums / chance).tolist()
        return {
            card: CardStatistics(solved, mean, solved)
            for card, mean in zip(view.legal, means, strict=True)
        }

    def _batches(
        self, view: View, root: Words, worlds: Worlds, seed: Words, until: float | None
    ) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.float64]]]:
        """Worlds and their weights, until there are enough."""
        pool, state = worlds.pool, root.copy()
        if worlds.kind == POOLED and len(pool.upto) <= self.worlds and pool.upto[-1] > 0:
            likely = np.diff(pool.upto, prepend=0.0) > 0.0
            hands = pool.hands[likely]
            hands[:, view.seat] = state[int(HANDS) + view.seat]
            yield hands, np.diff(pool.upto, prepend=0.0)[likely]
            return
        size = self.worlds if until is None else _BETWEEN_LOOKS_AT_THE_CLOCK
        while True:
            hands = np.empty((size, 4), np.uint64)
            deal_hands(worlds, seed, state, hands)
            yield hands, np.ones(size)
            if until is None or perf_counter() >= until:
                return

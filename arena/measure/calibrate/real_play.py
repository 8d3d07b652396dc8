"""Margins of a stochastic agent against itself on real deals: every difference is a false one."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.analysis.played import played_results
from arena.analysis.results import Results
from arena.config.entrants import AgentSpec, Entrant
from arena.config.experiment import ResolvedExperiment
from arena.core.deals import Deal, DealSet
from arena.core.rules import Rules
from arena.stats import PairResults
from arena.tournament.watcher import Watcher

FloatArray = NDArray[np.float64]


class SelfPlay:
    """An agent against a twin with other random numbers, on the deals of one set."""

    def __init__(self, family: str, deals: DealSet, rules: Rules, watcher: Watcher) -> None:
        self._family, self._deals, self._rules, self._watcher = family, deals, rules, watcher

    def once(self, count: int, seed: int) -> FloatArray:
        """One margin for each of `count` deals.

        A set with fewer deals is played again with another seed, so that no game is repeated.
        """
        found: list[FloatArray] = []
        missing = count
        while missing > 0:
            chosen = self._deals.deals[:missing]
            played = self._play(chosen, self._deals.name, seed + len(found), 2, None)
            found.append(played.pairs[0].margins)
            missing -= len(found[-1])
        return np.concatenate(found)

    def repeated(
        self, count: int, times: int, seed: int, keep: Path | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """The same deals `times` times with other random numbers, time × deal: margins, and the
        largest margin of a deal's single games, without its sign.

        One run, in which the number of the repetition is part of a deal's name, so that each
        repetition draws its own random numbers. In the folder `keep` an interrupted run goes on.
        """
        deals = tuple(
            replace(deal, id=f"{deal.id}~{time}")
            for time in range(times)
            for deal in self._deals.deals[:count]
        )
        name = f"{self._deals.name}, {times} times"
        found = self._play(deals, name, seed, 2, keep).pairs[0]
        largest = np.abs(found.games).max(axis=1)
        return found.margins.reshape(times, -1), largest.reshape(times, -1)

    def field(self, agents: int, count: int, seed: int, keep: Path | None = None) -> PairResults:
        """That many twins against each other on `count` deals, each with its own random numbers."""
        size = len(self._deals.deals)
        deals = tuple(
            replace(self._deals.deals[number % size], id=f"{number:07}") for number in range(count)
        )
        return self._play(deals, self._deals.name, seed, agents, keep).for_statistics

    def _play(
        self, deals: tuple[Deal, ...], name: str, seed: int, agents: int, keep: Path | None
    ) -> Results:
        twins = [f"twin{number}" for number in range(1, agents + 1)]
        experiment = ResolvedExperiment(
            name="calibrate",
            rules=self._rules,
            deals=deals,
            deal_set=name,
            deals_sha256=self._deals.sha256,
            entrants=tuple(
                Entrant(twin, (AgentSpec(self._family, twin=number),))
                for number, twin in enumerate(twins, start=1)
            ),
            pairings=tuple(combinations(twins, 2)),
            seed=seed,
        )
        return played_results(experiment, "calibrate", self._watcher, keep=keep)

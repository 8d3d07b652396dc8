"""Error rates of the gate: on models, and over fresh baselines of real play."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from arena.gate.config import TestFile
from arena.gate.tests import GateTest, measure
from arena.measure.calibrate.statistics import Rate, measured_rate
from arena.tournament.stopping import PILOT, more

FloatArray = NDArray[np.float64]

REPLICATES = 3
"""Seeds of a baseline."""
CANDIDATES = 10
"""Candidates that meet each baseline, so that the rate of each baseline can be measured."""


@dataclass(frozen=True)
class GateRates:
    """Error rates of the no-regression gate, its length, and that of a fixed test."""

    unchanged_fails: Rate
    worse_passes: Rate
    undecided: Rate
    """Gates of both kinds that had no answer when the deals were used up."""
    mean_deals: float
    fixed_deals: int
    worst_decile: float
    """How often an unchanged agent fails among the tenth of baselines where it fails most."""

    @property
    def saved(self) -> float:
        """Share of the deals of a fixed-size test that were not needed."""
        return 1 - self.mean_deals / self.fixed_deals


def gate_as_played(values: FloatArray, largest: FloatArray, test: TestFile) -> GateTest:
    """Judge deals in portions, as a gate plays them; `largest` are margins of their single games.

    All that the gate knows about what a deal can cost are the games that it has seen.
    """
    count = min(PILOT, values.size)
    while True:
        loss, complete = float(largest[:count].max()), count == values.size
        found = measure(values[:count], test, complete, loss=loss, estimate=False)
        if found.answer != "continue" or complete:
            return found
        count = min(more(count), values.size)


def gate_rates(
    baselines: Sequence[FloatArray],
    candidates: Sequence[FloatArray],
    largest: Sequence[FloatArray],
    worse_by: float,
    alpha: float = 0.05,
) -> GateRates:
    """Judge an unchanged agent and one with `worse_by` points less against fresh baselines.

    `baselines[i]` is a table of seed × deal, `candidates[i]` one of candidate × deal: what the same
    agent did on the same deals with other seeds, none of them used twice. Values that were drawn
    again from a small table would differ in their means, and the gate would be right to say so.
    `largest[i]` has the largest margin of a single game for each value of the candidates.
    """
    test = TestFile(worse_by=worse_by, alpha=alpha, beta=alpha)
    failed: list[list[bool]] = []
    passed, undecided, lengths, spreads = [], [], [], []
    for baseline, played, games in zip(baselines, candidates, largest, strict=True):
        mean = baseline.mean(axis=0)
        failed.append([])
        for values, margins in zip(played, games, strict=True):
            difference = values - mean
            spreads.append(float(difference.std(ddof=1)))
            same, worse = (
                gate_as_played(difference - less, margins, test) for less in (0.0, worse_by)
            )
            failed[-1].append(same.answer == "regression")
            passed.append(worse.answer == "pass")
            undecided += [found.answer == "continue" for found in (same, worse)]
            lengths += [same.trace.n, worse.trace.n]
    z = 2 * float(special.ndtri(1 - alpha))
    table = np.array(failed)
    by_baseline = np.sort(table.mean(axis=1))[::-1]
    return GateRates(
        measured_rate(int(table.sum()), table.size),
        measured_rate(sum(passed), len(passed)),
        measured_rate(sum(undecided), len(undecided)),
        float(np.mean(lengths)),
        math.ceil((z * float(np.mean(spreads)) / worse_by) ** 2),
        float(by_baseline[: max(1, len(by_baseline) // 10)].mean()),
    )


@dataclass(frozen=True)
class Change:
    """A change of an agent, as differences per deal: what they are, and what the gate must say."""

    name: str
    draw: Callable[[np.random.Generator, int], FloatArray]
    worse: bool
    """Worse by `POINTS` on average: the gate must not pass it. Else equal: it must not fail it."""


POINTS = 3.24
"""Mean loss of a worse agent: 162 points on 2% of the deals."""
GAME_SD = 80.0
"""Spread of a single game over the mean of a deal's seatings: mostly the cards."""
LONGEST = 6_000
LONG_TAIL_MEAN = 2.839
"""Of a lognormal with σ = 1.5 that is cut off at 40."""


def changes() -> Iterator[Change]:
    """Changes that are hard to judge: rare, skewed, and without any spread."""

    def rare(rng: np.random.Generator, deals: int, noise: float = 0.0) -> FloatArray:
        body = rng.normal(0.0, noise, deals) if noise else np.zeros(deals)
        return np.where(rng.random(deals) < 0.02, -162.0, body)

    def tails(rng: np.random.Generator, deals: int) -> FloatArray:
        lost = rng.lognormal(0.0, 1.0, deals)  # mean e^0.5, standard deviation 2.2, skewness 6
        return np.asarray(10 * (math.exp(0.5) - lost) - POINTS)

    def long_tails(rng: np.random.Generator, deals: int) -> FloatArray:
        lost = np.minimum(rng.lognormal(0.0, 1.5, deals), 40.0)  # skewness 4
        return np.asarray(10 * (LONG_TAIL_MEAN - lost) - POINTS)

    yield Change("2% of deals lose 162", rare, worse=True)
    yield Change(
        "2% of deals lose 162, the others vary a little",
        lambda rng, deals: rare(rng, deals, 5.0),
        worse=True,
    )
    yield Change("lognormal losses", tails, worse=True)
    yield Change("lognormal losses with a longer tail", long_tails, worse=True)
    yield Change("every deal loses the same", lambda _, deals: np.full(deals, -POINTS), worse=True)
    yield Change("no deal differs", lambda _, deals: np.zeros(deals), worse=False)
    yield Change(
        "2% of deals win or lose 162",
        lambda rng, deals: rare(rng, deals) * rng.choice([-1.0, 1.0], deals),
        worse=False,
    )


def simulated_gate(
    change: Change, seed: int, runs: int = 1_000, alpha: float = 0.05
) -> tuple[Rate, float]:
    """How often the no-regression gate of POINTS is wrong about a change, and its mean length."""
    test = TestFile(worse_by=POINTS, alpha=alpha, beta=alpha)
    rng = np.random.default_rng(seed)
    wrong, deals = 0, []
    for _ in range(runs):
        values = change.draw(rng, LONGEST)
        largest = np.abs(values) + np.abs(rng.normal(0.0, GAME_SD, LONGEST))
        found = gate_as_played(values, largest, test)
        wrong += found.answer == ("pass" if change.worse else "regression")
        deals.append(found.trace.n)
    return measured_rate(wrong, runs), float(np.mean(deals))

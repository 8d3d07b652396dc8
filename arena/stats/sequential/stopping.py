"""Estimates after a sequential test that allow for its stopping rule."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from arena.stats.counts import outcomes
from arena.stats.elo import elo_of_score, expected_score
from arena.stats.roots import root
from arena.stats.sample import check_probability, deal_sample
from arena.stats.sequential.brownian import Motion
from arena.stats.sequential.likelihood import EloModel, score_bounds
from arena.stats.sequential.sprt import Decision, SprtDesign, SprtResult, sprt_points
from arena.stats.sequential.walk import stopped_walk


@dataclass(frozen=True)
class StoppedEstimate:
    """Median-unbiased estimate after a sequential test, with its interval.

    `los` is the probability of a worse outcome were the true value 0.
    """

    estimate: float | None
    low: float | None
    high: float | None
    los: float | None
    naive: float | None
    n: float
    decision: Decision
    confidence: float
    note: str = ""


def estimate_after_stopping(
    margins: ArrayLike, design: SprtDesign, confidence: float = 0.95
) -> StoppedEstimate:
    """Median-unbiased mean margin after `sprt_points`, with an interval that allows for the stop.

    The plain mean is biased away from the middle: runs stop on lucky streaks. Formula: the
    margins are a Gaussian walk with the observed sd, stopped where `llr_points` meets its bounds
    but not before the first look; the estimate is the θ for which a worse outcome (see
    `StoppedWalk.worse_outcome`) has probability 1/2, the limits those for (1 ± c)/2, with t in
    place of normal probabilities. Unit: the deal; points. Assumes independent deals and sums of
    `min_deals` of them that are nearly normal.
    Source: Siegmund 1985, §III.5-6; Armitage 1958, Biometrika 45; Tsiatis, Rosner & Mehta 1984,
    Biometrics 40.
    """
    check_probability(confidence, "confidence")
    result = sprt_points(margins, design)
    s = deal_sample(margins)
    used = s.values[: result.n]
    if result.n < 2 or float(np.ptp(used)) == 0.0:
        why = s.trouble or "The deals used so far do not vary."
        naive = float(used.mean()) if result.n else None
        return StoppedEstimate(
            None, None, None, None, naive, result.n, result.decision, confidence, s.note(why)
        )
    mean = float(used.mean())
    largest = 0.0 if design.extreme is None else max(design.extreme, float(np.abs(used).max()))
    stop = _Stop(design, result, mean, float(used.std(ddof=1)), largest)
    estimate, low, high = (stop.solve(p) for p in (0.5, 0.5 + confidence / 2, 0.5 - confidence / 2))
    return StoppedEstimate(
        estimate, low, high, stop.worse(0.0), mean, result.n, result.decision, confidence, s.note()
    )


class _Stop:
    """The walk behind a finished or running test, and its outcome."""

    def __init__(
        self, design: SprtDesign, result: SprtResult, mean: float, sd: float, largest: float
    ) -> None:
        self.n = result.n
        self.sd = sd
        self.mean = mean
        self.middle = (design.h0 + design.h1) / 2
        # What `extreme` adds to the variance moves the bounds out as much.
        wider = 1 + 2 * (largest / sd) ** 2 / result.n
        self.walk = stopped_walk(
            (design.h1 - design.h0) / sd,
            (result.lower * wider, result.upper * wider),
            float(design.min_deals),
            float(result.n),
            (mean - self.middle) / sd,
            float(design.first_h1),
        )

    def worse(self, truth: float) -> float:
        position = self.n * (self.mean - self.middle) / self.sd
        p = self.walk.worse_outcome((truth - self.middle) / self.sd, position)
        # The sd is estimated: from normal to t probabilities, exact when n is fixed.
        return float(special.stdtr(self.n - 1, special.ndtri(p)))

    def solve(self, probability: float) -> float:
        """The truth under which a worse outcome has this probability."""
        step = 2 * self.sd / math.sqrt(self.n)
        low = high = self.mean
        while self.worse(low) < probability:
            low -= step
        while self.worse(high) > probability:
            high += step
        return root(lambda truth: self.worse(truth) - probability, low, high, 1e-9)


def elo_after_stopping(
    counts: ArrayLike,
    design: SprtDesign,
    model: EloModel = "normalized",
    confidence: float = 0.95,
) -> StoppedEstimate:
    """Median-unbiased logistic Elo after a sequential test on counts, as fishtest reports it.

    Formula: as `estimate_after_stopping` on scores; when the ratio lies beyond a bound the clock is
    set back to where the straight path crossed it. Exact where fishtest switches to two terms of
    an asymptotic series (far from the bounds; the two then differ by about 1e-4). Unit: the
    game (3 counts) or the deal with two seatings (5).
    Source: fishtest sprt.py and stat_util.py (`SPRT_elo`); Siegmund 1985, §III.5-6.
    """
    check_probability(confidence, "confidence")
    o = outcomes(counts, fill_empty=True)
    score0, score1 = score_bounds(o, design.h0, design.h1, model)
    gap = score1 - score0
    llr = o.units * gap * (o.mean - (score0 + score1) / 2) / o.variance
    level = min(max(llr, design.lower), design.upper)
    time = o.units * level / llr if level != llr else o.units

    def worse(elo: float) -> float:
        score = expected_score(elo)
        return Motion(
            design.lower,
            design.upper,
            (score - (score0 + score1) / 2) * gap / o.variance,
            gap * gap / o.variance,
        ).worse_outcome(time, level)

    def solve(probability: float) -> float | None:
        if not worse(-1_000.0) > probability > worse(1_000.0):
            return None
        return root(lambda elo: worse(elo) - probability, -1_000.0, 1_000.0, 1e-11)

    decision: Decision = "continue"
    if llr >= design.upper:
        decision = "H1"
    elif llr <= design.lower:
        decision = "H0"
    estimate, low, high = (solve(p) for p in (0.5, 0.5 + confidence / 2, 0.5 - confidence / 2))
    note = "" if None not in (estimate, low, high) else "A limit lies beyond ±1000 Elo: left open."
    found = (estimate, low, high, worse(0.0), elo_of_score(o.mean))
    return StoppedEstimate(*found, o.units, decision, confidence, note)

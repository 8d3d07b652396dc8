"""The tests of a gate, on one value per deal: the candidate's less the baseline's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError
from arena.gate.config import TestFile
from arena.stats import (
    SprtDesign,
    equivalence,
    estimate_after_stopping,
    mean_difference,
    sprt_points,
)
from arena.stats.sequential.sprt import find_stops, points_path

FloatArray = NDArray[np.float64]
Answer = Literal["pass", "regression", "continue"]

PILOT = 64
"""Deals before the test is planned; they count in the test like all others."""
SIMULATED = 400


@dataclass(frozen=True)
class Measured:
    """What a test says so far, after how many deals, and how big the difference is."""

    answer: Answer
    deals: int
    mean: float | None
    low: float | None
    high: float | None
    words: str
    ratio: float | None = None
    lower: float | None = None
    upper: float | None = None
    path: tuple[float, ...] = ()
    note: str = ""


def is_sequential(test: TestFile) -> bool:
    """Whether the test looks after every deal, not only at the end."""
    return test.kind in ("no-regression", "gain")


def design_of(test: TestFile, extreme: float) -> SprtDesign:
    """The sequential test: H0 fails the gate, H1 passes it.

    No regression: H0 is an agent that is worse by the points, so the share of unchanged agents
    that fail (the gate's alpha) is the test's second error.
    """
    if test.kind == "gain":
        return SprtDesign(0.0, test.points, test.alpha, test.beta, extreme=extreme)
    return SprtDesign(-test.points, 0.0, test.beta, test.alpha, extreme=extreme)


def extreme_of(values: FloatArray) -> float:
    """The largest value of the pilot: what `SprtDesign.extreme` minds."""
    return float(np.abs(values[:PILOT]).max(initial=0.0))


def measure(values: FloatArray, test: TestFile, complete: bool) -> Measured:
    """Judge the deals in their order; `complete` when there are no more to come."""
    if is_sequential(test):
        return _sequential(values, test)
    return _fixed(values, test, complete)


def _sequential(values: FloatArray, test: TestFile) -> Measured:
    if values.size and float(np.ptp(values)) == 0.0:
        return _no_spread(values, test)
    design = design_of(test, extreme_of(values))
    found = sprt_points(values, design)
    estimate = estimate_after_stopping(values, design)
    answers: dict[str, Answer] = {"H1": "pass", "H0": "regression", "continue": "continue"}
    path = points_path(values[: found.n], design)
    shown = path[:: max(1, len(path) // 200)]
    return Measured(
        answers[found.decision],
        found.n,
        estimate.estimate,
        estimate.low,
        estimate.high,
        f"sequential test of {design.h0:g} against {design.h1:g} points "
        f"(errors {test.alpha:g} and {test.beta:g})",
        found.llr,
        found.lower,
        found.upper,
        tuple(float(x) for x in shown),
        found.note,
    )


def _no_spread(values: FloatArray, test: TestFile) -> Measured:
    """All deals agree: nothing to estimate from, but a large enough difference is plain."""
    value = float(values[0])
    words = f"all {values.size} deals have the same difference {value:g}"
    answer: Answer = "continue"
    if values.size >= PILOT:
        wanted = -test.points if test.kind == "no-regression" else test.points
        answer = "pass" if value > wanted or value == 0.0 == wanted else "regression"
    return Measured(answer, values.size, value, None, None, words)


def _fixed(values: FloatArray, test: TestFile, complete: bool) -> Measured:
    confidence = 1 - 2 * (test.beta if test.kind == "fixed" else test.alpha)
    mean = mean_difference(values, confidence)
    words = (
        f"equal within {test.points:g} points (two one-sided tests at {test.alpha:g})"
        if test.kind == "equivalence"
        else f"not worse by {test.points:g} points (one-sided t at {test.beta:g}, all deals)"
    )
    answer: Answer = "continue"
    if complete and mean.low is not None:
        if test.kind == "equivalence":
            found = equivalence(values, test.points, alpha=test.alpha)
            answer = "pass" if found.equivalent else "regression"
        else:
            answer = "pass" if mean.low > -test.points else "regression"
    return Measured(answer, mean.n, mean.mean, mean.low, mean.high, words, note=mean.note)


def check_enough(values: FloatArray, test: TestFile, available: int, what: str) -> int | None:
    """Refuse a sequential gate that could not decide in 90% of runs, and name what is enough.

    Simulates the test with the pilot's spread, both hypotheses true in turn. Returns the deals
    within which 90% of runs decide.
    """
    if not is_sequential(test) or values.size < 8:
        return None
    sd = float(values[:PILOT].std(ddof=1))
    if sd == 0.0:
        return None
    design = design_of(test, extreme_of(values))
    rng = np.random.default_rng(1)
    longest = max(available, PILOT)
    z = float(np.abs(math.log(design.alpha) + math.log(design.beta)))
    enough = math.ceil(4 * z * (sd / test.points) ** 2 + design.min_deals + 2 * PILOT)
    needed = 0
    for truth in (design.h0, design.h1):
        walks = rng.normal(truth, sd, (SIMULATED, min(max(enough, 100), 40_000)))
        stops = find_stops(points_path(walks, design), design)
        ends = np.where(stops.sign == 0, np.inf, stops.index + 1)
        quantile = float(np.quantile(ends, 0.9, method="higher"))
        needed = max(needed, int(quantile) if math.isfinite(quantile) else walks.shape[1])
    if needed > longest:
        raise ArenaError(
            f"{what}: {available:,} deals are too few: with a spread of {sd:.1f} points a deal, "
            f"a difference of {test.points:g} points is decided in 90% of runs within "
            f"{needed:,} deals; allow as many, or test for more points"
        )
    return needed

"""The tests of a gate, on one value per deal: the candidate's less the baseline's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from arena.config.models import Stop
from arena.core.errors import ArenaError
from arena.gate.config import TestFile
from arena.stats import SprtDesign, elo_after_stopping, equivalence, mean_difference
from arena.stats.elo import NELO_PER_T
from arena.stats.sequential.sprt import (
    counts_path,
    deals_to_exclude,
    find_stops,
    points_path,
    sprt_counts,
)
from arena.tournament.stopping import PILOT, SequentialTrace, design_of, thinned, trace_of

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Answer = Literal["pass", "regression", "continue"]

SIMULATED = 400
CAUTION = 1.25
"""A deal won and a deal lost by so many times the largest loss are put into the variance. With a
lognormal tail (σ = 1.5) a worse agent then passes in 4 to 5.5% of gates, with 1 in 5 to 6%."""
_ANSWERS: dict[str, Answer] = {"H1": "pass", "H0": "regression", "continue": "continue"}
_DECISIONS = {answer: decision for decision, answer in _ANSWERS.items()}


@dataclass(frozen=True)
class GateTest:
    """The answer of a gate's test so far, and the trace that it rests on."""

    answer: Answer
    words: str
    """The test in words."""
    trace: SequentialTrace
    """Deals used, the difference with its limits, and the likelihood ratio if there is one."""
    unit: str = "points per deal"


def is_sequential(test: TestFile) -> bool:
    """Whether the test looks after every deal, not only at the end."""
    return test.kind in ("no-regression", "gain", "pentanomial")


def stop_of(test: TestFile) -> Stop:
    """The sequential test: H0 fails the gate, H1 passes it.

    No regression: H0 is an agent that is worse by the points, so the share of unchanged agents
    that fail (the gate's alpha) is the test's second error.
    """
    if test.kind == "no-regression":
        return Stop(h0=-test.points, h1=0.0, alpha=test.beta, beta=test.alpha)
    if test.kind == "pentanomial":
        return Stop(h0=test.elo0, h1=test.points, alpha=test.alpha, beta=test.beta)
    return Stop(h0=0.0, h1=test.points, alpha=test.alpha, beta=test.beta)


def measure(
    values: FloatArray,
    test: TestFile,
    complete: bool,
    cells: IntArray | None = None,
    loss: float = 0.0,
    estimate: bool = True,
) -> GateTest:
    """Judge the deals in their order; `complete` when there are no more to come.

    `cells` are the half points of each deal's two seatings (0 to 4), for a test on counts. `loss`
    is what a single deal can cost, at least the largest value of the pilot: a sequential test on
    points does not pass before so many deals that rare losses of that size would have shown, and
    counts one won and one lost deal of CAUTION times that size in its variance. Without
    `estimate` a sequential test gives its answer only, which is faster.
    """
    if test.kind == "pentanomial":
        if cells is None:
            raise ArenaError("a pentanomial test needs deals in two seatings, head to head")
        return _pentanomial(cells, test)
    if is_sequential(test):
        largest = float(np.abs(values[:PILOT]).max(initial=0.0))
        return _sequential(values, test, max(largest, loss), estimate)
    return _fixed(values, test, complete)


def _sequential(values: FloatArray, test: TestFile, loss: float, estimate: bool) -> GateTest:
    stop = stop_of(test)
    enough = deals_to_exclude(loss, stop.h1 - stop.h0, stop.alpha)
    if values.size and not values.any():
        return _all_equal(values, test, enough, loss)
    found = trace_of(values, stop, estimate=estimate, first_h1=enough, extreme=CAUTION * loss)
    words = (
        f"sequential test of {stop.h0:g} against {stop.h1:g} points "
        f"(errors {test.alpha:g} and {test.beta:g}, if no deal can cost more than {loss:g})"
    )
    return GateTest(_ANSWERS[found.decision], words, found)


def _all_equal(values: FloatArray, test: TestFile, enough: int, loss: float) -> GateTest:
    """No deal differs: an answer after so many deals that losses too rare to show do not matter."""
    wanted = max(PILOT, enough)
    if values.size < wanted:
        words = (
            f"all {values.size} deals are equal; {wanted:,} would exclude rare losses that matter"
        )
        left = wanted - values.size
        trace = SequentialTrace("continue", values.size, 0.0, None, None, left=left)
        return GateTest("continue", words, trace)
    answer: Answer = "pass" if test.kind == "no-regression" else "regression"
    trace = SequentialTrace(_DECISIONS[answer], wanted, 0.0, None, None)
    words = f"all {wanted:,} deals are equal (enough if no deal can cost more than {loss:g})"
    return GateTest(answer, words, trace)


def _pentanomial(cells: IntArray, test: TestFile) -> GateTest:
    design = _counts_design(test)
    found = sprt_counts(cells, design)
    used = cells[: found.n]
    after = elo_after_stopping(np.bincount(used, minlength=5), design)
    words = (
        f"sequential test of {design.h0:g} against {design.h1:g} normalised Elo on pairs "
        f"(errors {test.alpha:g} and {test.beta:g})"
    )
    trace = SequentialTrace(
        decision=found.decision,
        n=found.n,
        estimate=after.estimate,
        low=after.low,
        high=after.high,
        ratio=found.llr,
        lower=found.lower,
        upper=found.upper,
        path=thinned(counts_path(used, design, "normalized", 5)),
        note=after.note or found.note,
    )
    return GateTest(_ANSWERS[found.decision], words, trace, "Elo")


def _counts_design(test: TestFile) -> SprtDesign:
    stop = stop_of(test)
    return SprtDesign(stop.h0, stop.h1, stop.alpha, stop.beta)


def _fixed(values: FloatArray, test: TestFile, complete: bool) -> GateTest:
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
    trace = SequentialTrace(
        _DECISIONS[answer], mean.n, mean.mean, mean.low, mean.high, note=mean.note
    )
    return GateTest(answer, words, trace)


def check_enough(
    values: FloatArray, test: TestFile, available: int, what: str, loss: float = 0.0
) -> int | None:
    """Refuse a gate that could not decide in 90% of runs, and name what is enough.

    Plans from the spread of the pilot: a sequential test is simulated with both hypotheses true
    in turn, and must exclude rare losses of `loss` points; a fixed one needs
    ((z + z')·sd/points)² deals (equivalence: for an equal agent). Returns the deals within which
    90% of runs decide.
    """
    pilot = values[:PILOT]
    sd = 1.0 if test.kind == "pentanomial" else float(pilot.std(ddof=1)) if pilot.size > 7 else 0.0
    needed = 0
    if is_sequential(test) and test.kind != "pentanomial":
        stop = stop_of(test)
        needed = deals_to_exclude(loss, stop.h1 - stop.h0, stop.alpha)
    if sd:
        planned = _simulated(pilot, sd, test, loss) if is_sequential(test) else _for_fixed(sd, test)
        needed = max(needed, planned)
    if not needed:
        return None
    if needed > available:
        spread = f"with a spread of {sd:.1f} points per deal, "
        if test.kind == "pentanomial":
            spread = ""
        raise ArenaError(
            f"{what}: {available:,} deals are too few: {spread}a difference of {test.points:g} "
            f"is decided in 90% of runs within {needed:,} deals; allow as many, or test for more"
        )
    return needed


def _for_fixed(sd: float, test: TestFile) -> int:
    from scipy import special

    error = test.beta if test.kind == "fixed" else test.alpha
    power = 0.9 if test.kind == "fixed" else 0.95  # equivalence errs on either side
    z = float(special.ndtri(1 - error) + special.ndtri(power))
    return math.ceil((z * sd / test.points) ** 2)


def _simulated(pilot: FloatArray, sd: float, test: TestFile, loss: float) -> int:
    design = (
        _counts_design(test)
        if test.kind == "pentanomial"
        else design_of(stop_of(test), pilot, extreme=CAUTION * loss)
    )
    if test.kind == "pentanomial":  # in standard deviations of a pair
        scale = math.sqrt(2) / NELO_PER_T
        design = SprtDesign(
            design.h0 * scale, design.h1 * scale, design.alpha, design.beta, design.min_deals
        )
    gap = design.h1 - design.h0
    rng = np.random.default_rng(1)
    z = abs(math.log(design.alpha) + math.log(design.beta))
    longest = math.ceil(4 * z * (sd / gap) ** 2 + design.min_deals + 2 * PILOT)
    needed = 0
    for truth in (design.h0, design.h1):
        walks = rng.normal(truth, sd, (SIMULATED, min(max(longest, 100), 40_000)))
        stops = find_stops(points_path(walks, design), design)
        ends = np.where(stops.sign == 0, np.inf, stops.index + 1)
        quantile = float(np.quantile(ends, 0.9, method="higher"))
        needed = max(needed, int(quantile) if math.isfinite(quantile) else walks.shape[1])
    return needed

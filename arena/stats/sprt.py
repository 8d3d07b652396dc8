"""Sequential probability ratio tests: stop as soon as the deals have spoken.

The default works on deal margins in points: H0 says the mean margin is `h0`, H1 says `h1`. The
same machinery runs on the t value of the margins and on trinomial or pentanomial counts in Elo,
for comparison with chess tools. Deals must be looked at in their fixed order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from arena.stats.brownian import Motion
from arena.stats.counts import (
    Outcomes,
    expected_log_ratio,
    mle_given_mean,
    mle_given_t,
    outcomes,
)
from arena.stats.elo import (
    NELO_PER_T,
    bayeselo_of_probabilities,
    bayeselo_probabilities,
    bayeselo_to_elo,
    elo_of_score,
    expected_score,
)
from arena.stats.errors import StatsError
from arena.stats.sample import (
    FloatArray,
    check_probability,
    deal_sample,
)
from arena.stats.walk import stopped_walk

EloModel = Literal["logistic", "normalized", "bayesian"]
Decision = Literal["H0", "H1", "continue"]


@dataclass(frozen=True)
class SprtDesign:
    """What is tested: h0 against h1, the two error rates, and when to look first.

    Bounds are Wald's, ln(β/(1-α)) and ln((1-β)/α). `min_deals` deals are played before the first
    look, because the variance of a handful of deals (many of them 0) is no estimate. With
    `overshoot` the bounds move in by the mean excess of the likelihood ratio over its earlier
    record, measured as the run goes. Source: Wald 1945, Ann. Math. Stat. 16; Siegmund 1985,
    Sequential Analysis, Corollary 8.33; fishtest stat_util.py (`update_SPRT`).
    """

    h0: float
    h1: float
    alpha: float = 0.05
    beta: float = 0.05
    min_deals: int = 30
    overshoot: bool = True

    def __post_init__(self) -> None:
        check_probability(self.alpha, "alpha")
        check_probability(self.beta, "beta")
        if self.alpha + self.beta >= 1:
            raise StatsError("alpha + beta must stay below 1")
        if not self.h0 < self.h1:
            raise StatsError(f"a sequential test needs h0 < h1, got {self.h0} and {self.h1}")
        if self.min_deals < 1:
            raise StatsError(f"min_deals must be at least 1, got {self.min_deals}")

    @property
    def lower(self) -> float:
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        return math.log((1 - self.beta) / self.alpha)


@dataclass(frozen=True)
class SprtResult:
    """Where the test stands: the decision, after how many deals, and the ratio with its bounds.

    `lower` and `upper` already contain the overshoot correction (`overshoot_low/high`).
    """

    decision: Decision
    n: int
    llr: float | None
    lower: float
    upper: float
    overshoot_low: float
    overshoot_high: float
    forfeits: int
    note: str = ""


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


def llr_points(n: float, mean: float, variance: float, h0: float, h1: float) -> float:
    """Log likelihood ratio of mean margin h1 against h0, variance unknown.

    Formula: n/2 · ln[(s² + (x̄ - h0)²)/(s² + (x̄ - h1)²)], s² the population variance (1/n).
    Unit: the deal; points. Assumes independent deals; a quasi-likelihood for margins that are
    not normal. Source: Van den Bergh, "Maximum likelihood for the multinomial distribution",
    section 3; the likelihood ratio of normal means with unknown variance.
    """
    if variance <= 0:
        raise StatsError("the likelihood ratio needs a positive variance")
    return n / 2 * math.log((variance + (mean - h0) ** 2) / (variance + (mean - h1) ** 2))


def llr_tvalue(n: float, t: float, t0: float, t1: float) -> float:
    """Approximate log likelihood ratio of t = mean/sd being t1 against t0.

    Formula: n/2 · ln[(1 + (t - t0)²)/(1 + (t - t1)²)]. Unit: the deal; standard deviations.
    Source: Van den Bergh, "Normalized Elo in practice", section 4.2.
    """
    return n / 2 * math.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2))


def llr_tvalue_exact(margins: ArrayLike, t0: float, t1: float) -> float:
    """Exact log likelihood ratio of t = mean/sd over the observed margins (empirical likelihood).

    Formula: Σ ln(p1/p0), p0 and p1 the most likely distributions on the observed margins with
    t = t0 and t = t1. Unit: the deal. Assumes independent deals only.
    Source: Van den Bergh, "Normalized Elo in practice", section 4.1.
    """
    s = deal_sample(margins)
    if s.trouble:
        raise StatsError(s.trouble)
    values, counts = np.unique(s.values, return_counts=True)
    p = counts / s.n
    mle0 = mle_given_t(values, p, t0, 0.0, start=p)
    mle1 = mle_given_t(values, p, t1, 0.0, start=p)
    return s.n * expected_log_ratio(p, mle0, mle1)


def llr_counts(
    counts: ArrayLike,
    elo0: float,
    elo1: float,
    model: EloModel = "logistic",
    exact: bool = True,
) -> float:
    """Log likelihood ratio of elo1 against elo0 from trinomial or pentanomial counts.

    Formula: N·Σ p̂ ln(p1/p0), p0 and p1 the most likely distributions under each hypothesis: a
    given mean (logistic; bayesian, whose bounds are first turned into logistic ones with the
    observed draw Elo) or a given (mean - 1/2)/sd (normalized; √2 times per pair). Empty cells are
    filled with 0.001. `exact=False` is the closed form from mean and variance. Unit: the game (3
    counts) or the deal with two seatings (5 counts).
    Source: Van den Bergh, "Normalized Elo in practice", section 4; fishtest LLRcalc.py.
    """
    o = outcomes(counts, fill_empty=True)
    if model == "normalized":
        t0, t1 = (_t_of_nelo(elo, o) for elo in (elo0, elo1))
        if not exact:
            t = (o.mean - 0.5) / math.sqrt(o.variance)
            # per game, as published: the ratio is taken on the games' scale
            ratio = math.sqrt(o.units / o.games)
            return llr_tvalue(o.games, t * ratio, t0 * ratio, t1 * ratio)
        mle0 = mle_given_t(o.scores, o.probabilities, t0, 0.5)
        mle1 = mle_given_t(o.scores, o.probabilities, t1, 0.5)
        return o.units * expected_log_ratio(o.probabilities, mle0, mle1)
    score0, score1 = _score_bounds(o, elo0, elo1, model)
    if not exact:
        return llr_points(o.units, o.mean, o.variance, score0, score1)
    mle0 = mle_given_mean(o.scores, o.probabilities, score0)
    mle1 = mle_given_mean(o.scores, o.probabilities, score1)
    return o.units * expected_log_ratio(o.probabilities, mle0, mle1)


def llr_bayeselo(counts: ArrayLike, elo0: float, elo1: float) -> float:
    """The older trinomial ratio: BayesElo probabilities with the observed draw Elo.

    Formula: Σ counts·ln(P(elo1, drawelo)/P(elo0, drawelo)). Unit: the game.
    Source: fishtest stat_util.py (`LLRlegacy`); OpenBench stats.py (`TrinomialSPRT`).
    """
    o = outcomes(counts)
    draw_elo = bayeselo_of_probabilities(o.counts).draw_elo
    p0, p1 = (bayeselo_probabilities(elo, draw_elo) for elo in (elo0, elo1))
    return float(np.sum(o.counts * np.log(p1 / p0)))


def _t_of_nelo(nelo: float, o: Outcomes) -> float:
    return nelo / NELO_PER_T * math.sqrt(o.games / o.units)


def _score_bounds(o: Outcomes, elo0: float, elo1: float, model: EloModel) -> tuple[float, float]:
    """The two hypotheses as expected scores."""
    if model == "normalized":
        sigma = math.sqrt(o.variance_per_game)
        return 0.5 + elo0 / NELO_PER_T * sigma, 0.5 + elo1 / NELO_PER_T * sigma
    if model == "bayesian":
        draw_elo = bayeselo_of_probabilities(o.counts).draw_elo
        elo0, elo1 = (bayeselo_to_elo(elo, draw_elo) for elo in (elo0, elo1))
    elif model != "logistic":
        raise StatsError(f"unknown Elo model {model!r} (logistic, normalized, bayesian)")
    return expected_score(elo0), expected_score(elo1)


def points_path(margins: FloatArray, h0: float, h1: float) -> FloatArray:
    """`llr_points` after every deal, along the last axis; 0 while nothing has varied."""
    n, mean, variance = _running(margins)
    path: FloatArray = (
        n / 2 * (np.log(variance + (mean - h0) ** 2) - np.log(variance + (mean - h1) ** 2))
    )
    return np.where(variance > _tiny(margins), path, 0.0)


def tvalue_path(margins: FloatArray, t0: float, t1: float) -> FloatArray:
    """`llr_tvalue` after every deal, along the last axis; 0 while nothing has varied."""
    n, mean, variance = _running(margins)
    varied = variance > _tiny(margins)
    t = mean / np.sqrt(np.where(varied, variance, 1.0))
    path: FloatArray = n / 2 * (np.log1p((t - t0) ** 2) - np.log1p((t - t1) ** 2))
    return np.where(varied, path, 0.0)


def _running(margins: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    origin = margins[..., :1]
    shifted = margins - origin
    n = np.arange(1.0, margins.shape[-1] + 1)
    mean = np.cumsum(shifted, axis=-1) / n
    variance = np.cumsum(shifted**2, axis=-1) / n - mean**2
    floor = _tiny(margins)
    return n, mean + origin, np.maximum(variance, floor)


def _tiny(margins: FloatArray) -> float:
    scale = float(np.abs(margins).max()) if margins.size else 0.0
    return max(1e-12 * scale * scale, 1e-300)


@dataclass(frozen=True, eq=False)
class Stops:
    """Where each path (along the last axis) first leaves its bounds.

    `index` is the position of the stop (the last position if there is none), `sign` +1 at the
    upper bound, -1 at the lower and 0 while undecided.
    """

    index: FloatArray
    sign: FloatArray
    low_excess: FloatArray
    high_excess: FloatArray


def find_stops(paths: FloatArray, design: SprtDesign) -> Stops:
    """First crossing of the corrected bounds by each path of log likelihood ratios.

    Overshoot: over the records of a path, with increments δ, the mean excess is Σδ²/(2Σδ);
    records are counted from 0, or from the first look when that is later.
    """
    first = min(design.min_deals, paths.shape[-1]) - 1
    seen = paths[..., first:]
    if design.min_deals <= 1:
        seen = np.concatenate([np.zeros((*paths.shape[:-1], 1)), seen], axis=-1)
    low = np.zeros_like(seen)
    high = np.zeros_like(seen)
    if design.overshoot:
        high = _mean_excess(np.maximum.accumulate(seen, axis=-1))
        low = _mean_excess(-np.minimum.accumulate(seen, axis=-1))
    if design.min_deals <= 1:
        seen, low, high = seen[..., 1:], low[..., 1:], high[..., 1:]
    if paths.shape[-1] < design.min_deals:
        crossed = np.zeros(seen.shape, dtype=np.int8)
    else:
        # The upper bound is a maximum, the lower a minimum: corrections never make them meet.
        crossed = (seen > np.maximum(design.upper - high, 0.0)).astype(np.int8) - (
            seen < np.minimum(design.lower + low, 0.0)
        ).astype(np.int8)
    stopped = crossed != 0
    any_stop = stopped.any(axis=-1)
    at = np.where(any_stop, stopped.argmax(axis=-1), seen.shape[-1] - 1)
    pick = at[..., None]
    return Stops(
        index=(at + first).astype(np.float64),
        sign=np.take_along_axis(crossed, pick, -1)[..., 0].astype(np.float64),
        low_excess=np.take_along_axis(low, pick, -1)[..., 0],
        high_excess=np.take_along_axis(high, pick, -1)[..., 0],
    )


def _mean_excess(records: FloatArray) -> FloatArray:
    steps = np.diff(records, axis=-1, prepend=records[..., :1])
    total = np.cumsum(steps, axis=-1)
    squares = np.cumsum(steps**2, axis=-1)
    return np.divide(squares, 2 * total, out=np.zeros_like(squares), where=total > 0)


def sprt_points(margins: ArrayLike, design: SprtDesign) -> SprtResult:
    """Sequential test of the mean margin in points, looking after every deal in order.

    Formula: `llr_points` against the bounds of the design. Unit: the deal; points. Assumes
    independent deals in a fixed order. Forfeited deals are skipped and counted. Source: Wald
    1945; Van den Bergh (see `llr_points`); measured error rates in docs/statistics.md.
    """
    return _scan(margins, design, lambda x: points_path(x, design.h0, design.h1))


def sprt_tvalue(margins: ArrayLike, design: SprtDesign) -> SprtResult:
    """Sequential test of mean/sd of the margins (h0 and h1 in standard deviations of a deal).

    Formula: `llr_tvalue` against the bounds of the design. Unit: the deal. Assumes independent
    deals in a fixed order. Source: Van den Bergh, "Normalized Elo in practice", section 4.2.
    """
    return _scan(margins, design, lambda x: tvalue_path(x, design.h0, design.h1))


def _scan(
    margins: ArrayLike, design: SprtDesign, path_of: Callable[[FloatArray], FloatArray]
) -> SprtResult:
    s = deal_sample(margins)
    if s.n == 0:
        return SprtResult(
            "continue",
            0,
            None,
            design.lower,
            design.upper,
            0.0,
            0.0,
            s.forfeits,
            s.note("No deals yet."),
        )
    path = path_of(s.values)
    note = ""
    if s.n < design.min_deals:
        note = f"{s.n} of the {design.min_deals} deals before the first look."
    elif s.n > 1 and s.sd == 0:
        note = s.trouble
    return _result(path, design, s.forfeits, s.note(note))


def _result(path: FloatArray, design: SprtDesign, forfeits: int, note: str) -> SprtResult:
    stops = find_stops(path, design)
    index = int(stops.index)
    decision: Decision = "continue"
    if stops.sign > 0:
        decision = "H1"
    elif stops.sign < 0:
        decision = "H0"
    low, high = float(stops.low_excess), float(stops.high_excess)
    return SprtResult(
        decision,
        index + 1,
        float(path[index]),
        design.lower + low,
        design.upper - high,
        low,
        high,
        forfeits,
        note,
    )


def counts_path(
    results: ArrayLike, design: SprtDesign, model: EloModel, categories: int, exact: bool = True
) -> FloatArray:
    """`llr_counts` after every game or pair; `results` are cell numbers from 0."""
    cells = np.asarray(results)
    if cells.ndim != 1 or (cells.size and not np.isin(cells, np.arange(categories)).all()):
        raise StatsError(f"results must be whole numbers from 0 to {categories - 1}")
    counts = np.zeros(categories)
    path = np.empty(cells.size)
    for i, cell in enumerate(cells.astype(np.int64)):
        counts[cell] += 1
        path[i] = llr_counts(counts, design.h0, design.h1, model, exact)
    return path


def sprt_counts(
    results: ArrayLike,
    design: SprtDesign,
    model: EloModel = "normalized",
    categories: Literal[3, 5] = 5,
) -> SprtResult:
    """Sequential test in Elo, looking after every game (3 cells) or pair of seatings (5 cells).

    `results` are the cell numbers in order: 0, 1, 2 for L, D, W or 0..4 for the half points of
    the pair. Formula: `llr_counts` against the bounds of the design. Unit: the game or the deal.
    Source: fishtest stat_util.py (`update_SPRT`), which has `min_deals=1`.
    """
    path = counts_path(results, design, model, categories)
    if path.size == 0:
        return SprtResult(
            "continue", 0, None, design.lower, design.upper, 0.0, 0.0, 0, "No results yet."
        )
    note = (
        f"{path.size} of the {design.min_deals} results before the first look."
        if path.size < design.min_deals
        else ""
    )
    return _result(path, design, 0, note)


def estimate_after_stopping(
    margins: ArrayLike, design: SprtDesign, confidence: float = 0.95
) -> StoppedEstimate:
    """Median-unbiased mean margin after `sprt_points`, with an interval that knows of the stop.

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
    stop = _Stop(design, result, mean, float(used.std(ddof=1)))
    estimate, low, high = (stop.solve(p) for p in (0.5, 0.5 + confidence / 2, 0.5 - confidence / 2))
    return StoppedEstimate(
        estimate, low, high, stop.worse(0.0), mean, result.n, result.decision, confidence, s.note()
    )


class _Stop:
    """The walk behind a finished or running test, and its outcome."""

    def __init__(self, design: SprtDesign, result: SprtResult, mean: float, sd: float) -> None:
        self.n = result.n
        self.sd = sd
        self.mean = mean
        self.middle = (design.h0 + design.h1) / 2
        self.walk = stopped_walk(
            (design.h1 - design.h0) / sd,
            (result.lower, result.upper),
            float(design.min_deals),
            float(result.n),
            (mean - self.middle) / sd,
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
        return float(
            optimize.brentq(lambda truth: self.worse(truth) - probability, low, high, xtol=1e-9)
        )


def elo_after_stopping(
    counts: ArrayLike,
    design: SprtDesign,
    model: EloModel = "logistic",
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
    score0, score1 = _score_bounds(o, design.h0, design.h1, model)
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
        return float(
            optimize.brentq(lambda elo: worse(elo) - probability, -1_000.0, 1_000.0, xtol=1e-11)
        )

    decision: Decision = "continue"
    if llr >= design.upper:
        decision = "H1"
    elif llr <= design.lower:
        decision = "H0"
    estimate, low, high = (solve(p) for p in (0.5, 0.5 + confidence / 2, 0.5 - confidence / 2))
    note = "" if None not in (estimate, low, high) else "A limit lies beyond ±1000 Elo: left open."
    naive = elo_of_score(o.mean)
    return StoppedEstimate(
        estimate,
        low,
        high,
        worse(0.0),
        naive,
        o.units,
        decision,
        confidence,
        note,
    )

"""Error rates and coverage by simulation, on models and on real margins.

Every function takes a way to draw margins (or a repetition × deal table of real ones) and returns
a measured rate with its own Monte Carlo interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import special, stats

from arena.stats.bradley_terry import bradley_terry
from arena.stats.elo import ELO_PER_LOGIT
from arena.stats.errors import StatsError
from arena.stats.field_planning import field_plan
from arena.stats.joint import joint_comparison
from arena.stats.pair_results import PairResults
from arena.stats.paired import predict_mean
from arena.stats.power import sequential_point, t_test_power
from arena.stats.ratings import Ratings
from arena.stats.sample import FloatArray, check_probability
from arena.stats.sequential.confidence_sequence import unit_sequence
from arena.stats.sequential.sprt import SprtDesign, find_stops, points_path
from arena.stats.sequential.stopping import estimate_after_stopping

Draw = Callable[[np.random.Generator, tuple[int, int]], FloatArray]
PValue = Callable[[FloatArray, np.random.Generator], float | None]
Limits = tuple[float | None, float | None]
Interval = Callable[[FloatArray, np.random.Generator], Limits]
CHUNK = 4_000_000  # margins held in memory at once
BLOCKS = 8  # a run is drawn in blocks of twice its planned length


@dataclass(frozen=True)
class Rate:
    """A measured rate: hits of reps with a 95% Monte Carlo interval.

    `unanswered` counts repetitions without an answer (no variance); they are no hits. `zero_share`
    is the share of deals with margin exactly 0.
    """

    rate: float
    low: float
    high: float
    reps: int
    unanswered: int = 0
    zero_share: float | None = None


@dataclass(frozen=True)
class SprtRates:
    """A sequential test run many times at one true mean, and the plan for it."""

    accept_h1: Rate
    accept_h0: Rate
    undecided: Rate
    mean_deals: float
    planned_deals: float


@dataclass(frozen=True)
class MarginModel:
    """Margins of one pair as duplicate Klaverjas gives them: zeros, spikes and a heavy middle.

    With probability `zero` both seatings went alike (margin 0); with probability `spike` each way
    a contract was made in one seating and lost in the other (±`size`); else a Laplace margin of
    standard deviation `body` rounded to whole points and shifted so that the mean is `edge`.
    """

    edge: float = 0.0
    zero: float = 0.25
    spike: float = 0.03
    size: float = 162.0
    body: float = 40.0

    def __post_init__(self) -> None:
        if self.zero < 0 or self.spike < 0 or self.zero + 2 * self.spike >= 1:
            raise StatsError("zero and twice spike must leave some probability to the body")

    def draw(self, rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        body_share = 1 - self.zero - 2 * self.spike
        u = rng.random(shape)
        body = np.round(rng.laplace(0.0, self.body / math.sqrt(2), shape))
        body += self.edge / body_share
        spikes = np.where(u < self.zero + self.spike, self.size, -self.size)
        return np.where(u < self.zero, 0.0, np.where(u < self.zero + 2 * self.spike, spikes, body))

    @property
    def sd(self) -> float:
        """Standard deviation of a margin (rounding adds what its spacing adds, 1/12)."""
        body_share = 1 - self.zero - 2 * self.spike
        shift = self.edge / body_share
        second = body_share * (self.body**2 + 1 / 12 + shift**2) + 2 * self.spike * self.size**2
        return math.sqrt(second - self.edge**2)


@dataclass(frozen=True)
class FieldModel:
    """Many agents on shared deals: margin = strengths + what the deal does to each agent + noise.

    `strengths` are points per deal; each agent has an effect of standard deviation `deal_sd` on
    each deal, which ties its games on that deal together, and each game noise of `noise_sd`.
    """

    strengths: tuple[float, ...]
    deal_sd: float = 15.0
    noise_sd: float = 30.0
    agents: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "agents", tuple(f"agent{i + 1}" for i in range(len(self.strengths)))
        )

    def draw(self, rng: np.random.Generator, deals: int) -> PairResults:
        k = len(self.strengths)
        i, j = np.triu_indices(k, 1)
        effects = rng.normal(0.0, self.deal_sd, (deals, k)) + np.asarray(self.strengths)
        noise = rng.normal(0.0, self.noise_sd, (deals, i.size))
        margins = np.round(effects[:, i] - effects[:, j] + noise)
        return PairResults.from_margins(
            self.agents,
            np.tile(i, deals),
            np.tile(j, deals),
            np.repeat(np.arange(deals), i.size),
            margins.ravel(),
        )

    def true_points(self) -> FloatArray:
        values = np.asarray(self.strengths, dtype=np.float64)
        return np.asarray(values - values.mean())

    def true_elo(self) -> FloatArray:
        """The best fitting Elo: Bradley-Terry (draws half) on the exact expected scores."""
        sd = math.sqrt(2 * self.deal_sd**2 + self.noise_sd**2)
        i, j = np.triu_indices(len(self.strengths), 1)
        mean = np.asarray(self.strengths)[i] - np.asarray(self.strengths)[j]
        win, loss = special.ndtr((mean - 0.5) / sd), special.ndtr((-mean - 0.5) / sd)
        fit = bradley_terry(len(self.strengths), np.column_stack([i, j, win, 1 - win - loss, loss]))
        return np.asarray(ELO_PER_LOGIT * fit.strengths)


def measured_rate(
    hits: int, reps: int, unanswered: int = 0, zero_share: float | None = None
) -> Rate:
    """hits/reps with the Wilson 95% interval. Source: Wilson 1927, JASA 22."""
    if reps < 1:
        raise StatsError("no repetitions")
    interval = stats.binomtest(hits, reps).proportion_ci(0.95, method="wilson")
    low, high = float(interval.low), float(interval.high)
    return Rate(hits / reps, low, high, reps, unanswered, zero_share)


def covered(limits: Iterable[Limits], truth: float, zero_share: float | None = None) -> Rate:
    """How often limits contain the truth; those that do not exist count as a miss."""
    hits = unanswered = reps = 0
    for low, high in limits:
        reps += 1
        if low is None or high is None:
            unanswered += 1
        else:
            hits += low <= truth <= high
    return measured_rate(hits, reps, unanswered, zero_share)


def false_positives(
    draw: Draw | FloatArray,
    test: PValue,
    seed: int,
    reps: int = 4_000,
    deals: int = 200,
    alpha: float = 0.05,
) -> Rate:
    """How often a test rejects at level alpha; on A/A margins this is its false positive rate.

    `draw` makes repetition × deal margins, or is such a table (then reps and deals are its own).
    """
    check_probability(alpha, "alpha")
    rng = np.random.default_rng(seed)
    table = _repetitions(draw, rng, reps, deals)
    found = [test(x, rng) for x in table]
    known = [p for p in found if p is not None]
    hits = sum(p < alpha for p in known)
    return measured_rate(hits, len(found), len(found) - len(known), _zero_share(table))


def coverage(
    draw: Draw | FloatArray,
    interval: Interval,
    truth: float,
    seed: int,
    reps: int = 4_000,
    deals: int = 200,
) -> Rate:
    """How often an interval contains the truth; `draw` is as for `false_positives`."""
    rng = np.random.default_rng(seed)
    table = _repetitions(draw, rng, reps, deals)
    return covered((interval(x, rng) for x in table), truth, _zero_share(table))


def prediction_coverage(draw: Draw, deals: int, later: int, seed: int, reps: int) -> Rate:
    """How often the mean of `later` further deals lies within the limits predicted from `deals`."""
    margins = draw(np.random.default_rng(seed), (reps, deals + later))
    hits = 0
    for row in margins:
        found = predict_mean(row[:deals], later)
        if found.low is not None and found.high is not None:
            hits += found.low <= row[deals:].mean() <= found.high
    return measured_rate(hits, reps)


def plan_keeps(model: MarginModel, pilot: int, detect: float, seed: int, reps: int) -> Rate:
    """How often a plan from a pilot of so many deals has the power that it promises."""
    kept = 0
    for margins in model.draw(np.random.default_rng(seed), (reps, pilot)):
        first, second = np.zeros(pilot, dtype=int), np.ones(pilot, dtype=int)
        results = PairResults.from_margins("AB", first, second, np.arange(pilot), margins)
        plan = field_plan(results, detect)
        needed = plan.contrasts[0].needed
        kept += needed is not None and t_test_power(needed.deals, detect, model.sd) >= plan.power
    return measured_rate(kept, reps)


def _repetitions(
    draw: Draw | FloatArray, rng: np.random.Generator, reps: int, deals: int
) -> FloatArray:
    if callable(draw):
        return draw(rng, (reps, deals))
    if draw.ndim != 2 or draw.size == 0:
        raise StatsError("real margins must be a repetition × deal table")
    return draw


def _zero_share(table: FloatArray) -> float:
    return float((table == 0).mean())


def rating_coverage(
    model: FieldModel,
    rate: Callable[[PairResults], Ratings],
    truth: FloatArray,
    seed: int,
    reps: int = 1_000,
    deals: int = 100,
) -> Rate:
    """How often rating intervals contain the truth, averaged over agents.

    Agents of one repetition are not independent, so the Monte Carlo interval is the t interval
    over repetitions.
    """
    rng = np.random.default_rng(seed)
    shares = np.empty(reps)
    for rep in range(reps):
        ratings = rate(model.draw(rng, deals)).ratings
        shares[rep] = np.mean(
            [
                r.low is not None and r.high is not None and r.low <= t <= r.high
                for r, t in zip(ratings, truth, strict=True)
            ]
        )
    half = float(stats.t.ppf(0.975, reps - 1) * shares.std(ddof=1) / math.sqrt(reps))
    mean = float(shares.mean())
    return Rate(mean, max(mean - half, 0.0), min(mean + half, 1.0), reps)


@dataclass(frozen=True)
class PageRates:
    """How often a page says something false."""

    claims: Rate
    """Which agent is ahead (verdict, letters, ranks), how near the best an agent is, or that
    margins do not add up."""
    misfit: Rate
    """That margins do not add up, in a field where they do."""


def page_errors(
    draw: Callable[[np.random.Generator], PairResults],
    strengths: Sequence[float],
    seed: int,
    reps: int = 1_000,
) -> PageRates:
    """How often `joint_comparison`, which makes all claims of a page, claims anything false.

    A false claim puts an agent ahead of one that is as strong or stronger (verdict, letters,
    ranks), brings an agent nearer to the best than it is (`within`), or says that margins do not
    add up. `draw` makes a new field each time; `strengths` are those of its agents.
    """
    rng = np.random.default_rng(seed)
    false = misfits = 0
    for _ in range(reps):
        found = joint_comparison(draw(rng))
        strength = dict(zip(found.agents, strengths, strict=True))
        wrong = found.fit.misfits or any(
            c.direction * (strength[c.first] - strength[c.second]) <= 0
            for c in found.contrasts
            if c.direction
        )
        best = max(strengths)
        for name in found.agents:
            within = found.within(name)
            wrong |= within is not None and best - strength[name] > within
        false += wrong
        misfits += found.fit.misfits
    return PageRates(measured_rate(false, reps), measured_rate(misfits, reps))


def sprt_rates(
    draw: Draw, design: SprtDesign, truth: float, sd: float, seed: int, runs: int = 20_000
) -> SprtRates:
    """Decisions and lengths of `sprt_points` at one true mean, with the plan of `power`.

    Runs are cut at BLOCKS times twice the planned length and then count as undecided.
    """
    rng = np.random.default_rng(seed)
    planned = sequential_point(truth, sd, design).expected_deals
    block = math.ceil(2 * planned) + design.min_deals
    upper = lower = 0
    lengths = 0.0
    rows = max(1, CHUNK // block)
    for start in range(0, runs, rows):
        x = draw(rng, (min(rows, runs - start), block))
        for _ in range(BLOCKS):
            stops = find_stops(points_path(x, design), design)
            upper += int(np.count_nonzero(stops.sign > 0))
            lower += int(np.count_nonzero(stops.sign < 0))
            running = stops.sign == 0
            lengths += float(np.sum(stops.index[~running] + 1))
            x = x[running]
            if not len(x):
                break
            x = np.concatenate([x, draw(rng, (len(x), block))], axis=1)
        lengths += float(len(x) * BLOCKS * block)
    return SprtRates(
        measured_rate(upper, runs),
        measured_rate(lower, runs),
        measured_rate(runs - upper - lower, runs),
        lengths / runs,
        planned,
    )


def stopped_coverage(
    draw: Draw, design: SprtDesign, truth: float, sd: float, seed: int, reps: int = 2_000
) -> Rate:
    """How often the interval of `estimate_after_stopping` contains the truth."""
    planned = sequential_point(truth, sd, design).expected_deals
    limit = math.ceil(10 * planned) + design.min_deals
    rng = np.random.default_rng(seed)
    found = (estimate_after_stopping(draw(rng, (1, limit))[0], design) for _ in range(reps))
    return covered(((each.low, each.high) for each in found), truth)


def sequence_misses(
    draw: Draw,
    truth: float,
    bounds: tuple[float, float],
    seed: int,
    runs: int = 1_000,
    looks: int = 10_000,
    alpha: float = 0.05,
) -> Rate:
    """How often a confidence sequence excludes the truth at any of its looks."""
    check_probability(alpha, "alpha")
    rng = np.random.default_rng(seed)
    width = bounds[1] - bounds[0]
    target = (truth - bounds[0]) / width
    misses = 0
    rows = max(1, CHUNK // looks)
    for start in range(0, runs, rows):
        x = (draw(rng, (min(rows, runs - start), looks)) - bounds[0]) / width
        if x.min() < 0 or x.max() > 1:
            raise StatsError("a drawn margin lies outside the bounds")
        low, high = unit_sequence(x, alpha)
        misses += int(np.count_nonzero(((low > target) | (high < target)).any(axis=1)))
    return measured_rate(misses, runs)

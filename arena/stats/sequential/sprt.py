"""Sequential probability ratio tests: stop as soon as the deals decide.

The default works on deal margins in points: H0 says the mean margin is `h0`, H1 says `h1`. The
same machinery runs on the t value of the margins and on trinomial or pentanomial counts in Elo,
for comparison with chess tools. Deals must be looked at in their fixed order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from arena.stats.errors import StatsError
from arena.stats.sample import FloatArray, check_probability, deal_sample
from arena.stats.sequential.likelihood import EloModel, llr_counts

Decision = Literal["H0", "H1", "continue"]


@dataclass(frozen=True)
class SprtDesign:
    """The test: h0 against h1, the two error rates, and the first look.

    Bounds are Wald's, ln(β/(1-α)) and ln((1-β)/α). `min_deals` deals are played before the first
    look, because the variance of a handful of deals (many of them 0) is no estimate. With
    `overshoot` the bounds move in by the mean excess of the likelihood ratio over its earlier
    record, measured as the run goes. `extreme` is for margins with rare large losses or wins: a
    deal won and a deal lost by that much, or by the largest margin m so far if it is larger, are
    put into the variance (s² + 2m²/n), because a run with few of them looks surer than it is; with
    2% losses of 162 points the false positives fall from 0.14 to 0.04, for a third more deals.
    `first_h1` deals are
    played before H1 may be accepted (see `deals_to_exclude`). Source: Wald 1945, Ann. Math. Stat.
    16;
    Siegmund 1985, Sequential Analysis, Corollary 8.33; fishtest stat_util.py (`update_SPRT`).
    """

    h0: float
    h1: float
    alpha: float = 0.05
    beta: float = 0.05
    min_deals: int = 30
    overshoot: bool = True
    extreme: float | None = None
    first_h1: int = 0

    def __post_init__(self) -> None:
        check_probability(self.alpha, "alpha")
        check_probability(self.beta, "beta")
        if self.alpha + self.beta >= 1:
            raise StatsError("alpha + beta must stay below 1")
        if not self.h0 < self.h1:
            raise StatsError(f"a sequential test needs h0 < h1, got {self.h0} and {self.h1}")
        if self.extreme is not None and not 0 <= self.extreme < math.inf:
            raise StatsError(f"extreme must be a number of points, got {self.extreme}")
        if self.min_deals < 1:
            raise StatsError(f"min_deals must be at least 1, got {self.min_deals}")

    @property
    def lower(self) -> float:
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        return math.log((1 - self.beta) / self.alpha)


def deals_to_exclude(loss: float, gap: float, error: float) -> int:
    """Deals without a loss that exclude rare losses which would add up to `gap` points per deal.

    Formula: 2·ln(1/error)·loss/gap. If a deal can cost `loss` points, a mean loss of `gap` needs
    such deals at a rate of gap/loss or more, and n deals miss them all with probability
    (1 - gap/loss)ⁿ ≤ e^(-n·gap/loss) = error². Half as many deals would make that the error itself
    and leave nothing to the test that looks at the losses which do show. Unit: the deal.
    Source: Hanley & Lippman-Hand 1983, JAMA 249 (the rule of three, here of six).
    """
    return math.ceil(2 * math.log(1 / error) * loss / gap)


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


def points_path(margins: FloatArray, design: SprtDesign) -> FloatArray:
    """`llr_points` after every deal, along the last axis; 0 while nothing is known to vary."""
    n, mean, seen = _running(margins)
    variance = seen
    if design.extreme is not None:
        largest = np.maximum.accumulate(np.abs(margins), axis=-1)
        variance = seen + 2 * np.maximum(largest, design.extreme) ** 2 / n
    h0, h1 = design.h0, design.h1
    path: FloatArray = (
        n / 2 * (np.log(variance + (mean - h0) ** 2) - np.log(variance + (mean - h1) ** 2))
    )
    return np.where(variance > _tiny(margins), path, 0.0)


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
        above = seen > np.maximum(design.upper - high, 0.0)
        above[..., : max(design.first_h1 - 1 - first, 0)] = False
        crossed = above.astype(np.int8) - (seen < np.minimum(design.lower + low, 0.0)).astype(
            np.int8
        )
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
    s = deal_sample(margins)
    if s.n == 0:
        return _undecided(design, s.forfeits, s.note("No deals yet."))
    note = ""
    if s.n < design.min_deals:
        note = f"{s.n} of the {design.min_deals} deals before the first look."
    elif s.n > 1 and s.sd == 0:
        note = s.trouble
    return _result(points_path(s.values, design), design, s.forfeits, s.note(note))


def _undecided(design: SprtDesign, forfeits: int, note: str) -> SprtResult:
    """The result before the first deal."""
    bounds = (design.lower, design.upper)
    return SprtResult("continue", 0, None, *bounds, 0.0, 0.0, forfeits, note)


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
        return _undecided(design, 0, "No results yet.")
    note = (
        f"{path.size} of the {design.min_deals} results before the first look."
        if path.size < design.min_deals
        else ""
    )
    return _result(path, design, 0, note)

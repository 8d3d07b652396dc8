"""How the variance of a margin splits into cards and seeds, and what more seeds per deal gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from arena.stats.errors import StatsError
from arena.stats.sample import FloatArray, join_notes


@dataclass(frozen=True)
class SeedVariance:
    """Variance components of a deal's margin, in squared points.

    With k seeds on each of n deals the mean margin has variance (`cards` + `seeds` / k) / n.
    """

    cards: float | None
    """Of a deal's expected margin from deal to deal; an estimate may be a little below 0."""
    seeds: float | None
    """Of the margin of one deal with one seed, from seed to seed."""
    share: float | None
    """`seeds` / (`cards` + `seeds`), at most 1: the seeds' part of the variance with one seed."""
    low: float | None
    """95% interval of the share, cut at 0 and 1."""
    high: float | None
    deals: int
    seeds_per_deal: int
    note: str = ""

    def error_ratio(self, seeds_per_deal: int) -> float | None:
        """The standard error with so many seeds per deal and as many deals, in that of now."""
        if self.share is None:
            return None
        now = 1 - self.share + self.share / self.seeds_per_deal
        then = 1 - self.share + self.share / seeds_per_deal
        return float(np.sqrt(then / now))


def seed_variance(values: ArrayLike) -> SeedVariance:
    """Split the variance of margins into cards and seeds.

    `values` has a row per deal and a column per seed (the seatings of each averaged first); a row
    with a NaN is left out. Formula: the one-way analysis of variance; `seeds` is the mean variance
    within deals, `cards` the variance of the deal means less `seeds`/k. Both are unbiased whatever
    the shape of margins. The interval of the share is k/(k - 1 + F) with limits of F, the
    mean square between deals by that within, from the jackknife of ln F over deals with t(n - 1).
    Unit: the deal. Assumes independent deals. Sources: Searle, Casella & McCulloch 1992, Variance
    Components, §3.6; Arvesen 1969, Ann. Math. Statist. 40 (jackknife).
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise StatsError(
            f"one row per deal and at least two seeds expected, got shape {table.shape}"
        )
    played = table[~np.isnan(table).any(axis=1)]
    left_out = len(table) - len(played)
    note = f"{left_out} deals with a forfeit were left out." if left_out else ""
    n, k = played.shape
    if n < 3:
        why = "Fewer than three complete deals: no variance to split."
        return SeedVariance(None, None, None, None, None, n, k, join_notes(why, note))
    within, means = played.var(axis=1, ddof=1), played.mean(axis=1)
    seeds = float(within.mean())
    total = float(means.var(ddof=1)) + seeds * (1 - 1 / k)
    if total <= 0:
        why = "Every game has the same margin: nothing varies."
        return SeedVariance(0.0, 0.0, None, None, None, n, k, join_notes(why, note))
    cards, share = total - seeds, min(1.0, seeds / total)
    ratios = _without_each(within, means, k)
    if not np.isfinite(ratios).all():
        why = "Cards or seeds change margins on one deal only: the share has no interval."
        return SeedVariance(cards, seeds, share, None, None, n, k, join_notes(why, note))
    ratio = float(np.log(k * means.var(ddof=1) / seeds))
    error = float(np.sqrt((n - 1) / n * ((ratios - ratios.mean()) ** 2).sum()))
    reach = float(special.stdtrit(n - 1, 0.975)) * error
    low, high = (min(1.0, k / (k - 1 + np.exp(ratio + side * reach))) for side in (1, -1))
    return SeedVariance(cards, seeds, share, float(low), float(high), n, k, note)


def _without_each(within: FloatArray, means: FloatArray, k: int) -> FloatArray:
    """The logarithm of F, the mean square between deals by that within, without each deal."""
    n = len(means)
    seeds = (within.sum() - within) / (n - 1)
    mean = (means.sum() - means) / (n - 1)
    between = (((means**2).sum() - means**2) - (n - 1) * mean**2) / (n - 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios: FloatArray = np.log(k * between) - np.log(seeds)
    return ratios

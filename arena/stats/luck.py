"""Margins corrected for luck that is known: a control variate with mean 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from arena.stats.errors import StatsError
from arena.stats.paired import MeanDifference, mean_difference
from arena.stats.sample import FloatArray


@dataclass(frozen=True)
class LuckCorrection:
    """A mean margin as it was played, and less what luck is known to have given."""

    plain: MeanDifference
    corrected: MeanDifference
    weights: tuple[float, ...]
    """How much of the luck is taken off, for each part of the deals."""
    variance_ratio: float | None
    """Variance of the corrected margins, in that of the plain ones; None without spread."""

    @property
    def worth_deals(self) -> int | None:
        """How many deals of plain margins would be as precise."""
        if not self.variance_ratio:
            return None
        return round(self.plain.n / self.variance_ratio)


def luck_correction(margins: ArrayLike, luck: ArrayLike, *, parts: int = 2) -> LuckCorrection:
    """Take known luck off margins, one value of both per deal.

    `luck` must have mean 0 whatever the agents' strengths, as the sum over decisions of (value of
    the card drawn - mean value over the known probabilities) has, or the value of a deal in which
    the same player sits in all seats. Formula: margin - w·luck; w is the regression slope of the
    *other* parts of the deals (with two: of every second deal), so that the correction keeps its
    mean of 0 and the estimate stays unbiased. With few deals more parts leave more to learn w from.
    Interval: t over deals. Unit: the deal; points. Sources: Burch et al. 2018, AIVAT, AAAI 32;
    Owen 2013, Monte Carlo, §8.9 (control variates); Chernozhukov et al. 2018 (cross-fitting).
    """
    played, given = np.asarray(margins, np.float64), np.asarray(luck, np.float64)
    if played.shape != given.shape or played.ndim != 1:
        raise StatsError(
            f"one margin and one luck per deal expected, got {played.shape} and {given.shape}"
        )
    if len(played) < 4:
        raise StatsError(f"at least 4 deals are needed for a correction, got {len(played)}")
    if not 2 <= parts <= len(played):
        raise StatsError(f"from 2 parts to one per deal expected, got {parts}")
    part = np.arange(len(played)) % parts
    weights = [_slope(played[part != each], given[part != each]) for each in range(parts)]
    corrected = played - np.take(weights, part) * given
    plain, after = mean_difference(played), mean_difference(corrected)
    ratio = None if not plain.sd or after.sd is None else (after.sd / plain.sd) ** 2
    return LuckCorrection(plain, after, tuple(weights), ratio)


def _slope(margins: FloatArray, luck: FloatArray) -> float:
    spread = float(((luck - luck.mean()) ** 2).sum())
    return float((margins * (luck - luck.mean())).sum()) / spread if spread > 0 else 0.0

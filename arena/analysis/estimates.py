"""A number with its interval, its sample size and, where there is none, the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arena.stats import MeanDifference, Share, mean_difference, share_of_points

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean or a rate over deals, with its 95% interval."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    """Deals (or matches) that it rests on."""
    se: float | None = None
    note: str = ""

    @classmethod
    def of(cls, found: MeanDifference | Share) -> Estimate:
        """An estimate from a result of `arena.stats`."""
        value = found.mean if isinstance(found, MeanDifference) else found.share
        return cls(value, found.low, found.high, found.n, found.se, found.note)

    def negative(self) -> Estimate:
        """The same, seen from the other side."""
        value, low, high = (None if x is None else -x for x in (self.value, self.high, self.low))
        return Estimate(value, low, high, self.n, self.se, self.note)


def mean_of(totals: FloatArray, counts: FloatArray) -> Estimate:
    """The mean over units, each unit being the mean of its own observations."""
    seen = counts > 0
    return Estimate.of(mean_difference(totals[seen] / counts[seen]))


def rate_of(events: FloatArray, chances: FloatArray) -> Estimate:
    """Events by chances: a ratio of totals, its error from the spread between units.

    A limit beyond 0 or 1, which the t interval can have, is cut off there.
    """
    seen = chances > 0
    found = Estimate.of(share_of_points(events[seen], chances[seen] - events[seen]))
    low = None if found.low is None else max(found.low, 0.0)
    high = None if found.high is None else min(found.high, 1.0)
    return replace(found, low=low, high=high)


def mean_by_unit(units: Sequence[int], values: Sequence[float]) -> Estimate:
    """`mean_of` observations that are each said with the number of their unit."""
    return mean_of(_sums(units, values), _sums(units, np.ones(len(units))))


def rate_by_unit(units: Sequence[int], happened: Sequence[bool]) -> Estimate:
    """`rate_of` chances that are each said with the number of their unit."""
    return rate_of(_sums(units, happened), _sums(units, np.ones(len(units))))


def _sums(units: Sequence[int], values: Sequence[float] | FloatArray) -> FloatArray:
    return np.bincount(units, np.asarray(values, dtype=np.float64)).astype(np.float64)

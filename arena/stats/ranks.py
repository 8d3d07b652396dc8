"""Null distributions of rank tests.

They are written here, and tested against `scipy.stats`, because importing that takes 0.3 CPU s
more than the other parts of scipy that `arena compare` needs, half of its time.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from arena.stats.sample import FloatArray, IntArray

EXACT_SIGNED_RANKS = 50
"""Up to so many values the distribution of signed ranks is exact."""
EXACT_RANK_SUMS = 8
"""Up to so many values in the smaller sample the distribution of rank sums is exact."""


class RankTest(NamedTuple):
    """A statistic and its two-sided p."""

    statistic: float
    p: float


def signed_ranks(values: FloatArray) -> RankTest:
    """Wilcoxon's signed-rank test; zeros are ranked and then dropped (Pratt).

    Formula: W = smaller of the positive and the negative rank sum; exact for few values, ties
    included, else normal with the variance corrected for ties and zeros.
    """
    ranks, ties = _doubled_ranks(np.abs(values))
    up, down = int(ranks[values > 0].sum()), int(ranks[values < 0].sum())
    least = min(up, down)
    if values.size <= EXACT_SIGNED_RANKS:
        ways = np.ones(1)
        for rank in ranks[values != 0]:
            ways = np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))
        return RankTest(least / 2, min(1.0, 2 * float(ways[: least + 1].sum() / ways.sum())))
    zeros = int(np.count_nonzero(values == 0))
    ties = ties[1:] if zeros else ties  # zeros have the lowest ranks
    variance = _squares(values.size) - _squares(zeros) - float(np.sum(ties**3 - ties)) / 48
    z = (least / 2 - (up + down) / 4) / math.sqrt(variance)
    return RankTest(least / 2, min(1.0, 2 * float(special.ndtr(z))))


def rank_sums(a: FloatArray, b: FloatArray) -> RankTest:
    """The Mann-Whitney test: U of the first sample.

    Formula: U = rank sum of a - n(n + 1)/2; exact for a small sample without ties, else normal
    with the variance corrected for ties and the step of U (half of it).
    """
    ranks, ties = _doubled_ranks(np.concatenate((a, b)))
    n, m = a.size, b.size
    u = int(ranks[:n].sum()) / 2 - n * (n + 1) / 2
    most = max(u, n * m - u)
    if min(n, m) <= EXACT_RANK_SUMS and ties.max() == 1:
        ways = _ways_of_u(min(n, m), max(n, m))
        return RankTest(u, min(1.0, 2 * float(ways[math.ceil(most) :].sum() / ways.sum())))
    total = n + m
    tied = float(np.sum(ties**3 - ties)) / (total * (total - 1))
    z = (most - n * m / 2 - 0.5) / math.sqrt(n * m / 12 * (total + 1 - tied))
    return RankTest(u, min(1.0, 2 * float(special.ndtr(-z))))


def _doubled_ranks(values: FloatArray) -> tuple[IntArray, IntArray]:
    """Twice the rank of each value, the mean rank among equal ones, and how often each occurs."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return (2 * last - count + 1)[place], count


def _squares(n: int) -> float:
    """A quarter of 1² + 2² + … + n²."""
    return n * (n + 1) * (2 * n + 1) / 24


def _ways_of_u(n: int, m: int) -> FloatArray:
    """In how many orders of n and m values U is 0, 1, …, n·m."""
    # of[i][u]: ways for i of the smaller sample among those seen so far
    of = np.zeros((n + 1, n * m + 1))
    of[:, 0] = 1.0  # none of the larger sample yet
    for seen in range(1, m + 1):
        for i in range(1, n + 1):
            # The largest value is one of the smaller sample, above `seen` others, or is not.
            of[i, seen:] += of[i - 1, : n * m + 1 - seen]
    return np.asarray(of[n])

"""Rank tests against scipy, which takes too long to import for commands; and no root."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from arena.stats import StatsError
from arena.stats.ranks import rank_sums, signed_ranks
from arena.stats.roots import root


@pytest.mark.parametrize("n", [3, 8, 13, 20, 50, 51, 200])
def test_signed_ranks_against_scipy(n: int) -> None:
    rng = np.random.default_rng(n)
    smooth, tied = rng.normal(0.3, 1, n), rng.integers(-3, 6, n).astype(float)
    for values in [smooth, *([tied] if n <= 13 or n > 50 else [])]:  # scipy: exact up to 13
        expected = stats.wilcoxon(values, zero_method="pratt")
        assert signed_ranks(values) == pytest.approx((expected.statistic, expected.pvalue))


def test_signed_ranks_with_ties_are_exact_up_to_fifty() -> None:
    values = np.array([1.0] * 12 + [-1.0] * 8)  # equal ranks: the sign test of 12 against 8
    assert signed_ranks(values).p == pytest.approx(stats.binomtest(12, 20).pvalue)


@pytest.mark.parametrize("n", [2, 7, 8, 9, 60])
@pytest.mark.parametrize("m", [2, 8, 30])
def test_rank_sums_against_scipy(n: int, m: int) -> None:
    rng = np.random.default_rng([n, m])
    for a, b in (
        (rng.normal(0, 1, n), rng.normal(1, 1, m)),
        (rng.integers(0, 5, n) * 1.0, rng.integers(0, 7, m) * 1.0),
    ):
        expected = stats.mannwhitneyu(a, b)
        assert rank_sums(a, b) == pytest.approx((expected.statistic, expected.pvalue))


def test_no_root() -> None:
    with pytest.raises(StatsError, match=r"no root between -1 and 1: .* different signs"):
        root(lambda x: x * x + 1, -1.0, 1.0, 1e-9)

"""Margins less known luck: what is exact, what is unbiased, and how often the interval holds."""

from __future__ import annotations

import numpy as np
import pytest

from arena.measure.calibrate.races import luck_coverage
from arena.stats import StatsError
from arena.stats.luck import luck_correction


def test_luck_that_explains_everything_leaves_the_strength() -> None:
    luck = np.array([3.0, -1.0, 2.0, -5.0, 1.0, 0.0])
    found = luck_correction(7 + 2 * luck, luck)
    assert found.corrected.mean == pytest.approx(7)
    assert found.weights == pytest.approx((2, 2))
    assert found.variance_ratio == pytest.approx(0, abs=1e-12)


def test_each_half_is_corrected_by_the_slope_of_the_other() -> None:
    luck = np.array([1.0, 1.0, -1.0, -1.0])
    margins = np.array([2.0, 6.0, -2.0, -6.0])  # slopes: 2 in the even half, 6 in the odd one
    found = luck_correction(margins, luck)
    assert found.weights == pytest.approx((6, 2))
    assert found.corrected.mean == pytest.approx(np.mean([2 - 6, 6 - 2, -2 + 6, -6 + 2]))


def test_luck_that_explains_nothing_costs_little() -> None:
    rng = np.random.default_rng(1)
    found = luck_correction(rng.normal(size=400), rng.normal(size=400))
    assert found.variance_ratio == pytest.approx(1, abs=0.03)
    assert found.worth_deals == pytest.approx(400, rel=0.03)


def test_no_luck_changes_nothing() -> None:
    margins = np.arange(6.0)
    found = luck_correction(margins, np.zeros(6))
    assert found.corrected == found.plain and found.variance_ratio == 1


def test_the_correction_has_no_bias() -> None:
    rng = np.random.default_rng(2)
    means = []
    for _ in range(3000):
        luck = rng.exponential(1.0, 8) - 1
        means.append(luck_correction(5 + 3 * luck + luck**2, luck).corrected.mean)
    expected = 5 + 1.0  # E[luck²] = 1
    error = np.std(means) / len(means) ** 0.5
    assert abs(np.mean(means) - expected) < 4 * error


def test_the_interval_covers() -> None:
    assert 0.93 < luck_coverage(50, 800, seed=3).rate < 0.97


def test_the_interval_covers_after_an_evening() -> None:
    assert 0.92 < luck_coverage(24, 800, seed=4, parts=5).rate < 0.97


def test_more_parts_learn_more_from_few_deals() -> None:
    rng = np.random.default_rng(3)
    spread: dict[int, list[float]] = {2: [], 5: []}
    for _ in range(400):
        luck = rng.normal(size=8)
        for parts, means in spread.items():
            found = luck_correction(2 * luck + rng.normal(size=8), luck, parts=parts)
            assert len(found.weights) == parts and found.corrected.mean is not None
            means.append(found.corrected.mean)
    assert np.var(spread[5]) < np.var(spread[2])


def test_what_cannot_be_corrected_is_refused() -> None:
    with pytest.raises(StatsError, match="one margin and one luck"):
        luck_correction([1, 2, 3, 4], [1, 2, 3])
    with pytest.raises(StatsError, match="from 2 parts"):
        luck_correction([1, 2, 3, 4], [1, 2, 3, 4], parts=5)
    with pytest.raises(StatsError, match="at least 4"):
        luck_correction([1, 2, 3], [1, 2, 3])

"""Variance by cards and seeds: a table worked out by hand, models, and coverage."""

from __future__ import annotations

import numpy as np
import pytest

from arena.measure.calibrate.races import seed_share_coverage
from arena.stats import StatsError
from arena.stats.seed_variance import seed_variance


def test_a_table_by_hand() -> None:
    # Deal means 2, 6, 4 (variance 4); variances within 2, 8, 2 (mean 4).
    found = seed_variance([[1, 3], [4, 8], [3, 5]])
    assert found.seeds == pytest.approx(4)
    assert found.cards == pytest.approx(4 - 4 / 2)
    assert found.share == pytest.approx(4 / 6)
    assert (found.deals, found.seeds_per_deal) == (3, 2)
    # Variance of the mean: 2 + 4/2 now, 2 + 4/8 with eight seeds.
    assert found.error_ratio(8) == pytest.approx((2.5 / 4) ** 0.5)
    assert found.error_ratio(2) == 1.0


def test_the_variance_of_the_mean_is_put_together_again() -> None:
    table = np.random.default_rng(1).normal(size=(50, 4)) + np.arange(50)[:, None] / 10
    found = seed_variance(table)
    assert found.cards is not None and found.seeds is not None
    assert found.cards + found.seeds / 4 == pytest.approx(table.mean(axis=1).var(ddof=1))


def test_all_cards_and_all_seeds() -> None:
    rng = np.random.default_rng(2)
    cards = np.repeat(rng.normal(size=(200, 1)), 2, axis=1)
    assert seed_variance(cards).share == 0
    found = seed_variance(rng.normal(size=(400, 2)))
    assert found.share == pytest.approx(1, abs=0.15) and found.high == 1
    assert found.error_ratio(4) == pytest.approx(0.5**0.5, abs=0.1)


def test_what_has_no_answer_says_so() -> None:
    assert "three complete" in seed_variance([[1, 2], [3, np.nan], [4, 5]]).note
    assert "nothing varies" in seed_variance(np.ones((5, 2))).note
    with pytest.raises(StatsError, match="two seeds"):
        seed_variance([[1], [2]])


def test_the_interval_of_the_share_covers() -> None:
    rate = seed_share_coverage(0.8, 200, 2, 400, seed=1)
    assert 0.91 < rate.rate < 0.98

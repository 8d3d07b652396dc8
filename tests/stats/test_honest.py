"""Honest by measurement, in short: the full sizes are in docs/statistics.md.

Each rate is held to its limit plus what the smaller number of repetitions may add.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.measure.calibrate.statistics import (
    FieldModel,
    MarginModel,
    Rate,
    coverage,
    false_positives,
    prediction_coverage,
    rating_coverage,
    sequence_misses,
    sprt_rates,
    stopped_coverage,
)
from arena.stats import (
    Bootstrap,
    SprtDesign,
    StatsError,
    bca_mean,
    elo_rating,
    mean_difference,
    paired_t,
    score_rating,
    sign_flip,
    wilcoxon_signed_rank,
)

Rng = np.random.Generator
Margins = NDArray[np.float64]
NULL, EDGE = MarginModel(), MarginModel(edge=5.0)
FIELD = FieldModel((0.0, 6.0, 12.0))


def holds(rate: Rate, target: float, tolerance: float) -> bool:
    """The target band meets the rate's own Monte Carlo interval."""
    return rate.low <= target + tolerance and rate.high >= target - tolerance


def test_margin_model_is_what_it_says() -> None:
    x = EDGE.draw(np.random.default_rng(1), (500, 2_000))
    assert x.mean() == pytest.approx(5.0, abs=0.2)
    assert x.std() == pytest.approx(EDGE.sd, rel=0.01)
    assert np.mean(x == 0) == pytest.approx(0.25, abs=0.01)
    assert np.mean(np.abs(x) == 162) == pytest.approx(0.06, abs=0.005)
    with pytest.raises(StatsError):
        MarginModel(zero=0.9, spike=0.1)


@pytest.mark.long
def test_false_positives() -> None:
    t = false_positives(NULL.draw, lambda x, _: paired_t(x).p, 1, reps=1_500, deals=100)
    w = false_positives(NULL.draw, lambda x, _: wilcoxon_signed_rank(x).p, 2, reps=800, deals=100)
    s = false_positives(NULL.draw, lambda x, r: sign_flip(x, r, 199).p, 3, reps=500, deals=50)
    for rate in (t, w, s):
        assert holds(rate, 0.05, 0.01), rate
        assert rate.zero_share == pytest.approx(0.25, abs=0.03)


def test_a_test_without_a_margin_of_error_is_caught() -> None:
    naive = false_positives(
        NULL.draw, lambda x, _: 0.01 if x.mean() > 5 else 0.9, 1, reps=400, deals=50
    )
    assert not holds(naive, 0.05, 0.01)


@pytest.mark.long
def test_coverage_of_t_and_bca() -> None:
    def t(x: Margins, _: Rng) -> tuple[float | None, float | None]:
        r = mean_difference(x)
        return r.low, r.high

    def bca(x: Margins, rng: Rng) -> tuple[float | None, float | None]:
        r = bca_mean(x, rng, resamples=500)
        return r.low, r.high

    assert holds(coverage(EDGE.draw, t, 5.0, 4, reps=1_500, deals=50), 0.95, 0.01)
    assert holds(coverage(EDGE.draw, bca, 5.0, 5, reps=500, deals=200), 0.95, 0.015)
    # and a half-width interval is caught
    assert not holds(
        coverage(EDGE.draw, lambda x, _: (x.mean() - 5, x.mean() + 5), 5.0, 6, 300, 50), 0.95, 0.02
    )


@pytest.mark.long
def test_coverage_of_ratings_clustered_by_deal() -> None:
    points = rating_coverage(FIELD, score_rating, FIELD.true_points(), 1, reps=300, deals=40)
    elo = rating_coverage(FIELD, elo_rating, FIELD.true_elo(), 2, reps=300, deals=60)
    boot = rating_coverage(
        FIELD, lambda r: elo_rating(r, bootstrap=Bootstrap(1, 400)), FIELD.true_elo(), 3, 150, 60
    )
    assert holds(points, 0.95, 0.01), points
    assert holds(elo, 0.95, 0.01), elo
    assert holds(boot, 0.95, 0.015), boot


@pytest.mark.parametrize(("deals", "later"), [(50, 50), (50, 200), (200, 50)])
def test_predictions_of_the_next_deals_cover(deals: int, later: int) -> None:
    rate = prediction_coverage(NULL.draw, deals, later, 1, 1_500)
    assert holds(rate, 0.95, 0.015), rate


def test_sprt_keeps_its_errors_and_its_length() -> None:
    design = SprtDesign(0.0, 8.0)
    at_h0 = sprt_rates(NULL.draw, design, 0.0, NULL.sd, 1, runs=2_000)
    edge = MarginModel(edge=8.0)
    at_h1 = sprt_rates(edge.draw, design, 8.0, edge.sd, 2, runs=2_000)
    assert at_h0.accept_h1.low <= 0.055
    assert at_h1.accept_h0.low <= 0.055
    for rates in (at_h0, at_h1):
        assert rates.undecided.rate < 0.01
        assert rates.mean_deals == pytest.approx(rates.planned_deals, rel=0.15)


def test_looking_from_the_first_deal_would_break_the_promise() -> None:
    """Why designs have a first look: many early zeros look like certainty."""
    eager = SprtDesign(0.0, 8.0, min_deals=1)
    edge = MarginModel(edge=8.0)
    assert sprt_rates(edge.draw, eager, 8.0, edge.sd, 2, runs=1_000).accept_h0.low > 0.055


@pytest.mark.long
def test_coverage_after_stopping() -> None:
    edge = MarginModel(edge=15.0)
    rate = stopped_coverage(edge.draw, SprtDesign(0.0, 15.0), 15.0, edge.sd, 1, reps=300)
    assert holds(rate, 0.95, 0.01), rate


def test_confidence_sequence_never_excludes_the_truth_too_often() -> None:
    def coin(rng: Rng, shape: tuple[int, int]) -> Margins:
        return rng.choice([-1.0, 1.0], shape)

    assert sequence_misses(coin, 0.0, (-1.0, 1.0), 1, runs=200, looks=2_000).low <= 0.05
    assert sequence_misses(coin, 0.5, (-1.0, 1.0), 1, runs=50, looks=2_000).rate == 1.0


def test_real_margins_can_be_measured_too() -> None:
    table = NULL.draw(np.random.default_rng(9), (400, 60))
    rate = false_positives(table, lambda x, _: paired_t(x).p, 1)
    assert rate.reps == 400
    assert holds(rate, 0.05, 0.01)
    alike = false_positives(np.zeros((5, 9)), lambda x, _: paired_t(x).p, 1)
    assert (alike.unanswered, alike.rate, alike.zero_share) == (5, 0.0, 1.0)

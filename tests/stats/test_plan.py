"""Planning: power without holes, and plans that keep their promise after adjustment."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import ttest_power

from arena.measure.calibrate.statistics import FieldModel, MarginModel, plan_keeps
from arena.stats import (
    SprtDesign,
    StatsError,
    deals_for_t_test,
    detectable,
    field_plan,
    joint_comparison,
    pilot_sequence,
)
from arena.stats.power import sequential_point, t_test_power
from arena.stats.sequential.sprt import find_stops, points_path


@pytest.mark.parametrize(("n", "alpha"), [(5, 0.05), (20, 1e-4), (100, 1e-4), (300, 1e-4)])
def test_power_is_that_of_statsmodels(n: int, alpha: float) -> None:
    assert t_test_power(n, 0.28, 1.0, alpha) == pytest.approx(ttest_power(0.28, n, alpha), rel=1e-6)


def test_power_has_a_number_where_the_noncentral_t_has_none() -> None:
    grid = [t_test_power(n, 0.28, 1.0, 1e-4) for n in range(200, 700, 20)]
    assert np.all(np.diff(grid) > 0)
    needed = deals_for_t_test(0.28, 1.0, 0.99, 1e-4)
    assert needed.power >= 0.99 > t_test_power(needed.deals - 1, 0.28, 1.0, 1e-4)


def test_detectable_is_the_inverse_of_power() -> None:
    points = detectable(99, 2.0, 0.01, 0.8)
    assert t_test_power(100, points, 20.0, 0.01) == pytest.approx(0.8, abs=1e-6)
    with pytest.raises(StatsError, match="not above the level"):
        detectable(99, 2.0, 0.5, 0.4)


def test_what_the_field_would_have_found() -> None:
    c = joint_comparison(FieldModel((0.0,) * 4).draw(np.random.default_rng(1), 80)).joint[0]
    assert c.detectable is not None and c.se is not None and c.high is not None
    assert c.difference is not None
    half = c.high - c.difference
    assert c.detectable == pytest.approx(half + stats.norm.ppf(0.8) * c.se, rel=0.02)


@pytest.mark.long
@pytest.mark.parametrize("agents", [4, 6])
def test_the_promised_power_holds_after_adjustment(agents: int) -> None:
    """Two agents of a field that differ by what was planned for are found as often as promised."""
    rng = np.random.default_rng(2)
    plan = field_plan(FieldModel((0.0,) * agents).draw(rng, 400), detect=8.0)
    assert plan.tests == agents * (agents - 1) // 2
    assert plan.level < 0.05 / plan.tests * 1.5
    first = plan.contrasts[0]
    assert first.needed is not None and first.least is not None
    assert first.needed.deals > first.least.deals
    model = FieldModel((8.0, *(0.0,) * (agents - 1)))
    reps = 150
    found = sum(
        joint_comparison(model.draw(rng, first.least.deals)).contrast("agent1", "agent2").different
        for _ in range(reps)
    )
    low, high = stats.binom.ppf([0.001, 0.999], reps, 0.8)
    assert low <= found <= high


def test_two_agents_are_not_adjusted() -> None:
    plan = field_plan(FieldModel((0.0, 0.0)).draw(np.random.default_rng(1), 50), 5.0)
    assert (plan.tests, plan.level) == (1, pytest.approx(0.05))


@pytest.mark.parametrize("pilot", [20, 60])
def test_a_plan_from_a_small_pilot_keeps_its_promise(pilot: int) -> None:
    """The measured spread alone keeps 80% in less than half of all pilots."""
    kept = plan_keeps(MarginModel(), pilot, detect=5.0, seed=3, reps=100)
    assert kept.high >= 0.8 and kept.rate >= 0.72


def test_the_planned_length_of_a_sequential_test_counts_its_caution() -> None:
    model = MarginModel(edge=8.0)
    rng = np.random.default_rng(6)
    design = SprtDesign(0.0, 8.0, extreme=162.0)
    planned = sequential_point(8.0, model.sd, design).expected_deals
    stops = find_stops(points_path(model.draw(rng, (1_500, 3_000)), design), design)
    assert planned == pytest.approx(float(np.mean(stops.index + 1)), rel=0.1)
    plain = sequential_point(8.0, model.sd, SprtDesign(0.0, 8.0)).expected_deals
    assert planned > 1.05 * plain


@pytest.mark.parametrize("pilot", [20, 60])
def test_sequential_tests_planned_from_pilots_are_not_longer_than_said(pilot: int) -> None:
    model, rng, design = MarginModel(), np.random.default_rng(7), SprtDesign(0.0, 10.0, 0.05, 0.2)
    plans = [pilot_sequence(margins, design) for margins in model.draw(rng, (60, pilot))]
    planned = float(np.mean([plan.at_h0.expected_deals for plan in plans if plan is not None]))
    lengths = []
    for margins in model.draw(rng, (300, 1_500)):
        real = replace(design, extreme=float(np.abs(margins[:64]).max()))  # as in a run
        stop = find_stops(points_path(margins[None], real), real)
        lengths.append(float(stop.index[0]) + 1)
    assert np.mean(lengths) <= planned <= 1.7 * np.mean(lengths)
    assert pilot_sequence(np.zeros(30), design) is None

"""Planning: power without holes, and plans that keep their promise after adjustment."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import ttest_power

from arena.measure.calibrate.statistics import FieldModel
from arena.stats import StatsError, deals_for_t_test, detectable, field_plan, joint_comparison
from arena.stats.power import t_test_power


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
    assert first.needed is not None and first.cautious is not None
    assert first.cautious.deals > first.needed.deals
    model = FieldModel((8.0, *(0.0,) * (agents - 1)))
    reps = 150
    found = sum(
        joint_comparison(model.draw(rng, first.needed.deals)).contrast("agent1", "agent2").different
        for _ in range(reps)
    )
    low, high = stats.binom.ppf([0.001, 0.999], reps, 0.8)
    assert low <= found <= high


def test_two_agents_are_not_adjusted() -> None:
    plan = field_plan(FieldModel((0.0, 0.0)).draw(np.random.default_rng(1), 50), 5.0)
    assert (plan.tests, plan.level) == (1, pytest.approx(0.05))

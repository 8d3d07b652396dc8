"""Sequential tests, what they estimate, plans and confidence sequences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from arena.measure.calibrate.statistics import MarginModel
from arena.stats import (
    SprtDesign,
    StatsError,
    confidence_sequence,
    deals_for_t_test,
    elo_from_counts,
    elo_plan,
    estimate_after_stopping,
    llr_counts,
    mean_difference,
    pilot_sd,
    sequential_plan,
    sprt_counts,
    sprt_points,
)
from arena.stats.elo import expected_score
from arena.stats.power import t_test_power
from arena.stats.sequential.brownian import Motion, _by_eigenfunctions, _by_reflections
from arena.stats.sequential.likelihood import llr_points
from arena.stats.sequential.sprt import deals_to_exclude, find_stops, points_path
from arena.stats.sequential.walk import ratio_bounds, stopped_walk

Margins = NDArray[np.float64]


def test_llr_points_is_the_stated_formula() -> None:
    # n = 10, mean 3, s² = 16, 0 against 4: 5·ln((16 + 9)/(16 + 1))
    assert llr_points(10, 3.0, 16.0, 0.0, 4.0) == pytest.approx(5 * math.log(25 / 17))
    with pytest.raises(StatsError, match="positive variance"):
        llr_points(10, 3.0, 0.0, 0.0, 4.0)


def test_path_is_the_formula_after_every_deal(margins: Margins) -> None:
    path = points_path(margins, SprtDesign(0.0, 5.0))
    for n in (2, 17, 300):
        x = margins[:n]
        assert path[n - 1] == pytest.approx(llr_points(n, x.mean(), x.var(), 0.0, 5.0))
    assert path[0] == 0.0


def test_the_stop_is_the_first_crossing_and_later_deals_do_not_matter() -> None:
    x = MarginModel(edge=8.0).draw(np.random.default_rng(1), (1, 2_000))[0]
    design = SprtDesign(0.0, 8.0)
    r = sprt_points(x, design)
    assert r.decision == "H1"
    assert r.llr is not None
    assert r.llr > r.upper
    path = points_path(x, SprtDesign(0.0, 8.0))
    assert (path[29 : r.n - 1] < design.upper).all()
    assert sprt_points(x[: r.n], design) == r
    assert sprt_points(x[: r.n - 1], design).decision == "continue"
    assert sprt_points(-x, design).decision == "H0"


def test_overshoot_correction_stops_earlier_and_by_hand() -> None:
    # records after the first look at deal 1: LLR grows by known steps
    x = MarginModel(edge=8.0).draw(np.random.default_rng(1), (1, 2_000))[0]
    corrected = sprt_points(x, SprtDesign(0.0, 8.0))
    plain = sprt_points(x, SprtDesign(0.0, 8.0, overshoot=False))
    assert corrected.n <= plain.n
    path = points_path(x, SprtDesign(0.0, 8.0))[29 : corrected.n]
    steps = np.diff(np.maximum.accumulate(path))
    assert corrected.overshoot_high == pytest.approx((steps**2).sum() / (2 * steps.sum()))


def test_many_early_zeros_decide_nothing_before_the_first_look() -> None:
    r = sprt_points([0.0] * 29, SprtDesign(0.0, 5.0))
    assert (r.decision, r.n) == ("continue", 29)
    assert "29 of the 30 deals before the first look" in r.note
    flat = sprt_points([0.0] * 100, SprtDesign(0.0, 5.0))
    assert flat.decision == "continue"
    assert "no variance" in flat.note
    assert sprt_points([], SprtDesign(0.0, 5.0)).llr is None
    assert sprt_points([math.nan], SprtDesign(0.0, 5.0)).forfeits == 1


def test_designs_are_checked() -> None:
    for wrong in ({"h0": 2.0, "h1": 2.0}, {"h0": 0.0, "h1": 1.0, "alpha": 0.0}):
        with pytest.raises(StatsError):
            SprtDesign(**wrong)  # type: ignore[arg-type]
    with pytest.raises(StatsError, match="below 1"):
        SprtDesign(0.0, 1.0, 0.6, 0.6)
    with pytest.raises(StatsError, match="whole numbers from 0 to 4"):
        sprt_counts([0, 5], SprtDesign(0.0, 5.0))
    with pytest.raises(StatsError, match="unknown Elo model"):
        llr_counts([1, 2, 3], 0, 5, "logit")  # type: ignore[arg-type]
    assert sprt_counts([], SprtDesign(0.0, 5.0)).note == "No results yet."


def test_elo_of_degenerate_counts() -> None:
    perfect = elo_from_counts([0, 0, 0, 0, 9])
    assert (perfect.elo, perfect.low, perfect.los) == (None, None, None)
    assert "All 9 results are the same" in perfect.note
    nearly = elo_from_counts([0, 1, 9])
    assert nearly.elo is not None
    assert nearly.high is None
    assert "infinite" in nearly.note
    for wrong in ([1, 2], [0, 0, 0], [1, -1, 2], [1, math.nan, 2]):
        with pytest.raises(StatsError):
            elo_from_counts(wrong)
    assert expected_score(400.0) == pytest.approx(10 / 11)


# --- Brownian motion and the walk behind the estimate -------------------------------------------


@pytest.mark.parametrize("gamma", [-2.0, -0.3, 0.0, 1e-4, 0.5, 2.0])
@pytest.mark.parametrize("spread", [2.0, 4.0, 8.0])
def test_two_exact_series_agree(gamma: float, spread: float) -> None:
    start = np.array([1.0, 2.9, 5.0])
    for level in (0.0, 2.0, 5.888):
        a = _by_eigenfunctions(start, 5.888, level, gamma, spread)
        b = _by_reflections(start, 5.888, level, gamma, spread)
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-9)


def test_motion_against_simulation() -> None:
    rng = np.random.default_rng(1)
    steps = 0.004 + 0.05 * rng.standard_normal((4_000, 4_000), dtype=np.float32)
    paths = np.cumsum(steps, axis=1)
    look = 200
    paths[:, : look - 1] = 0.0  # nobody looks before
    up, down = paths > 1.5, paths < -1.2
    first = np.where((up | down).any(axis=1), (up | down).argmax(axis=1), paths.shape[1] - 1)
    hit_up = up[np.arange(len(paths)), first]
    # discrete looks: bounds seen by the motion lie 0.583 standard deviations further out
    shift = 0.583 * 0.05
    motion = Motion(-1.2 - shift, 1.5 + shift, 0.004, 0.0025, look)
    assert motion.exit_high_probability() == pytest.approx(hit_up.mean(), abs=0.025)
    assert motion.expected_time() == pytest.approx((first + 1).mean(), rel=0.04)
    worse = 1 - np.mean(hit_up & (first < 500))
    assert motion.worse_outcome(500.0, 1.5 + shift) == pytest.approx(worse, abs=0.025)


def test_bounds_of_the_walk_are_where_the_ratio_meets_them() -> None:
    times = np.array([20.0, 100.0, 1_000.0])
    low, high = ratio_bounds(times, 0.2, -2.9, 2.5)
    for n, bottom, top in zip(times, low, high, strict=True):
        if math.isfinite(top):
            assert llr_points(n, top / n, 1.0, -0.1, 0.1) == pytest.approx(2.5)
        if math.isfinite(bottom):
            assert llr_points(n, bottom / n, 1.0, -0.1, 0.1) == pytest.approx(-2.9)
    assert not math.isfinite(high[0])  # 20 deals can never say that much
    assert math.isfinite(high[2])


def test_walk_against_simulation() -> None:
    rng = np.random.default_rng(4)
    gap, bounds, first, end, drift = 0.3, (-2.5, 2.5), 20, 60, 0.05
    x = np.cumsum(drift + rng.standard_normal((40_000, end)), axis=1)
    times = np.arange(1.0, end + 1)
    low, high = ratio_bounds(times, gap, *bounds)
    position = 3.0
    alive = np.ones(len(x), dtype=bool)
    worse = 0
    for n in range(first - 1, end - 1):
        worse += int(np.count_nonzero(alive & (x[:, n] <= low[n])))
        alive &= (x[:, n] > low[n]) & (x[:, n] < high[n])
    worse += int(np.count_nonzero(alive & (x[:, -1] <= position)))
    walk = stopped_walk(gap, bounds, first, end, 0.2)  # another base drift on purpose
    assert walk.worse_outcome(drift, position) == pytest.approx(worse / len(x), abs=0.008)


def test_stopped_at_the_first_look_it_is_the_t_interval() -> None:
    x = MarginModel(edge=90.0).draw(np.random.default_rng(3), (1, 200))[0]
    r = estimate_after_stopping(x, SprtDesign(0.0, 40.0))
    plain = mean_difference(x[:30])
    assert (r.n, r.decision) == (30, "H1")
    assert (r.estimate, r.low, r.high) == pytest.approx((plain.mean, plain.low, plain.high))


def test_estimate_after_stopping_shrinks_lucky_stops() -> None:
    x = MarginModel(edge=8.0).draw(np.random.default_rng(1), (1, 2_000))[0]
    r = estimate_after_stopping(x, SprtDesign(0.0, 8.0))
    assert r.estimate is not None and r.naive is not None
    assert r.low < r.estimate < r.naive < r.high  # type: ignore[operator]
    mirrored = estimate_after_stopping(8.0 - x, SprtDesign(0.0, 8.0))
    assert mirrored.estimate == pytest.approx(8.0 - r.estimate, abs=1e-3)
    assert estimate_after_stopping([1.0], SprtDesign(0.0, 8.0)).estimate is None
    assert "margin 0" in estimate_after_stopping([0.0] * 40, SprtDesign(0.0, 8.0)).note


# --- plans ---------------------------------------------------------------------------------------


def test_power_against_statsmodels() -> None:
    from statsmodels.stats.power import TTestPower

    assert t_test_power(100, 10.0, 40.0) == pytest.approx(TTestPower().power(0.25, 100, 0.05))
    # Also where the margin is obvious: for some of these scipy has no other tail.
    assert [round(t_test_power(100, d, 40.0), 6) for d in (36.0, 40.0, 80.0)] == [1.0, 1.0, 1.0]
    needed = deals_for_t_test(5.0, 40.0)
    assert needed.deals == math.ceil(TTestPower().solve_power(0.125, power=0.8, alpha=0.05))
    assert t_test_power(needed.deals - 1, 5.0, 40.0) < 0.8 <= needed.power
    big = deals_for_t_test(0.5, 40.0)
    z = special.ndtri(0.975) + special.ndtri(0.8)
    assert big.deals == pytest.approx((z * 80) ** 2, rel=1e-3)


def test_sequential_plan_by_wald() -> None:
    plan = sequential_plan(40.0, SprtDesign(0.0, 2.0, min_deals=1))
    log19 = math.log(19)
    wald = 2 * (0.95 * log19 - 0.05 * log19) / (2 / 40) ** 2
    assert plan.at_h0.expected_deals == pytest.approx(wald)
    assert plan.at_h1.accept_h1 == pytest.approx(0.95)
    assert plan.at_middle.expected_deals == pytest.approx(log19**2 / (2 / 40) ** 2)
    assert plan.at_h1.expected_deals < plan.fixed_deals / 2 + 1
    late = sequential_plan(40.0, SprtDesign(0.0, 20.0, min_deals=30))
    assert late.at_h0.expected_deals > 30
    assert late.at_h0.accept_h1 < 0.05


def test_plans_refuse_nonsense() -> None:
    with pytest.raises(StatsError, match="margin to detect"):
        deals_for_t_test(0.0, 40.0)
    with pytest.raises(StatsError, match="sd must be a positive number"):
        t_test_power(10, 5.0, 0.0)
    with pytest.raises(StatsError, match="no variance"):
        elo_plan(SprtDesign(0, 2), draw_ratio=1.0)
    assert t_test_power(1, 5.0, 40.0) == 0.0


def test_pilot_sd_covers_heavy_tails() -> None:
    model = MarginModel()
    rng = np.random.default_rng(0)
    hits = 0
    for x in model.draw(rng, (600, 80)):
        r = pilot_sd(x)
        assert r.low is not None and r.high is not None
        hits += r.low <= model.sd <= r.high
    assert hits / 600 == pytest.approx(0.95, abs=0.03)
    assert pilot_sd([1.0, 2.0, 3.0]).high is None
    assert "margin 0" in pilot_sd([0.0] * 5).note


# --- confidence sequences ------------------------------------------------------------------------


def test_sequence_is_nested_shrinks_and_scales() -> None:
    x = np.clip(MarginModel(edge=10.0).draw(np.random.default_rng(2), (1, 3_000))[0], -262, 262)
    cs = confidence_sequence(x, (-262.0, 262.0))
    assert (np.diff(cs.low) >= 0).all()
    assert (np.diff(cs.high) <= 0).all()
    assert cs.low[-1] > 0
    assert cs.high[-1] - cs.low[-1] < 20
    double = confidence_sequence(2 * x, (-524.0, 524.0))
    np.testing.assert_allclose(double.low, 2 * cs.low)


def test_sequence_refuses_and_explains() -> None:
    with pytest.raises(StatsError, match="outside the bounds"):
        confidence_sequence([300.0], (-262.0, 262.0))
    with pytest.raises(StatsError, match="low < high"):
        confidence_sequence([1.0], (5.0, 5.0))
    assert confidence_sequence([], (0.0, 1.0)).note == "No deals yet."
    drifting = np.concatenate([np.zeros(4_000), np.ones(4_000)])
    assert "did not stay constant" in confidence_sequence(drifting, (0.0, 1.0)).note


def test_rare_large_losses_are_minded_from_the_start() -> None:
    """2% losses of 162 points: without `extreme` the test is fooled while none has happened."""
    rng = np.random.default_rng(3)
    body = rng.normal(0.02 * 162 / 0.98, 20.0, (800, 600))
    x = np.where(rng.random(body.shape) < 0.02, -162.0, body)
    plain, minded = (SprtDesign(0.0, 7.6, extreme=e) for e in (None, 162.0))
    rates = [float(np.mean(find_stops(points_path(x, d), d).sign > 0)) for d in (plain, minded)]
    assert rates[0] > 0.08
    assert rates[1] < 0.05
    with pytest.raises(StatsError, match="extreme"):
        SprtDesign(0.0, 1.0, extreme=-1.0)


def test_h1_waits_until_rare_losses_would_have_shown() -> None:
    """A loss of 162 on 2% of deals, else nothing: 64 equal deals do not exclude it, 300 do."""
    assert deals_to_exclude(162.0, 3.24, 0.05) == 300
    assert 0.98**300 < 0.05**2
    rng = np.random.default_rng(5)
    x = np.where(rng.random((600, 1_500)) < 0.02, -162.0, rng.normal(0, 1.0, (600, 1_500)))
    passed = []
    for first_h1 in (0, 300):
        design = SprtDesign(-3.24, 0.0, extreme=0.0, first_h1=first_h1)
        passed.append(float(np.mean(find_stops(points_path(x, design), design).sign > 0)))
    assert passed[0] > 0.25 and passed[1] < 0.07
    design = SprtDesign(-3.24, 0.0, extreme=0.0, first_h1=300)
    calm = sprt_points(rng.normal(0, 1.0, 400), design)
    assert (calm.decision, calm.n) == ("H1", 300)
    worse = sprt_points(np.full(400, -4.0), design)
    assert (worse.decision, worse.n) == ("H0", 30)

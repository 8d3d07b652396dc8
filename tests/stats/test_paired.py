"""Two agents on the same deals: against scipy, statsmodels, hand arithmetic and bad input."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from arena.stats import (
    StatsError,
    bca_mean,
    compare_margins,
    deal_outcomes,
    duplicate_saving,
    equivalence,
    games_of_rounds,
    mean_difference,
    paired_t,
    predict_mean,
    share_of_points,
    sign_flip,
    unpaired,
    wilcoxon_signed_rank,
)
from arena.stats.paired import effect_size

Margins = NDArray[np.float64]
SIX = [4.0, -2.0, 6.0, 0.0, 8.0, 2.0]  # mean 3, s² = 14, se = √(14/6)


def test_mean_difference_by_hand() -> None:
    r = mean_difference(SIX)
    se = math.sqrt(14 / 6)
    assert (r.mean, r.n, r.zeros, r.forfeits, r.note) == (3.0, 6, 1, 0, "")
    assert r.se == pytest.approx(se)
    assert r.low == pytest.approx(3 - 2.570581835636314 * se)
    assert r.high == pytest.approx(3 + 2.570581835636314 * se)


def test_mean_difference_and_t_against_scipy(margins: Margins) -> None:
    r = mean_difference(margins, 0.9)
    expected = stats.ttest_1samp(margins, 0).confidence_interval(0.9)
    assert (r.low, r.high) == pytest.approx((expected.low, expected.high))
    assert paired_t(margins).p == pytest.approx(stats.ttest_1samp(margins, 0).pvalue)
    assert paired_t(margins, null=5.0).statistic == pytest.approx(
        stats.ttest_1samp(margins, 5.0).statistic
    )


def test_wilcoxon_ranks_zeros_and_counts_them() -> None:
    # |x| ranks with zeros: 0 0 | 1 2 3 4 -> ranks 3 4 5 6 for the rest; negative sum 4
    x = [0.0, 0.0, 1.0, -2.0, 3.0, 4.0]
    r = wilcoxon_signed_rank(x)
    assert (r.statistic, r.zeros, r.n) == (4.0, 2, 6)
    assert "2 of 6 deals have margin 0" in r.note
    # 2^4 sign patterns of ranks 3 4 5 6: the smaller sum is at most 4 in 2 · |{}, {3}, {4}| = 6
    assert r.p == pytest.approx(6 / 16)


def test_wilcoxon_against_scipy(margins: Margins) -> None:
    expected = stats.wilcoxon(margins, zero_method="pratt", method="asymptotic")
    assert wilcoxon_signed_rank(margins).p == pytest.approx(expected.pvalue)


def test_sign_flip_enumerates_few_deals() -> None:
    # sums of ±1 ±2 ±3 ±4: |sum| >= 10 in 2 of 16
    assert sign_flip([1.0, 2.0, 3.0, 4.0, 0.0], seed=1).p == pytest.approx(2 / 16)
    assert sign_flip([5.0, 0.0], seed=1).p == 1.0


def test_sign_flip_agrees_with_t_on_many_deals(margins: Margins) -> None:
    p = sign_flip(margins, seed=3, resamples=1_999).p
    assert p == pytest.approx(paired_t(margins).p, abs=0.03)
    assert p == sign_flip(margins, seed=3, resamples=1_999).p


def test_effect_size_by_hand_and_by_inversion(margins: Margins) -> None:
    r = effect_size(SIX)
    d = 3 / math.sqrt(14)
    assert r.d == pytest.approx(d)
    assert r.g == pytest.approx(d * (1 - 3 / (4 * 5 - 1)), rel=2e-3)  # Hedges' approximation
    e = effect_size(margins)
    assert e.d is not None and e.low is not None and e.high is not None
    t = e.d * math.sqrt(e.n)
    assert stats.nct.sf(t, e.n - 1, e.low * math.sqrt(e.n)) == pytest.approx(0.025, abs=1e-8)
    assert stats.nct.cdf(t, e.n - 1, e.high * math.sqrt(e.n)) == pytest.approx(0.025, abs=1e-8)


def test_effect_size_is_continuous_where_the_method_changes() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(0.3, 1.0, 5_003)
    exact, approximate = effect_size(x[:5_001]), effect_size(x[:5_002])
    assert exact.low == pytest.approx(approximate.low, abs=1e-3)
    assert exact.high == pytest.approx(approximate.high, abs=1e-3)


def test_deal_outcomes_by_hand() -> None:
    r = deal_outcomes([1.0] * 8 + [-1.0] * 2 + [0.0] * 5)
    assert (r.wins, r.draws, r.losses) == (8, 5, 2)
    assert r.score == pytest.approx(10.5 / 15)
    assert r.p == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert (r.low, r.high) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)  # Wilson


def test_share_of_points_constant_total_is_a_t_interval() -> None:
    a = np.array([100.0, 62.0, 81.0, 120.0, 90.0])
    r = share_of_points(a, 162 - a)
    expected = stats.ttest_1samp(a / 162, 0.5).confidence_interval(0.95)
    assert r.share == pytest.approx(a.sum() / 810)
    assert (r.low, r.high) == pytest.approx((expected.low, expected.high))


def test_equivalence_against_statsmodels(margins: Margins) -> None:
    from statsmodels.stats.weightstats import ttost_paired

    p, lower, upper = ttost_paired(margins, np.zeros_like(margins), -12.0, 12.0)
    r = equivalence(margins, 12)
    assert (r.p, r.p_lower, r.p_upper) == pytest.approx((p, lower[1], upper[1]))
    assert r.equivalent == (r.interval_low > -12 and r.interval_high < 12)  # type: ignore[operator]
    assert equivalence(margins, (-1, 50)).equivalent is not None


def test_duplicate_saving_by_hand() -> None:
    # Luck ±10 cancels within a deal, skill +1, small noise: the deal mean hardly varies.
    luck = np.array([10.0, -10.0, 10.0, -10.0])
    noise = np.array([1.0, -1.0, -1.0, 1.0])
    r = duplicate_saving(np.column_stack([luck + 1 + noise, -luck + 1 + noise]))
    assert r.variance_deal == pytest.approx(4 / 3)
    assert r.variance_single == pytest.approx(8 * 101 / 6)
    assert r.variance_ratio == pytest.approx(2 * (4 / 3) / (808 / 6))
    assert r.correlation == pytest.approx(r.variance_ratio - 1)
    assert r.deals_saved == pytest.approx(4 / r.variance_ratio - 4)


def test_duplicate_saving_of_independent_seatings_is_nothing() -> None:
    x = np.random.default_rng(1).normal(size=(20_000, 2))
    r = duplicate_saving(x)
    assert r.variance_ratio == pytest.approx(1.0, abs=0.03)
    assert r.correlation == pytest.approx(np.corrcoef(x.T)[0, 1], abs=1e-3)


def test_duplicate_saving_that_cancels_exactly() -> None:
    r = duplicate_saving([[5.0, -5.0], [9.0, -9.0]])
    assert (r.variance_ratio, r.deals_saved) == (0.0, None)
    assert "cancel exactly" in r.note


def test_bca_mean_is_scipys_without_the_expansion(margins: Margins) -> None:
    ours = bca_mean(margins, seed=1, expand=False)
    theirs = stats.bootstrap(
        (margins,), np.mean, n_resamples=9_999, batch=500, rng=np.random.default_rng(2)
    )
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.03 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.03 * width)
    assert ours.acceleration == pytest.approx(stats.skew(margins) / (6 * math.sqrt(300)))


def test_bca_expansion_widens_small_samples() -> None:
    x = np.random.default_rng(3).normal(size=12)
    plain, wide = bca_mean(x, 1, expand=False), bca_mean(x, 1)
    assert wide.high - wide.low > 1.1 * (plain.high - plain.low)  # type: ignore[operator]


def test_bca_says_when_a_few_deals_decide() -> None:
    spiked = np.append(np.random.default_rng(1).normal(0, 10, 48), [162.0, 162.0])
    assert "prefer the t interval" in bca_mean(spiked, 1).note
    assert bca_mean(np.random.default_rng(1).normal(0, 10, 200), 1).note == ""


def test_compare_puts_the_views_together(margins: Margins) -> None:
    r = compare_margins(margins, seed=5, resamples=999)
    assert (r.mean, r.p, r.n) == (margins.mean(), paired_t(margins).p, 300)
    assert r == compare_margins(margins, seed=5, resamples=999)


def test_unpaired_is_labelled_and_is_scipys() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(85, 40, 60), rng.normal(77, 50, 50)
    r = unpaired(a, b)
    assert "as published" in r.label
    assert r.student_p == pytest.approx(stats.ttest_ind(a, b).pvalue)
    assert r.welch_p == pytest.approx(stats.ttest_ind(a, b, equal_var=False).pvalue)
    assert r.mann_whitney_p == pytest.approx(stats.mannwhitneyu(a, b).pvalue)
    assert r.low < r.difference < r.high  # type: ignore[operator]


def test_ten_games_of_a_hundred_rounds() -> None:
    shares = np.repeat(np.arange(10) / 10, 100)  # games average 0.0 .. 0.9
    r = games_of_rounds(np.append(shares, [0.5, 0.5]))
    assert "10 games of 100 rounds" in r.label
    assert r.mean == pytest.approx(0.45)
    assert r.sd == pytest.approx(np.std(np.arange(10) / 10, ddof=1))
    assert r.se == pytest.approx(r.sd / math.sqrt(10))
    assert r.rounds_unused == 2
    with pytest.raises(StatsError, match="need 1000 rounds, got 300"):
        games_of_rounds(shares[:300])


def test_a_deal_in_both_seatings_is_two_rounds_of_a_game() -> None:
    shares = np.repeat(np.arange(10) / 10, 50)  # games of 50 double rounds
    r = games_of_rounds(np.append(shares, 0.5), rounds_per_deal=2)
    assert "10 games of 100 rounds" in r.label
    assert r.sd == pytest.approx(np.std(np.arange(10) / 10, ddof=1))
    assert (r.games, r.rounds_unused) == (10, 2)
    with pytest.raises(StatsError, match="100 rounds is no number of deals of 6 rounds"):
        games_of_rounds(shares, rounds_per_deal=6)


@pytest.mark.parametrize(
    ("margins", "sentence"),
    [
        ([], "No deals"),
        ([3.0], "One deal only"),
        ([0.0] * 9, "All 9 deals have margin 0"),
        ([7.5] * 4, "All 4 deals have the same margin 7.5"),
        ([math.nan, math.nan], "2 forfeited deals were left out"),
        ([2.0, math.nan], "1 forfeited deal was left out"),
    ],
)
def test_degenerate_margins_get_a_sentence(margins: list[float], sentence: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mean = mean_difference(margins)
        assert sentence in mean.note
        assert (mean.low, mean.high) == (None, None)
        constant = len(margins) > 1 and set(margins) == {7.5}
        assert paired_t(margins).p == (2.0 ** (1 - len(margins)) if constant else None)
        assert effect_size(margins).d is None
        assert equivalence(margins, 5).p is None
        assert bca_mean(margins, 1).low is None
        assert compare_margins(margins, 1, resamples=199).note == mean.note
        assert deal_outcomes(margins).note or deal_outcomes(margins).p is not None
        if not np.any(np.nan_to_num(np.array(margins))):
            assert wilcoxon_signed_rank(margins).p is None
            assert sign_flip(margins, 1).p is None


def test_forfeits_are_left_out_and_counted() -> None:
    r = mean_difference([4.0, math.nan, 6.0])
    assert (r.mean, r.n, r.forfeits) == (5.0, 2, 1)
    assert "1 forfeited deal was left out" in r.note


def test_user_errors_are_one_line() -> None:
    with pytest.raises(StatsError, match="average over the seatings first"):
        mean_difference([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(StatsError, match="infinite value at deal 1"):
        paired_t([1.0, math.inf])
    with pytest.raises(StatsError, match="lower < upper"):
        equivalence([1.0, 2.0], -3)
    with pytest.raises(StatsError, match="confidence must lie between 0 and 1"):
        mean_difference([1.0, 2.0], 95)
    with pytest.raises(StatsError, match="never negative"):
        share_of_points([-1.0], [4.0])
    with pytest.raises(StatsError, match="at least 100 resamples"):
        bca_mean([1.0, 2.0, 4.0], 1, resamples=10)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-162, 162), min_size=2, max_size=40), st.integers(-50, 50))
def test_mirror_and_shift(values: list[int], shift: int) -> None:
    x = np.array(values, dtype=float)
    r, mirrored, moved = mean_difference(x), mean_difference(-x), mean_difference(x + shift)
    if r.low is None or r.high is None:
        assert mirrored.low is None and r.note
        return
    assert mirrored.low == pytest.approx(-r.high)
    assert moved.low == pytest.approx(r.low + shift)
    assert paired_t(x).p == pytest.approx(paired_t(-x).p)
    won, lost = deal_outcomes(x), deal_outcomes(-x)
    assert (won.wins, won.losses) == (lost.losses, lost.wins)


def test_a_prediction_allows_for_the_luck_of_both() -> None:
    x = [3.0, 5.0, 1.0, 7.0]  # mean 4, sd 2.582, t(3) 3.182
    found = predict_mean(x, 12)
    half = 3.182446 * 2.581989 * (1 / 4 + 1 / 12) ** 0.5
    assert (found.low, found.high) == pytest.approx((4 - half, 4 + half))
    known = mean_difference(x)
    wide = predict_mean(x, 10**9)  # of so many deals the mean is the truth itself
    assert (wide.low, wide.high) == pytest.approx((known.low, known.high))
    assert "same margin" in predict_mean([2.0, 2.0], 5).note
    with pytest.raises(StatsError, match="at least one deal"):
        predict_mean(x, 0)

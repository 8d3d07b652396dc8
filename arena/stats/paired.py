"""Comparing two agents that played the same deals.

Every function takes one value per deal (the mean over its seatings, NaN for a forfeit) and returns
a small frozen result. A value that does not exist is None, and `note` says why.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special, stats

from arena.stats.errors import StatsError
from arena.stats.sample import (
    FloatArray,
    check_probability,
    deal_sample,
    generator,
    join_notes,
)


@dataclass(frozen=True)
class MeanDifference:
    """Mean margin per deal with its interval, in points."""

    mean: float | None
    low: float | None
    high: float | None
    sd: float | None
    se: float | None
    n: int
    zeros: int
    forfeits: int
    confidence: float
    note: str = ""


@dataclass(frozen=True)
class TestResult:
    """A test of "no difference": statistic, two-sided p, the deals it used."""

    __test__ = False  # not a pytest class

    name: str
    statistic: float | None
    p: float | None
    n: int
    zeros: int
    forfeits: int
    df: float | None = None
    note: str = ""


@dataclass(frozen=True)
class EffectSize:
    """Standardised mean margin: d = mean/sd, g = d with Hedges' correction, interval for d."""

    d: float | None
    g: float | None
    low: float | None
    high: float | None
    n: int
    confidence: float
    note: str = ""


@dataclass(frozen=True)
class DealOutcomes:
    """Deals won, drawn and lost by the sign of the margin.

    `win_share` is wins / (wins + losses) with its interval; `score` counts a draw as half a win.
    """

    wins: int
    draws: int
    losses: int
    score: float | None
    win_share: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    forfeits: int
    confidence: float
    note: str = ""


@dataclass(frozen=True)
class PointShare:
    """Share of all points that agent A took, with its interval."""

    share: float | None
    low: float | None
    high: float | None
    se: float | None
    n: int
    forfeits: int
    confidence: float
    note: str = ""


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests: is the mean margin inside (lower, upper) points?"""

    equivalent: bool | None
    p: float | None
    p_lower: float | None
    p_upper: float | None
    lower: float
    upper: float
    mean: float | None
    interval_low: float | None
    interval_high: float | None
    alpha: float
    n: int
    note: str = ""


@dataclass(frozen=True)
class DuplicateSaving:
    """What playing each deal in every seating saved against the same number of fresh deals.

    `variance_ratio` = variance of the deal mean / variance the same games would have on fresh
    deals. `games_saved_fraction` = 1 - ratio. `deals_saved` = fresh single games that would be
    needed for the same precision, minus the games played, divided by the seatings of a deal.
    """

    variance_ratio: float | None
    correlation: float | None
    games_saved_fraction: float | None
    deals_saved: float | None
    variance_single: float | None
    variance_deal: float | None
    deals: int
    seatings: int
    note: str = ""


def mean_difference(margins: ArrayLike, confidence: float = 0.95) -> MeanDifference:
    """Mean paired difference, one value per deal (all seatings averaged first).

    Formula: mean ± t(n-1) · s/√n. Unit: the deal; points. Assumes independent deals and a mean
    that is nearly normal (with margins bounded by the game, some tens of deals suffice).
    Source: Student 1908, "The probable error of a mean", Biometrika 6.
    """
    check_probability(confidence, "confidence")
    s = deal_sample(margins)
    if s.trouble:
        mean = s.mean if s.n else None
        sd = 0.0 if s.n > 1 else None
        return MeanDifference(
            mean, None, None, sd, sd, s.n, s.zeros, s.forfeits, confidence, s.note(s.trouble)
        )
    se = s.sd / math.sqrt(s.n)
    half = float(special.stdtrit(s.n - 1, 0.5 + confidence / 2)) * se
    return MeanDifference(
        s.mean,
        s.mean - half,
        s.mean + half,
        s.sd,
        se,
        s.n,
        s.zeros,
        s.forfeits,
        confidence,
        s.note(),
    )


def paired_t(margins: ArrayLike, null: float = 0.0) -> TestResult:
    """Paired t-test, two-sided.

    Formula: t = (mean - null)/(s/√n) on n - 1 degrees of freedom. Unit: the deal. Assumes
    independent deals and a nearly normal mean. Source: Student 1908, Biometrika 6.
    """
    name = "paired t"
    s = deal_sample(margins)
    if s.trouble:
        return TestResult(name, None, None, s.n, s.zeros, s.forfeits, None, s.note(s.trouble))
    t = (s.mean - null) / (s.sd / math.sqrt(s.n))
    return TestResult(
        name,
        t,
        float(2 * special.stdtr(s.n - 1, -abs(t))),
        s.n,
        s.zeros,
        s.forfeits,
        float(s.n - 1),
        s.note(),
    )


def wilcoxon_signed_rank(margins: ArrayLike) -> TestResult:
    """Wilcoxon signed-rank test, two-sided, zeros ranked and then dropped (Pratt).

    Formula: W = smaller of the positive and negative rank sums of |margin|; zeros take part in
    the ranking but in neither sum. Up to 13 deals the null distribution is enumerated, above that
    it is normal with the variance corrected for ties and zeros. Unit: the deal. Assumes margins
    symmetric around 0 under the null, which equal agents on exchanged seats satisfy.
    Source: Wilcoxon 1945, Biometrics Bulletin 1; Pratt 1959, JASA 54.
    """
    name = "Wilcoxon signed-rank (Pratt)"
    s = deal_sample(margins)
    nonzero = s.n - s.zeros
    if nonzero == 0:
        why = s.trouble or "Every margin is 0: no signed ranks."
        return TestResult(name, None, None, s.n, s.zeros, s.forfeits, None, s.note(why))
    result = stats.wilcoxon(s.values, zero_method="pratt", method="auto")
    share = f"{s.zeros} of {s.n} deals have margin 0." if s.zeros else ""
    few = (
        f"Only {nonzero} deals differ from 0: p cannot go below {2.0 ** (1 - nonzero):.2g}."
        if nonzero < 6
        else ""
    )
    return TestResult(
        name,
        float(result.statistic),
        float(result.pvalue),
        s.n,
        s.zeros,
        s.forfeits,
        None,
        s.note(share, few),
    )


def sign_flip(
    margins: ArrayLike, seed: int | np.random.Generator, resamples: int = 9_999
) -> TestResult:
    """Sign-flip permutation test of the mean margin, two-sided.

    Formula: p = (1 + #{|mean of randomly signed margins| ≥ |mean|}) / (1 + resamples), doubled
    from the smaller tail; all 2^n sign patterns are enumerated when there are no more than
    `resamples` of them. Unit: the deal. Exact for independent deals with margins symmetric around
    0 under the null; asks nothing about their shape. Source: Fisher 1935, The Design of
    Experiments, §21; Phipson & Smyth 2010, SAGMB 9(1) for the added 1.
    """
    name = "sign-flip permutation"
    s = deal_sample(margins)
    nonzero = s.values[s.values != 0.0]
    if nonzero.size == 0:
        why = s.trouble or "Every margin is 0: no signs to flip."
        return TestResult(name, None, None, s.n, s.zeros, s.forfeits, None, s.note(why))
    p = 1.0  # one deal: both signs are as far from 0
    if nonzero.size > 1:
        result = stats.permutation_test(
            (nonzero,),
            lambda x, axis: np.sum(x, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=resamples,
            batch=max(1, 4_000_000 // nonzero.size),
            rng=generator(seed),
        )
        p = float(result.pvalue)
    few = (
        f"Only {nonzero.size} deals differ from 0: "
        f"p cannot go below {2.0 ** (1 - nonzero.size):.2g}."
        if nonzero.size < 6
        else ""
    )
    return TestResult(name, s.mean, p, s.n, s.zeros, s.forfeits, None, s.note(few))


def _noncentral_t_limit(t: float, df: float, probability: float) -> float:
    """The noncentrality for which P(T ≤ t) = probability."""
    spread = math.sqrt(1.0 + t * t / (2.0 * df))
    guess = t - float(stats.norm.ppf(probability)) * spread
    if df > 5_000 or abs(t) > 30:
        # Beyond this the noncentral t is numerically normal in the noncentrality.
        return guess

    def gap(nc: float) -> float:
        return float(stats.nct.cdf(t, df, nc)) - probability

    return float(optimize.brentq(gap, guess - 3.0 * spread, guess + 3.0 * spread, xtol=1e-10))


def effect_size(margins: ArrayLike, confidence: float = 0.95) -> EffectSize:
    """Standardised effect of one deal: d = mean/sd, with an interval.

    Formula: d = mean/s; g = d · Γ(ν/2)/(√(ν/2) Γ((ν-1)/2)), ν = n - 1; the interval inverts the
    noncentral t distribution of √n·d. Unit: the deal; standard deviations of a deal. Assumes
    nearly normal margins; for |d| below about 0.5 heavy tails matter little because the error of
    s is of second order. Source: Hedges 1981, J. Educ. Stat. 6; Steiger & Fouladi 1997.
    """
    check_probability(confidence, "confidence")
    s = deal_sample(margins)
    if s.trouble:
        return EffectSize(None, None, None, None, s.n, confidence, s.note(s.trouble))
    df = s.n - 1.0
    d = s.mean / s.sd
    g: float | None = None
    if df > 1:
        g = d * math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2)
    root = math.sqrt(s.n)
    low = _noncentral_t_limit(d * root, df, 0.5 + confidence / 2) / root
    high = _noncentral_t_limit(d * root, df, 0.5 - confidence / 2) / root
    return EffectSize(d, g, low, high, s.n, confidence, s.note())


def deal_outcomes(margins: ArrayLike, confidence: float = 0.95) -> DealOutcomes:
    """Win, draw and loss of the deal, with the sign test.

    Formula: the sign of each margin; two-sided exact binomial test of wins against losses
    (draws left out); Wilson interval for wins/(wins + losses). Unit: the deal. Assumes
    independent deals. The sign test is conservative by design.
    Source: Dixon & Mood 1946, JASA 41; Wilson 1927, JASA 22.
    """
    check_probability(confidence, "confidence")
    s = deal_sample(margins)
    wins = int(np.count_nonzero(s.values > 0))
    losses = int(np.count_nonzero(s.values < 0))
    draws = s.zeros
    score = (wins + draws / 2) / s.n if s.n else None
    if wins + losses == 0:
        why = "No deals." if s.n == 0 else f"All {s.n} deals were drawn: no decided deal to test."
        return DealOutcomes(
            wins,
            draws,
            losses,
            score,
            None,
            None,
            None,
            None,
            s.n,
            s.forfeits,
            confidence,
            s.note(why),
        )
    test = stats.binomtest(wins, wins + losses)
    interval = test.proportion_ci(confidence, method="wilson")
    return DealOutcomes(
        wins,
        draws,
        losses,
        score,
        wins / (wins + losses),
        float(interval.low),
        float(interval.high),
        float(test.pvalue),
        s.n,
        s.forfeits,
        confidence,
        s.note(),
    )


def share_of_points(
    points_a: ArrayLike, points_b: ArrayLike, confidence: float = 0.95
) -> PointShare:
    """Share of all points taken by A: a ratio of totals over deals.

    Formula: r = Σa/Σ(a+b); residual e = a - r(a+b) per deal; se = s(e)/(√n · mean(a+b));
    r ± t(n-1)·se. Unit: the deal; 0 to 1. Assumes independent deals. With a constant total it is
    exactly the t interval of a/total. Source: Cochran 1977, Sampling Techniques, §2.11.
    """
    check_probability(confidence, "confidence")
    a = np.asarray(points_a, dtype=np.float64)
    b = np.asarray(points_b, dtype=np.float64)
    if a.shape != b.shape:
        raise StatsError(f"points of A and B differ in shape: {a.shape} and {b.shape}")
    forfeited = np.isnan(a) | np.isnan(b)
    deals = deal_sample(np.where(forfeited, np.nan, a), "points")
    a, b = a[~forfeited], b[~forfeited]
    if deals.n and (min(a.min(), b.min()) < 0):
        raise StatsError("a share needs points that are never negative")
    total = a + b
    if deals.n == 0 or total.sum() == 0:
        why = "No deals." if deals.n == 0 else "Nobody took a point: no share."
        return PointShare(
            None, None, None, None, deals.n, deals.forfeits, confidence, deals.note(why)
        )
    share = float(a.sum() / total.sum())
    residuals = a - share * total
    if deals.n < 2 or float(np.abs(residuals).max()) <= 1e-12 * float(total.max()):
        why = (
            "One deal only: no interval."
            if deals.n < 2
            else f"All {deals.n} deals have the same share: no variance, so no interval."
        )
        return PointShare(
            share, None, None, None, deals.n, deals.forfeits, confidence, deals.note(why)
        )
    se = float(residuals.std(ddof=1) / (math.sqrt(deals.n) * total.mean()))
    half = float(special.stdtrit(deals.n - 1, 0.5 + confidence / 2)) * se
    return PointShare(
        share,
        share - half,
        share + half,
        se,
        deals.n,
        deals.forfeits,
        confidence,
        deals.note(),
    )


def equivalence(
    margins: ArrayLike, bound: float | tuple[float, float], alpha: float = 0.05
) -> Equivalence:
    """Two one-sided t-tests (TOST): are the agents equal up to a stated margin?

    Formula: p = max of the one-sided p of H: mean ≤ lower and H: mean ≥ upper; equivalent when
    p < alpha, that is when the 1 - 2·alpha t interval lies inside (lower, upper). `bound` is a
    number of points (±bound) or a pair. Unit: the deal; points. Assumptions as for the paired
    t-test. Source: Schuirmann 1987, J. Pharmacokinet. Biopharm. 15.
    """
    check_probability(alpha, "alpha")
    lower, upper = (-bound, bound) if isinstance(bound, int | float) else bound
    if not lower < upper:
        raise StatsError(f"equivalence needs lower < upper, got {lower} and {upper}")
    s = deal_sample(margins)
    if s.trouble:
        mean = s.mean if s.n else None
        return Equivalence(
            None, None, None, None, lower, upper, mean, None, None, alpha, s.n, s.note(s.trouble)
        )
    p_lower = float(stats.ttest_1samp(s.values, lower, alternative="greater").pvalue)
    p_upper = float(stats.ttest_1samp(s.values, upper, alternative="less").pvalue)
    half = float(special.stdtrit(s.n - 1, 1 - alpha)) * s.sd / math.sqrt(s.n)
    p = max(p_lower, p_upper)
    return Equivalence(
        p < alpha,
        p,
        p_lower,
        p_upper,
        lower,
        upper,
        s.mean,
        s.mean - half,
        s.mean + half,
        alpha,
        s.n,
        s.note(),
    )


def duplicate_saving(seatings: ArrayLike) -> DuplicateSaving:
    """How much playing every deal in all its seatings saved.

    `seatings` has one row per deal and one column per seating: the margin of A over B in that
    game; a row with a NaN (a forfeit) is left out. Formula: with k seatings, v1 = pooled variance
    of a single game, vd = variance of the deal mean; ratio = vd/(v1/k) = 1 + (k-1)·ρ with ρ the
    mean correlation between seatings. Luck of the cards makes ρ negative. Unit: the deal.
    Source: Kish 1965, Survey Sampling, §5.4 (design effect); duplicate bridge since 1857.
    """
    table = np.asarray(seatings, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise StatsError(
            f"one row per deal and at least two seatings expected, got shape {table.shape}"
        )
    played = table[~np.isnan(table).any(axis=1)]
    forfeits = table.shape[0] - played.shape[0]
    deals, k = played.shape
    forfeit_note = f"{forfeits} deals with a forfeit were left out." if forfeits else ""
    if deals < 2:
        why = "Fewer than two complete deals: no variance."
        return DuplicateSaving(
            None, None, None, None, None, None, deals, k, join_notes(why, forfeit_note)
        )
    single = float(((played - played.mean()) ** 2).sum() / (k * (deals - 1)))
    deal = float(played.mean(axis=1).var(ddof=1))
    if single == 0.0:
        why = "Every game has the same margin: nothing varies, so nothing is saved."
        return DuplicateSaving(
            None, None, None, None, 0.0, 0.0, deals, k, join_notes(why, forfeit_note)
        )
    ratio = deal / (single / k)
    note = ""
    saved: float | None = None
    if deal <= 1e-12 * single:
        ratio = 0.0
        note = "The seatings cancel exactly: every deal mean is the same, the saving is unbounded."
    else:
        saved = deals / ratio - deals
    return DuplicateSaving(
        ratio,
        (ratio - 1) / (k - 1),
        1 - ratio,
        saved,
        single,
        deal,
        deals,
        k,
        join_notes(note, forfeit_note),
    )


def pairing_saving(trinomial: ArrayLike, pentanomial: ArrayLike) -> DuplicateSaving:
    """The same saving from counts, as chess tools keep them.

    `trinomial` = [L, D, W] over games, `pentanomial` = [LL, LD, LW+DD, DW, WW] over pairs.
    Formula: variance per game of each (population variances on the 0..1 scale; a pair's variance
    counts double), and their ratio. Unit: the pair of games on one deal.
    Source: fishtest, server/fishtest/stats/stat_util.py (`stats`).
    """
    three = _counts(trinomial, 3)
    five = _counts(pentanomial, 5)
    single = _count_variance(three)
    deal = _count_variance(five)
    pairs = round(float(five.sum()))
    if single == 0.0:
        return DuplicateSaving(
            None, None, None, None, 0.0, deal, pairs, 2, "Every game ended alike: nothing varies."
        )
    ratio = 2 * deal / single
    saved = pairs / ratio - pairs if ratio > 0 else None
    note = "" if saved is not None else "Every pair ended alike: the saving is unbounded."
    return DuplicateSaving(ratio, ratio - 1, 1 - ratio, saved, single, deal, pairs, 2, note)


def _counts(values: ArrayLike, length: int) -> FloatArray:
    counts = np.asarray(values, dtype=np.float64)
    if counts.shape != (length,) or not np.isfinite(counts).all() or (counts < 0).any():
        raise StatsError(f"{length} counts that are not negative expected, got {values!r}")
    if counts.sum() == 0:
        raise StatsError("no games in the counts")
    return counts


def _count_variance(counts: FloatArray) -> float:
    scores = np.linspace(0.0, 1.0, counts.size)
    p = counts / counts.sum()
    mean = float(p @ scores)
    return float(p @ (scores - mean) ** 2)

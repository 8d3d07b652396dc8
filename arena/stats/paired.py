"""Comparing two agents that played the same deals.

Every function takes one value per deal (the mean over its seatings, NaN for a forfeit) and returns
a small frozen result. A value that does not exist is None, and `note` says why.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from arena.stats.errors import StatsError
from arena.stats.ranks import signed_ranks
from arena.stats.roots import root
from arena.stats.sample import check_probability, deal_sample, generator

FloatArray = NDArray[np.float64]


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
    low, high, basis = s.mean - half, s.mean + half, (s.n, s.zeros, s.forfeits, confidence)
    return MeanDifference(s.mean, low, high, s.sd, se, *basis, s.note())


def paired_t(margins: ArrayLike, null: float = 0.0) -> TestResult:
    """Paired t-test, two-sided.

    Formula: t = (mean - null)/(s/√n) on n - 1 degrees of freedom. If all n deals have one
    margin other than `null`, s is 0 and p is that of the sign test, 2/2ⁿ. Unit: the deal. Assumes
    independent deals and a nearly normal mean. Source: Student 1908, Biometrika 6; Dixon & Mood
    1946, JASA 41 (sign test).
    """
    name = "paired t"
    s = deal_sample(margins)
    if s.n > 1 and s.sd == 0.0 and s.mean != null:
        p = 2.0 ** (1 - s.n)
        why = f"All {s.n} deals have the same margin {s.values[0]:g}: no variance for a t-test."
        return TestResult("sign test", None, p, s.n, s.zeros, s.forfeits, None, s.note(why))
    if s.trouble:
        return TestResult(name, None, None, s.n, s.zeros, s.forfeits, None, s.note(s.trouble))
    t = (s.mean - null) / (s.sd / math.sqrt(s.n))
    p = float(2 * special.stdtr(s.n - 1, -abs(t)))
    return TestResult(name, t, p, s.n, s.zeros, s.forfeits, float(s.n - 1), s.note())


def wilcoxon_signed_rank(margins: ArrayLike) -> TestResult:
    """Wilcoxon signed-rank test, two-sided, zeros ranked and then dropped (Pratt).

    Formula: W = smaller of the positive and negative rank sums of |margin|; zeros take part in
    the ranking but in neither sum. Up to 50 deals the null distribution is exact, above that it is
    normal with the variance corrected for ties and zeros. Unit: the deal. Assumes margins
    symmetric around 0 under the null, which equal agents on exchanged seats satisfy.
    Source: Wilcoxon 1945, Biometrics Bulletin 1; Pratt 1959, JASA 54.
    """
    name = "Wilcoxon signed-rank (Pratt)"
    s = deal_sample(margins)
    nonzero = s.n - s.zeros
    if nonzero == 0:
        why = s.trouble or "Every margin is 0: no signed ranks."
        return TestResult(name, None, None, s.n, s.zeros, s.forfeits, None, s.note(why))
    result = signed_ranks(s.values)
    share = f"{s.zeros} of {s.n} deals have margin 0." if s.zeros else ""
    basis, note = (s.n, s.zeros, s.forfeits, None), s.note(share, _few(nonzero))
    return TestResult(name, result.statistic, result.p, *basis, note)


def _few(nonzero: int) -> str:
    """Said where no p can be small."""
    if nonzero >= 6:
        return ""
    return f"Only {nonzero} deals differ from 0: p cannot go below {2.0 ** (1 - nonzero):.2g}."


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
        p = _doubled_tail(nonzero, generator(seed), resamples)
    note = s.note(_few(nonzero.size))
    return TestResult(name, s.mean, p, s.n, s.zeros, s.forfeits, None, note)


def _doubled_tail(values: FloatArray, rng: np.random.Generator, resamples: int) -> float:
    """Twice the smaller tail of the sum among sums with other signs, at most 1."""
    exact = values.size < resamples.bit_length() and 1 << values.size <= resamples
    sums = _all_signed_sums(values) if exact else _signed_sums(values, rng, resamples)
    added = 0 if exact else 1
    total = float(values.sum())
    slack = 1e-14 * abs(total)  # sums that differ by rounding only are equal
    less = int(np.count_nonzero(sums <= total + slack)) + added
    more = int(np.count_nonzero(sums >= total - slack)) + added
    return min(1.0, 2 * min(less, more) / (sums.size + added))


def _all_signed_sums(values: FloatArray) -> FloatArray:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums + value, sums - value))
    return sums


def _signed_sums(values: FloatArray, rng: np.random.Generator, resamples: int) -> FloatArray:
    """Sums of the values with random signs: a random byte picks the signs of eight of them."""
    eights = np.zeros((-(-values.size // 8), 8))
    eights.flat[: values.size] = values
    signs = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    sums = np.zeros(resamples)
    for table in eights @ signs.T:  # all sums of eight values
        sums += table[rng.integers(0, 256, resamples, dtype=np.uint8)]
    return sums


def _noncentral_t_limit(t: float, df: float, probability: float) -> float:
    """The noncentrality for which P(T ≤ t) = probability."""
    spread = math.sqrt(1.0 + t * t / (2.0 * df))
    guess = t - float(special.ndtri(probability)) * spread
    if df > 5_000 or abs(t) > 30:
        # Beyond this the noncentral t is numerically normal in the noncentrality.
        return guess

    def gap(nc: float) -> float:
        return float(special.nctdtr(df, nc, t)) - probability

    return root(gap, guess - 3.0 * spread, guess + 3.0 * spread, 1e-10)


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


@dataclass(frozen=True)
class Prediction:
    """Limits of the mean margin of the next deals, in points per deal."""

    deals: int
    low: float | None
    high: float | None
    n: int
    confidence: float
    note: str = ""


def predict_mean(margins: ArrayLike, deals: int, confidence: float = 0.95) -> Prediction:
    """An interval for the mean margin of the next `deals` deals.

    Formula: mean ± t(n-1)·s·√(1/n + 1/m) for the next m deals: it allows for the luck of both.
    Unit: the deal; points. Assumes that the next deals are like those seen, and nearly normal
    means of both, which margins with rare spikes have from some 50 deals on (measured:
    docs/statistics.md). Source: Hahn 1969, JASA 64 (prediction intervals for a future mean).
    """
    check_probability(confidence, "confidence")
    if deals < 1:
        raise StatsError(f"a prediction needs at least one deal, got {deals}")
    s = deal_sample(margins)
    if s.trouble:
        return Prediction(deals, None, None, s.n, confidence, s.note(s.trouble))
    half = float(special.stdtrit(s.n - 1, 0.5 + confidence / 2)) * s.sd
    half *= math.sqrt(1 / s.n + 1 / deals)
    return Prediction(deals, s.mean - half, s.mean + half, s.n, confidence, s.note())


def equivalence(
    margins: ArrayLike, bound: float | tuple[float, float], alpha: float = 0.05
) -> Equivalence:
    """Two one-sided t-tests (TOST): are the agents equal up to a stated margin?

    Formula: p = max of the one-sided p of H: mean ≤ lower and H: mean ≥ upper; equivalent when
    p < alpha, that is when the 1 - 2·alpha t interval lies inside (lower, upper). `bound` is a
    number of points (±bound) or a pair. Unit: the deal; points. Assumptions as for the paired
    t-test. Source: Schuirmann 1987, J. Pharmacokinet. Biopharm. 15; statsmodels computes it.
    """
    check_probability(alpha, "alpha")
    lower, upper = (-bound, bound) if isinstance(bound, int | float) else bound
    if not lower < upper:
        raise StatsError(f"equivalence needs lower < upper, got {lower} and {upper}")
    s = deal_sample(margins)
    if s.trouble:
        found = (lower, upper, s.mean if s.n else None, None, None)
        return Equivalence(None, None, None, None, *found, alpha, s.n, s.note(s.trouble))
    from statsmodels.stats.weightstats import DescrStatsW  # here: it takes long to import

    deals = DescrStatsW(s.values)
    p, (_, p_lower, _), (_, p_upper, _) = deals.ttost_mean(lower, upper)
    tests = (bool(p < alpha), float(p), float(p_lower), float(p_upper))
    low, high = map(float, deals.tconfint_mean(2 * alpha))
    return Equivalence(*tests, lower, upper, s.mean, low, high, alpha, s.n, s.note())

"""Planning: deals for a t-test or a sequential test, power, detectable differences."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from arena.stats.elo import NELO_PER_T, elo_of_score, expected_score
from arena.stats.errors import StatsError
from arena.stats.roots import root
from arena.stats.sample import check_positive, check_probability, deal_sample
from arena.stats.sequential.brownian import Motion
from arena.stats.sequential.sprt import SprtDesign

POWER = 0.8
"""The probability behind "detectable"."""
EXTREME_STEPS = 20
"""Steps in which the length of a test and its variance agree."""
NODES, WEIGHTS = np.polynomial.legendre.leggauss(128)


@dataclass(frozen=True)
class DealsNeeded:
    """Deals with which a two-sided t-test finds `detect` points, and their exact power."""

    deals: int
    power: float
    detect: float
    sd: float
    alpha: float


@dataclass(frozen=True)
class SequentialPoint:
    """A sequential test at one true mean: P(accept H1) and mean length."""

    truth: float
    accept_h1: float
    expected_deals: float


@dataclass(frozen=True)
class SequentialPlan:
    """A sequential test when H0, H1 or the middle is true (the middle is the longest)."""

    at_h0: SequentialPoint
    at_h1: SequentialPoint
    at_middle: SequentialPoint
    sd: float
    fixed_deals: int


@dataclass(frozen=True)
class PilotSd:
    """Standard deviation of a deal from a pilot, with a cautious upper limit for planning."""

    sd: float | None
    low: float | None
    high: float | None
    n: int
    confidence: float
    note: str = ""


def t_test_power(deals: int, detect: float, sd: float, alpha: float = 0.05) -> float:
    """Power of the two-sided paired t-test.

    Formula: P(|T| > t(n-1, α/2)) for T noncentral t with ν = n - 1 and noncentrality
    √n·detect/sd. Unit: the deal; points. Assumes independent, nearly normal deal margins.
    Source: Cohen 1988, Statistical Power Analysis, chapter 2. By hand: statsmodels' `TTestPower`
    and scipy's noncentral t have no number (NaN) in places, such as 480 deals at level 0.0001.
    """
    check_positive(sd, "sd")
    check_probability(alpha, "alpha")
    if deals < 2:
        return 0.0
    return noncentral_power(math.sqrt(deals) * abs(detect) / sd, deals - 1, alpha)


def noncentral_power(noncentrality: float, df: float, alpha: float) -> float:
    """P(|T| > t(df, α/2)) for a noncentral t.

    Formula: the mean of Φ(δ - cs) + Φ(-δ - cs) over s = √(χ²/df), by Gauss-Legendre.
    """
    critical = -float(special.stdtrit(df, alpha / 2))
    low, high = np.sqrt(special.chdtri(df, [1 - 1e-14, 1e-14]) / df)
    s = low + (high - low) / 2 * (NODES + 1)
    log_density = (df - 1) * np.log(s) - df * s**2 / 2
    weight = WEIGHTS * np.exp(log_density - log_density.max())
    this, other = (special.ndtr(side * noncentrality - critical * s) for side in (1, -1))
    return float((this + other) @ weight / weight.sum())


def detectable(df: float, se: float, alpha: float, power: float = POWER) -> float:
    """The difference that a two-sided test at level alpha finds with this probability.

    Formula: δ·se, δ the noncentrality at which `noncentral_power` is `power`. Give the level
    that the test really uses: adjusted, if it is one of many.
    """
    check_probability(power, "power")
    if power <= alpha:
        raise StatsError(f"power {power:g} is not above the level {alpha:g}")
    low, high = 0.0, 2.0
    while noncentral_power(high, df, alpha) < power:
        low, high = high, 2 * high
    return root(lambda shift: noncentral_power(shift, df, alpha) - power, low, high, 1e-12) * se


def deals_for_t_test(
    detect: float, sd: float, power: float = 0.8, alpha: float = 0.05
) -> DealsNeeded:
    """Smallest number of deals that sees `detect` points with the wanted power.

    Formula: the smallest n with `t_test_power(n) ≥ power`; near ((z(α/2) + z(power))·sd/detect)².
    Unit: the deal; points. Assumptions as for `t_test_power`. Source: Cohen 1988, chapter 2.
    """
    check_positive(abs(detect), "the margin to detect")
    check_positive(sd, "sd")
    check_probability(power, "power")
    check_probability(alpha, "alpha")
    low, high = 1, 2
    while t_test_power(high, detect, sd, alpha) < power:
        low, high = high, 2 * high
        if high > 10**12:
            raise StatsError(f"seeing {detect:g} points at sd {sd:g} needs more than 10^12 deals")
    while high - low > 1:
        middle = (low + high) // 2
        if t_test_power(middle, detect, sd, alpha) < power:
            low = middle
        else:
            high = middle
    return DealsNeeded(high, t_test_power(high, detect, sd, alpha), abs(detect), sd, alpha)


def sequential_point(truth: float, sd: float, design: SprtDesign) -> SequentialPoint:
    """P(accept H1) and expected deals of `sprt_points` when the mean margin is `truth`.

    Formula: Brownian motion with drift (truth - (h0+h1)/2)(h1-h0)/sd² and variance (h1-h0)²/sd²
    per deal between Wald's bounds, not looked at before the design's first look. Unit: the deal;
    points. Assumes the overshoot correction of the design, which makes the walk behave like the
    motion. What `SprtDesign.extreme` adds to the variance depends on the length, so that the two
    are computed in turn. Source: Wald 1947, Sequential Analysis; Siegmund 1985, chapter III.
    """
    check_positive(sd, "sd")
    motion = _motion(truth, sd, design)
    if design.extreme:
        for _ in range(EXTREME_STEPS):
            wider = math.sqrt(sd**2 + 2 * design.extreme**2 / motion.expected_time())
            motion = _motion(truth, wider, design)
    return SequentialPoint(truth, motion.exit_high_probability(), motion.expected_time())


def _motion(truth: float, sd: float, design: SprtDesign) -> Motion:
    gap = (design.h1 - design.h0) / sd
    drift = (truth - (design.h0 + design.h1) / 2) / sd * gap
    first = float(design.min_deals) if design.min_deals > 1 else 0.0
    return Motion(design.lower, design.upper, drift, gap * gap, first)


def sequential_plan(sd: float, design: SprtDesign) -> SequentialPlan:
    """Expected length of a sequential test, and deals of a fixed test with the same errors.

    Formula: `sequential_point` at h0, h1 and the middle; the fixed one-sided test needs
    ((z(α) + z(β))·sd/(h1 - h0))² deals. Unit: the deal; points. Source: Wald 1947, Siegmund 1985.
    """
    middle = (design.h0 + design.h1) / 2
    at_h0, at_h1, at_middle = (
        sequential_point(truth, sd, design) for truth in (design.h0, design.h1, middle)
    )
    z = float(special.ndtri(1 - design.alpha) + special.ndtri(1 - design.beta))
    fixed = math.ceil((z * sd / (design.h1 - design.h0)) ** 2)
    return SequentialPlan(at_h0, at_h1, at_middle, sd, fixed)


@dataclass(frozen=True)
class EloPlan:
    """A sequential test in Elo as fishtest's planner sees it: per-game variance and hypotheses."""

    design: SprtDesign
    variance: float
    score0: float
    score1: float
    elo0: float
    elo1: float

    def at(self, elo: float) -> SequentialPoint:
        """P(accept H1) and expected games when the logistic Elo is `elo`."""
        score_design = SprtDesign(
            self.score0, self.score1, self.design.alpha, self.design.beta, min_deals=1
        )
        point = sequential_point(expected_score(elo), math.sqrt(self.variance), score_design)
        return SequentialPoint(elo, point.accept_h1, point.expected_deals)


def elo_plan(
    design: SprtDesign, draw_ratio: float, rms_bias: float = 0.0, normalized: bool = False
) -> EloPlan:
    """Plan a sequential test in Elo from the draw ratio and the bias of the openings.

    Formula: variance per game = (1 - draw ratio)/4 - (L(rms bias) - 1/2)², hypotheses turned
    into scores with it, then `sequential_point`. Unit: the game. Source: Van den Bergh, fishtest
    static/js/sprt.js.
    """
    variance = (1 - draw_ratio) / 4 - (expected_score(rms_bias) - 0.5) ** 2
    if not 0 <= draw_ratio < 1 or variance <= 0:
        raise StatsError("draw ratio and bias leave no variance")
    if normalized:
        sigma = math.sqrt(variance)
        score0, score1 = (0.5 + elo / NELO_PER_T * sigma for elo in (design.h0, design.h1))
    else:
        score0, score1 = expected_score(design.h0), expected_score(design.h1)
    return EloPlan(design, variance, score0, score1, elo_of_score(score0), elo_of_score(score1))


def pilot_sd(margins: ArrayLike, confidence: float = 0.95) -> PilotSd:
    """Standard deviation of a deal from a pilot, with an interval that allows for heavy tails.

    Formula: ln s² ± t(n-1)·√((κ - (n-3)/n)/(n-1)), κ the kurtosis m4/m2² about a trimmed mean;
    plan with `high` to be safe. Unit: the deal; points. Assumes independent deals with a fourth
    moment. Source: Bonett 2006, Comput. Stat. Data Anal. 50.
    """
    check_probability(confidence, "confidence")
    s = deal_sample(margins)
    if s.trouble:
        return PilotSd(None, None, None, s.n, confidence, s.note(s.trouble))
    if s.n < 4:
        why = f"A pilot of {s.n} deals gives no interval for the standard deviation."
        return PilotSd(s.sd, None, None, s.n, confidence, s.note(why))
    trim = 1 / (2 * math.sqrt(s.n - 4)) if s.n > 5 else 0.0
    cut = int(min(trim, 0.25) * s.n)
    centre = float(np.sort(s.values)[cut : s.n - cut].mean())
    fourth = float(np.sum((s.values - centre) ** 4))
    kurtosis = s.n * fourth / float(np.sum((s.values - s.mean) ** 2)) ** 2
    se = math.sqrt(max(kurtosis - (s.n - 3) / s.n, 0.0) / (s.n - 1))
    half = float(special.stdtrit(s.n - 1, 0.5 + confidence / 2)) * se
    return PilotSd(
        s.sd, s.sd * math.exp(-half / 2), s.sd * math.exp(half / 2), s.n, confidence, s.note()
    )

"""Shares of deals won, of games won and of points, one value per deal."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from arena.stats.errors import StatsError
from arena.stats.sample import check_probability, deal_sample


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
class Share:
    """A share between 0 and 1 (of games won, a draw as half, or of points) with its interval."""

    share: float | None
    low: float | None
    high: float | None
    se: float | None
    n: int
    forfeits: int
    confidence: float
    note: str = ""


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
    counted = (wins, draws, losses, score)
    basis = (s.n, s.forfeits, confidence)
    if wins + losses == 0:
        why = "No deals." if s.n == 0 else f"All {s.n} deals were drawn: no decided deal to test."
        return DealOutcomes(*counted, None, None, None, None, *basis, s.note(why))
    low, high = _wilson(wins, wins + losses, confidence)
    share, p = wins / (wins + losses), 2 * special.bdtr(min(wins, losses), wins + losses, 0.5)
    return DealOutcomes(*counted, share, low, high, min(1.0, float(p)), *basis, s.note())


def share_of_wins(won: ArrayLike, confidence: float = 0.95) -> Share:
    """Share of games won from one value per deal: the share of its seatings that were won.

    Formula: Wilson's interval with the effective number of games p(1 - p)/se², se the standard
    error of the mean over deals; t(n - 1) instead of the normal quantile enters by shrinking that
    number by (z/t)². If every game was won, or none, the deals are the games. Unit: the deal;
    0 to 1. Assumes independent deals. Source: Wilson 1927, JASA 22; Korn & Graubard 1998, Survey
    Methodology 24 (effective sample size). By hand: statsmodels takes long to import.
    """
    check_probability(confidence, "confidence")
    s = deal_sample(won, "shares of games won")
    if s.n and (s.values.min() < 0 or s.values.max() > 1):
        raise StatsError("a share of games won lies between 0 and 1")
    if s.n == 0:
        return Share(None, None, None, None, 0, s.forfeits, confidence, s.note("No deals."))
    share = s.mean
    se: float | None = None
    effective = float(s.n)
    if 0 < share < 1:
        if s.trouble:
            return Share(share, None, None, None, s.n, s.forfeits, confidence, s.note(s.trouble))
        se = s.sd / math.sqrt(s.n)
        tail = 0.5 + confidence / 2
        shrink = float(special.ndtri(tail) / special.stdtrit(s.n - 1, tail)) ** 2
        effective = shrink * share * (1 - share) / se**2
    low, high = _wilson(share * effective, effective, confidence)
    return Share(share, low, high, se, s.n, s.forfeits, confidence, s.note())


def _wilson(wins: float, games: float, confidence: float) -> tuple[float, float]:
    share, z2 = wins / games, float(special.ndtri(0.5 + confidence / 2)) ** 2
    centre = share + z2 / (2 * games)
    half = math.sqrt(z2 * (share * (1 - share) / games + z2 / (4 * games**2)))
    scale = 1 + z2 / games
    # Rounding must not leave a perfect score outside its own interval.
    return min((centre - half) / scale, share), max((centre + half) / scale, share)


def share_of_points(points_a: ArrayLike, points_b: ArrayLike, confidence: float = 0.95) -> Share:
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
    basis = (deals.n, deals.forfeits, confidence)
    if deals.n == 0 or total.sum() == 0:
        why = "No deals." if deals.n == 0 else "No agent took a point: no share."
        return Share(None, None, None, None, *basis, deals.note(why))
    share = float(a.sum() / total.sum())
    residuals = a - share * total
    if deals.n < 2 or float(np.abs(residuals).max()) <= 1e-12 * float(total.max()):
        why = (
            "One deal only: no interval."
            if deals.n < 2
            else f"All {deals.n} deals have the same share: no variance, so no interval."
        )
        return Share(share, None, None, None, *basis, deals.note(why))
    se = float(residuals.std(ddof=1) / (math.sqrt(deals.n) * total.mean()))
    half = float(special.stdtrit(deals.n - 1, 0.5 + confidence / 2)) * se
    return Share(share, share - half, share + half, se, *basis, deals.note())

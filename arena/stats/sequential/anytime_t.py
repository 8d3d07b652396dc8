"""An anytime-valid t interval: valid after every deal at once, however often one looks."""

from __future__ import annotations

import math

EFFECT_VARIANCE = 0.15
"""Variance of the effect size (mean / sd) that the test expects: intervals are shortest for
effects of about √0.15 = 0.4 sd, which some 80 deals show; after 1,000 deals 3% are lost by it."""


def anytime_t_limit(n: int, alpha: float) -> float:
    """The largest |t| after `n` deals that an anytime-valid test at level `alpha` does not reject.

    Mean ± limit · s/√n is a confidence sequence: with probability 1 - alpha the mean lies in the
    intervals of all n at once. Formula: the Bayes factor of N(0, g) for the effect size against
    none, with the right Haar prior of the spread, is a test martingale under every spread; with
    A = 1 + n·g it is A^(-1/2)·((1 + t²/ν)/(1 + t²/(ν·A)))^(n/2), ν = n - 1, and exceeds 1/alpha
    at any time with probability alpha at most (Ville). Infinite while no t could be rejected.
    Unit: the deal. Exact for normal margins; others in the limit. Sources: Wang & Ramdas 2025,
    Anytime-valid t-tests, Sequential Analysis 44; Rouder et al. 2009, Psychon. Bull. Rev. 16 (the
    Bayes factor).
    """
    if n < 2:
        return math.inf
    grown = 1 + n * EFFECT_VARIANCE
    ratio = (math.sqrt(grown) / alpha) ** (2 / n)
    if ratio >= grown:
        return math.inf
    return math.sqrt((n - 1) * (ratio - 1) / (1 - ratio / grown))

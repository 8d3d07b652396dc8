"""Outcome counts of games and of game pairs, and the likelihood under a constraint.

Counts run from low to high: [L, D, W] for games, [LL, LD+DL, LW+DD+WL, DW+WD, WW] for the two
seatings of a deal. Scores lie on the 0..1 scale: 0, 1/2, 1 or 0, 1/4, 1/2, 3/4, 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from arena.stats.errors import StatsError
from arena.stats.roots import root
from arena.stats.sample import FloatArray

EMPTY_CELL = 1e-3  # what chess tools put into an empty cell before a likelihood


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Checked counts with their score scale; `units` is games (3 counts) or pairs (5 counts)."""

    counts: FloatArray
    scores: FloatArray
    probabilities: FloatArray
    units: float
    games: float
    mean: float
    variance: float

    @property
    def variance_per_game(self) -> float:
        return self.variance * self.games / self.units


@dataclass(frozen=True, eq=False)
class ConstrainedMle:
    """Maximum likelihood probabilities under a constraint, and the multiplier theta."""

    probabilities: FloatArray
    theta: float


def outcomes(counts: ArrayLike, fill_empty: bool = False) -> Outcomes:
    """Check trinomial or pentanomial counts; `fill_empty` puts 0.001 into empty cells.

    Source of the filling: fishtest, fastchess and OpenBench all do so before a likelihood ratio.
    """
    c = np.array(counts, dtype=np.float64)
    if c.shape not in ((3,), (5,)):
        raise StatsError(f"3 counts [L, D, W] or 5 counts [LL .. WW] expected, got {c.size}")
    if not np.isfinite(c).all() or (c < 0).any():
        raise StatsError(f"counts must be numbers that are not negative, got {c.tolist()}")
    if fill_empty:
        c[c == 0] = EMPTY_CELL
    units = float(c.sum())
    if units == 0:
        raise StatsError("no games in the counts")
    scores = np.linspace(0.0, 1.0, c.size)
    p = c / units
    mean = float(p @ scores)
    variance = float(p @ (scores - mean) ** 2)
    games = units * (c.size - 1) / 2
    return Outcomes(c, scores, p, units, games, mean, variance)


def _multiplier(probabilities: FloatArray, values: FloatArray) -> float:
    """Solve Σ pᵢvᵢ/(1 + θvᵢ) = 0 for θ, where every 1 + θvᵢ is positive."""
    low, high = float(values.min()), float(values.max())
    if not low < 0 < high:
        raise StatsError("the hypothesis lies outside the range of the outcomes")
    left, right = -1 / high, -1 / low
    inset = 1e-13 * (right - left)
    weighted = probabilities * values

    def gap(theta: float) -> float:
        return float(weighted @ (1 / (1 + theta * values)))

    return root(gap, left + inset, right - inset, 1e-15)


def mle_given_mean(scores: FloatArray, probabilities: FloatArray, mean: float) -> ConstrainedMle:
    """Most likely distribution with a given mean.

    Formula: pᵢ/(1 + θ(aᵢ - mean)) with θ from Σ pᵢ(aᵢ - mean)/(1 + θ(aᵢ - mean)) = 0.
    Unit: the game or the pair. Source: Owen 1988, Biometrika 75 (empirical likelihood);
    Van den Bergh, "Maximum likelihood for the multinomial distribution", Proposition 1.1.
    """
    values = scores - mean
    theta = _multiplier(probabilities, values)
    return ConstrainedMle(probabilities / (1 + theta * values), theta)


def mle_given_t(
    scores: FloatArray,
    probabilities: FloatArray,
    t: float,
    reference: float,
    start: FloatArray | None = None,
) -> ConstrainedMle:
    """Most likely distribution with (mean - reference)/sd = t.

    Formula: iterate p ← p̂ᵢ/(1 + θφᵢ), φᵢ = aᵢ - ref - tσ/2·(1 + ((aᵢ - μ)/σ)²) with μ, σ of the
    last p, started at the uniform distribution unless `start` is given. Unit: the game or pair.
    Source: Van den Bergh, "Normalized Elo in practice", section 4.1.
    """
    p = np.full(scores.size, 1 / scores.size) if start is None else start
    theta = 0.0
    for _ in range(200):
        mu = float(p @ scores)
        sigma = math.sqrt(float(p @ (scores - mu) ** 2))
        phi = scores - reference - t * sigma / 2 * (1 + ((scores - mu) / sigma) ** 2)
        theta = _multiplier(probabilities, phi)
        new = probabilities / (1 + theta * phi)
        change = float(np.abs(new - p).max())
        p = new
        if change < 1e-13:
            break
    return ConstrainedMle(p, theta)


def expected_log_ratio(
    probabilities: FloatArray, mle0: ConstrainedMle, mle1: ConstrainedMle
) -> float:
    """Mean log likelihood ratio of two fitted distributions per observation."""
    return float(np.sum(probabilities * (np.log(mle1.probabilities) - np.log(mle0.probabilities))))

"""A Gaussian walk between moving bounds: where a sequential test on margins can stop.

The likelihood ratio of `sprt.llr_points` is not a straight Brownian motion: early in a run its
bounds bend outwards, and they do not act before the first look. So the distribution of the stopping
point is computed by numerical integration from look to look.
Source: Armitage, McPherson & Rowe 1969, JRSS A 132; Jennison & Turnbull 2000, chapter 19.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from arena.stats.sample import FloatArray

LOOKS = 64  # looks kept; a longer run is thinned and its bounds moved in accordingly
SIEGMUND = 0.5825971579390106  # -ζ(1/2)/√(2π): mean overshoot of a Gaussian walk, in sd of a step
REACH = 8.5  # standard deviations beyond which nothing is


@dataclass(frozen=True, eq=False)
class StoppedWalk:
    """What is still running after each look but the last, in a walk of unit variance per deal.

    `nodes` and `masses` (look × node) are positions and probabilities under the base drift at
    `times`; `low` holds the lower bounds at those times.
    """

    times: FloatArray
    nodes: FloatArray
    masses: FloatArray
    low: FloatArray
    base_drift: float
    end: float

    def worse_outcome(self, drift: float, position: float) -> float:
        """P(low reached before the last look) + P(running until then and ending ≤ position).

        Outcomes from worst to best: low reached early, ..., high reached early; at one look the
        position decides. The likelihood ratio of two drifts at (n, x) is
        exp((δ-δ₀)x - (δ²-δ₀²)n/2), so the one integration serves every drift. It falls as the
        drift grows and can be inverted for it. Source: Siegmund 1985, §III.5-6.
        """
        if self.times.size == 0:
            return float(special.ndtr((position - drift * self.end) / math.sqrt(self.end)))
        tilt = (drift - self.base_drift) * self.nodes
        tilt -= (drift**2 - self.base_drift**2) / 2 * self.times[:, None]
        steps = np.diff(self.times, append=self.end)[:, None]
        edges = np.append(self.low[1:], position)[:, None]
        below = special.ndtr((edges - self.nodes - drift * steps) / np.sqrt(steps))
        first = float(special.ndtr((self.low[0] - drift * self.times[0]) / self.times[0] ** 0.5))
        later = float(np.sum(self.masses * np.exp(tilt) * below))
        return min(max(first + later, 0.0), 1.0)


def stopped_walk(
    gap: float,
    bounds: tuple[float, float],
    first: float,
    end: float,
    base_drift: float,
    first_high: float = 0.0,
) -> StoppedWalk:
    """Integrate the walk from the first look to the last at `end`.

    `gap` is the distance of the hypotheses and `base_drift` the mean from their middle, both in
    standard deviations of a deal; `bounds` are those of the log likelihood ratio. A run of more
    than LOOKS looks is thinned, and its bounds move in by 0.583(√step - 1): the walk overshoots
    by that much more. The upper bound does not act before `first_high`. Source: Siegmund 1985,
    chapter X.
    """
    count = int(min(LOOKS, math.floor(end - first)))
    if count < 1:
        empty = np.empty(0)
        return StoppedWalk(empty, empty, empty, empty, base_drift, end)
    times = np.linspace(first, end, count + 1)[:-1]
    step = (end - first) / count
    low, high = ratio_bounds(times, gap, *bounds)
    moved = SIEGMUND * (math.sqrt(step) - 1)
    low[1:] += moved
    high[1:] -= moved
    high[times < first_high] = np.inf
    centre, reach = base_drift * times, REACH * np.sqrt(times)
    high = np.clip(high, centre - reach, centre + reach)
    low = np.minimum(np.clip(low, centre - reach, centre + reach), high)
    size = int(np.clip(1.3 * np.max(high - low) / math.sqrt(step), 32, 128))
    unit, unit_weights = np.polynomial.legendre.leggauss(size)
    half = (high - low)[:, None] / 2
    nodes = low[:, None] + half * (unit + 1)
    weights = half * unit_weights
    masses = np.empty_like(nodes)
    masses[0] = weights[0] * _normal(nodes[0] - base_drift * first, first)
    for look in range(1, count):
        moves = nodes[look][:, None] - nodes[look - 1] - base_drift * step
        masses[look] = weights[look] * (_normal(moves, step) @ masses[look - 1])
    return StoppedWalk(times, nodes, masses, low, base_drift, end)


def _normal(x: FloatArray, variance: float) -> FloatArray:
    return np.asarray(np.exp(-(x**2) / (2 * variance)) / math.sqrt(2 * math.pi * variance))


def ratio_bounds(
    times: FloatArray, gap: float, lower: float, upper: float
) -> tuple[FloatArray, FloatArray]:
    """Positions at which n/2·ln[(1 + (δ+g/2)²)/(1 + (δ-g/2)²)] reaches `lower` and `upper`.

    δ is the mean measured from the middle of the hypotheses and g their gap, in standard
    deviations of a deal; the position is n·δ. Where the ratio cannot reach a bound at all the
    position is infinite. Formula: with k = e^(2·upper/n) the smaller root of
    (k-1)δ² - g(k+1)δ + (k-1)(1 + g²/4) = 0.
    """
    sides = []
    for bound in (-lower, upper):
        k = np.expm1(2 * bound / times)  # k - 1
        b = gap * (k + 2)
        c = k * (1 + gap**2 / 4)
        discriminant = b**2 - 4 * k * c
        reachable = discriminant >= 0
        root = 2 * c / (b + np.sqrt(np.where(reachable, discriminant, 0.0)))
        sides.append(np.where(reachable, times * root, np.inf))
    return -sides[0], sides[1]

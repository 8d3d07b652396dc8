"""Many contrasts at once: adjusted p-values and the level of simultaneous intervals, by min-p.

Each contrast has a t statistic with its own degrees of freedom; the statistics are correlated,
because the contrasts share agents and deals. The adjusted p of a contrast is the probability,
if nothing differs, that *any* of the family has a p as small: F(p) = P(min pⱼ ≤ p). Where the
degrees of freedom agree this is the max-t adjustment on the multivariate t distribution; with
equal correlations it is Tukey's test.
Source: Westfall & Young 1993, Resampling-Based Multiple Testing; Hothorn, Bretz & Westfall 2008,
Biometrical J. 50 (max-t over a joint covariance).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from arena.stats.sample import FloatArray, check_probability

DRAWS = 4_096
SEED = 20_080
"""The draws are the same in every process: a family has one answer."""
LEVELS = np.concatenate(
    [10.0 ** np.array([-15, -12, -9, -7, -6, -5, -4, -3.5]), 0.001 * 2.0 ** np.arange(10), [0.7]]
)
"""Where F is evaluated; log F is all but straight in log p between them."""
LOG_TAILS = np.linspace(math.log(1e-21), 0.0, 400)
"""Where quantiles of t are computed; those of the draws are interpolated (twenty times faster)."""


@dataclass(frozen=True, eq=False)
class Family:
    """A family of contrasts that are judged together."""

    _log_level: FloatArray
    _log_chance: FloatArray

    def adjusted(self, p: FloatArray) -> FloatArray:
        """Adjusted p-values: the chance that any contrast of the family has a p as small."""
        x = np.log(np.maximum(p, 1e-300))
        y = np.interp(x, self._log_level, self._log_chance)
        below = self._log_level[0]
        return np.asarray(np.exp(np.where(x < below, x + self._log_chance[0] - below, y)))

    def level(self, alpha: float) -> float:
        """The level of each single interval that makes all of them cover with 1 - alpha."""
        check_probability(alpha, "alpha")
        return float(np.exp(np.interp(math.log(alpha), self._log_chance, self._log_level)))


def family(covariance: FloatArray, df: FloatArray) -> Family:
    """The joint null distribution of contrasts with this covariance and degrees of freedom.

    Formula: importance sampling of a union of rare events: one contrast, each in turn, is drawn
    beyond its limit, the others given it, and F(p) = m·p·mean(1/number beyond their limits). Its
    relative error is about 1% at every p, however small (counting plain draws has none to count).
    The scales of all contrasts move together (one estimated variance for all), each with its own
    degrees of freedom. Source: Adler, Blanchet & Liu 2012, Ann. Appl. Probab. 22; Owen, Maximov &
    Chertkov 2019, Electron. J. Stat. 13.
    """
    m = len(df)
    scale = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(scale, scale)
    rng = np.random.default_rng(SEED)
    draws = math.ceil(DRAWS / m) * m
    leader = np.arange(draws) % m
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    free = rng.standard_normal((draws, m)) @ root.T
    beyond = 1.0 - rng.random(draws)
    spread = rng.chisquare(df[leader] + 1)
    rows = np.arange(draws)
    off_leader = free[rows, leader]
    pull = correlation[leader]
    kinds, kind = np.unique(np.round(df, 6), return_inverse=True)
    quantiles = -special.stdtrit(kinds[:, None], np.exp(LOG_TAILS) / 2)
    chances = []
    for p in LEVELS:
        limit = -special.stdtrit(kinds, p / 2)[kind]
        t = np.empty(draws)
        for number, quantile in enumerate(quantiles):
            own = kind[leader] == number
            t[own] = np.interp(np.log(p * beyond[own]), LOG_TAILS, quantile)
        leader_scale = np.sqrt(spread / (df[leader] + t**2))
        z = free + pull * (t * leader_scale - off_leader)[:, None]
        scales = (
            leader_scale[:, None] if len(kinds) == 1 else _same_rank(leader_scale, df[leader], df)
        )
        hits = (np.abs(z) > limit * scales).sum(axis=1)
        chance = m * p * float(np.mean(1.0 / np.maximum(hits, 1)))
        chances.append(min(max(chance, p), 1.0))
    level = np.append(np.log(LEVELS), 0.0)
    chance_log = np.maximum.accumulate(np.append(np.log(chances), 0.0))
    return Family(level, chance_log)


def _same_rank(scale: FloatArray, df: FloatArray, others: FloatArray) -> FloatArray:
    """Scales √(χ²/df) of the others' degrees of freedom at the same quantile (draw × contrast).

    Source: Wilson & Hilferty 1931, PNAS 17: the cube root of a chi-square is nearly normal.
    """
    own, other = 2 / (9 * df), 2 / (9 * others)
    z = (np.cbrt(scale**2) - (1 - own)) / np.sqrt(own)
    cube = (1 - other) + z[:, None] * np.sqrt(other)
    return np.asarray(np.maximum(cube, 1e-3) ** 1.5)

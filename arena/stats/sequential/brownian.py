"""Brownian motion between two bounds: the continuous picture of a sequential test.

All formulas are exact series. Two are used, each where it converges fast: eigenfunctions for
long times, reflections for short ones.
Source: Siegmund 1985, Sequential Analysis, chapter III; Cox & Miller 1965, §5.7.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from arena.stats.sample import FloatArray

LONG = 0.15  # variance·time/width² above which eigenfunctions converge faster than reflections
NODES, WEIGHTS = np.polynomial.legendre.leggauss(48)


@dataclass(frozen=True)
class Motion:
    """A motion from 0 with this drift and variance per unit of time, stopped at low or high.

    `first_look` is the time of the first look: the bounds do not act before it, and a
    motion already beyond a bound at that time stops there.
    """

    low: float
    high: float
    drift: float
    variance: float
    first_look: float = 0.0

    def exit_high_probability(self) -> float:
        """P(stop at or beyond the upper bound).

        Formula: (1 - e^(2γx))/(1 - e^(2γA)) form of the gambler's ruin, averaged over where the
        motion is at the first look. Source: Siegmund 1985, (3.4).
        """
        if self.first_look <= 0:
            return 1.0 - float(_exit_low(np.array(-self.low), self._width, self._gamma))
        x, weight = self._at_first_look()
        inside = float(np.sum(weight * (1.0 - _exit_low(x, self._width, self._gamma))))
        return inside + float(special.ndtr(-self._look_z(self.high)))

    def expected_time(self) -> float:
        """Expected time to the stop.

        Formula: (E[end] - start)/drift, start·(A - start)/variance without drift, plus the time
        to the first look. Source: Wald's identity; Siegmund 1985, (3.5).
        """
        if self.first_look <= 0:
            return float(self._remaining(np.array(-self.low)))
        x, weight = self._at_first_look()
        return self.first_look + float(np.sum(weight * self._remaining(x)))

    def worse_outcome(self, time: float, level: float) -> float:
        """P(a worse outcome than being at `level` at `time`).

        Outcomes from worst to best: low reached early, low reached late, not stopped at `time`
        with a smaller value, ..., high reached late, high reached early; among those stopped at
        the first look the value decides. Formula: P(low reached by `time`) + P(not stopped by
        `time`, value ≤ level). It falls as the drift grows, so it can be inverted for the drift.
        Source: Siegmund 1985, §III.5-6 (ordering by stopping point); Armitage 1958, Biometrika 45.
        """
        if 0 < time <= self.first_look:
            return float(
                special.ndtr((level - self.drift * time) / math.sqrt(self.variance * time))
            )
        if self.first_look <= 0:
            value = float(self._worse_from(np.array([-self.low]), time, level)[0])
        else:
            x, weight = self._at_first_look()
            value = float(np.sum(weight * self._worse_from(x, time - self.first_look, level)))
            value += float(special.ndtr(self._look_z(self.low)))
        return min(max(value, 0.0), 1.0)

    @property
    def _width(self) -> float:
        return self.high - self.low

    @property
    def _gamma(self) -> float:
        return self.drift / self.variance

    def _look_z(self, level: float) -> float:
        return (level - self.drift * self.first_look) / math.sqrt(self.variance * self.first_look)

    def _at_first_look(self) -> tuple[FloatArray, FloatArray]:
        """Nodes (height above low) and weights for the motion still between the bounds."""
        sd = math.sqrt(self.variance * self.first_look)
        centre = self.drift * self.first_look
        left = max(self.low, centre - 9 * sd)
        right = min(self.high, centre + 9 * sd)
        if left >= right:
            return np.array([self._width / 2]), np.array([0.0])
        x = left + (right - left) * (NODES + 1) / 2
        density = np.exp(-(((x - centre) / sd) ** 2) / 2) / (sd * math.sqrt(2 * math.pi))
        return x - self.low, WEIGHTS * (right - left) / 2 * density

    def _remaining(self, x: FloatArray) -> FloatArray:
        width, gamma = self._width, self._gamma
        if abs(gamma * width) < 1e-5:
            return np.asarray(x * (width - x) / self.variance)
        return np.asarray((width * (1 - _exit_low(x, width, gamma)) - x) / self.drift)

    def _worse_from(self, x: FloatArray, time: float, level: float) -> FloatArray:
        width = self._width
        y = min(max(level - self.low, 0.0), width)
        spread = self.variance * time
        if spread / width**2 > LONG:
            return _by_eigenfunctions(x, width, y, self._gamma, spread)
        return _by_reflections(x, width, y, self._gamma, spread)


def _exit_low(x: FloatArray, width: float, gamma: float) -> FloatArray:
    """P(leave (0, width) at 0) from x: (e^(-2γx) - e^(-2γA))/(1 - e^(-2γA))."""
    if abs(gamma * width) < 1e-9:
        return np.asarray((width - x) / width)
    if gamma > 0:
        share = np.expm1(-2 * gamma * (width - x)) / math.expm1(-2 * gamma * width)
        return np.asarray(share * np.exp(-2 * gamma * x))
    return np.asarray(np.expm1(2 * gamma * (width - x)) / math.expm1(2 * gamma * width))


def _by_eigenfunctions(
    x: FloatArray, width: float, y: float, gamma: float, spread: float
) -> FloatArray:
    """P(leave low ever) + Σ (alive below y - leaves low later) over eigenfunctions."""
    terms = 2 + math.ceil(math.sqrt(2 * 45 / spread) * width / math.pi)
    k = np.arange(1, terms + 1) * math.pi / width
    primitive = 2 / width * (gamma * np.sin(k * y) - k * np.cos(k * y)) / (gamma**2 + k**2)
    start = x[:, None]
    exponent = -(k**2 + gamma**2) * spread / 2 + gamma * (y - start)
    series = np.sum(np.exp(exponent) * np.sin(k * start) * primitive, axis=1)
    return np.asarray(_exit_low(x, width, gamma) + series)


def _by_reflections(
    x: FloatArray, width: float, y: float, gamma: float, spread: float
) -> FloatArray:
    """P(low reached) + P(alive below y), each a sum over mirror images of the start."""
    sd = math.sqrt(spread)
    shift = gamma * spread
    start = x[:, None]
    k = np.arange(-4, 5)
    c = start + 2 * k * width
    hit_low = np.zeros(x.size)
    for sign in (-1.0, 1.0):
        log_tail = special.log_ndtr((-np.abs(c) - sign * abs(shift)) / sd)
        hit_low += np.sum(
            np.sign(c) * np.exp(-gamma * start + sign * np.abs(c * gamma) + log_tail), axis=1
        )
    alive = np.zeros(x.size)
    for centre, weight in ((c, 1.0), (2 * k * width - start, -1.0)):
        mass = _log_mass((y - centre - shift) / sd, (-centre - shift) / sd)
        alive += weight * np.sum(np.exp(gamma * (centre - start) + mass), axis=1)
    return hit_low + alive


def _log_mass(upper: FloatArray, lower: FloatArray) -> FloatArray:
    """log(Φ(upper) - Φ(lower)), computed in the tail where nothing cancels."""
    flip = lower > 0
    top = special.log_ndtr(np.where(flip, -lower, upper))
    bottom = special.log_ndtr(np.where(flip, -upper, lower))
    with np.errstate(divide="ignore"):
        return np.asarray(top + np.log1p(-np.exp(np.minimum(bottom - top, 0.0))))

"""Anytime-valid confidence sequences: look as often as you like.

An interval after every deal such that the true mean lies in all of them at once with the stated
confidence, whatever made you look or stop.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from arena.stats.errors import StatsError
from arena.stats.sample import FloatArray, check_probability, deal_sample


@dataclass(frozen=True, eq=False)
class ConfidenceSequence:
    """Lower and upper limit after each deal, in points; `mean` is the running mean."""

    mean: FloatArray
    low: FloatArray
    high: FloatArray
    n: int
    forfeits: int
    confidence: float
    note: str = ""


def confidence_sequence(
    margins: ArrayLike,
    bounds: tuple[float, float],
    confidence: float = 0.95,
    intersect: bool = True,
) -> ConfidenceSequence:
    """Empirical-Bernstein confidence sequence for the mean of bounded margins.

    `bounds` are the smallest and largest margin a deal can have under the rules, not the ones
    seen. Formula: with x scaled to 0..1, λₜ = min(√(2 ln(2/α)/(σ̂²ₜ₋₁ t ln(1+t))), 1/2) and
    ψ(λ) = -ln(1-λ) - λ, the lower limit is (Σλᵢxᵢ - ln(2/α) - Σψ(λᵢ)(xᵢ - μ̂ᵢ₋₁)²)/Σλᵢ; the
    upper limit mirrors it. `intersect` keeps the best limits so far, which stays valid. Unit: the
    deal; points. Assumes margins inside the bounds with a constant conditional mean; nothing about
    shape or independence of the rest. Source: Waudby-Smith & Ramdas 2024, JRSS B 86, Theorem 2.
    """
    check_probability(confidence, "confidence")
    low_bound, high_bound = float(bounds[0]), float(bounds[1])
    if not low_bound < high_bound:
        raise StatsError(f"bounds need low < high, got {low_bound} and {high_bound}")
    s = deal_sample(margins)
    empty = np.empty(0)
    if s.n == 0:
        return ConfidenceSequence(
            empty, empty, empty, 0, s.forfeits, confidence, s.note("No deals yet.")
        )
    if s.values.min() < low_bound or s.values.max() > high_bound:
        raise StatsError(
            f"a margin lies outside the bounds {low_bound:g} to {high_bound:g}: "
            f"{s.values.min():g} to {s.values.max():g} seen"
        )
    width = high_bound - low_bound
    low, high = unit_sequence((s.values - low_bound) / width, 1 - confidence, intersect)
    note = ""
    if intersect and (low > high).any():
        first = int(np.argmax(low > high)) + 1
        note = f"The limits crossed at deal {first}: the mean did not stay constant."
    n = np.arange(1, s.n + 1)
    return ConfidenceSequence(
        np.cumsum(s.values) / n,
        low_bound + width * low,
        low_bound + width * high,
        s.n,
        s.forfeits,
        confidence,
        s.note(note),
    )


def unit_sequence(
    x: FloatArray, alpha: float, intersect: bool = False
) -> tuple[FloatArray, FloatArray]:
    """`confidence_sequence` for values in 0..1, along the last axis."""
    low = _lower(x, alpha / 2)
    high = 1 - _lower(1 - x, alpha / 2)
    low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    if intersect:
        low = np.maximum.accumulate(low, axis=-1)
        high = np.minimum.accumulate(high, axis=-1)
    return low, high


def _lower(x: FloatArray, alpha: float) -> FloatArray:
    t = np.arange(1.0, x.shape[-1] + 1)
    total = np.cumsum(x, axis=-1)
    prior_mean = (0.5 + total) / (t + 1)
    prior_variance = (0.25 + np.cumsum((x - prior_mean) ** 2, axis=-1)) / (t + 1)
    variance = _before(prior_variance, 0.25)
    stake = np.minimum(np.sqrt(2 * np.log(1 / alpha) / (variance * t * np.log1p(t))), 0.5)
    price = -np.log1p(-stake) - stake
    surprise = (x - _before(total / t, 0.0)) ** 2
    numerator = np.cumsum(stake * x, axis=-1) - np.log(1 / alpha)
    numerator -= np.cumsum(price * surprise, axis=-1)
    return np.asarray(numerator / np.cumsum(stake, axis=-1))


def _before(values: FloatArray, start: float) -> FloatArray:
    """The values known before each deal: shifted by one, beginning with `start`."""
    shifted = np.empty_like(values)
    shifted[..., 0] = start
    shifted[..., 1:] = values[..., :-1]
    return shifted

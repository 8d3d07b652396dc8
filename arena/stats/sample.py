"""One value per deal: checking the input, leaving forfeits out, and saying so.

The deal is the unit of replication. A margin is the mean over the deal's seatings of (points of A
minus points of B); NaN marks a deal that was forfeited and has no margin. Forfeited deals are left
out and counted, never filled in: what a forfeit is worth is the tournament's decision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.stats.errors import StatsError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sample:
    """The deals that count, and how many have margin 0 or were forfeited."""

    values: FloatArray
    n: int
    zeros: int
    forfeits: int

    @property
    def mean(self) -> float:
        return float(self.values.mean())

    @property
    def sd(self) -> float:
        """Standard deviation with n - 1; zero when every deal agrees to rounding error."""
        sd = float(self.values.std(ddof=1))
        scale = float(np.abs(self.values).max())
        return 0.0 if sd <= 1e-12 * scale else sd

    @property
    def forfeit_note(self) -> str:
        if not self.forfeits:
            return ""
        deals = "deal was" if self.forfeits == 1 else "deals were"
        return f"{self.forfeits} forfeited {deals} left out."

    @property
    def trouble(self) -> str:
        """Why no variance-based interval or test exists; empty when one does."""
        if self.n == 0:
            return "No deals: nothing to estimate."
        if self.n == 1:
            return "One deal only: no interval and no test from a single value."
        if self.sd == 0.0:
            value = f"{self.values[0]:g}"
            if self.zeros == self.n:
                return (
                    f"All {self.n} deals have margin 0 (the agents played alike): "
                    "no variance, so no interval and no test."
                )
            return f"All {self.n} deals have the same margin {value}: no variance, so no interval."
        return ""

    def note(self, *more: str) -> str:
        return join_notes(*more, self.forfeit_note)


def join_notes(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def deal_sample(values: ArrayLike, name: str = "margins") -> Sample:
    """Check an array of one value per deal and drop the forfeited (NaN) deals."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise StatsError(
            f"{name}: one value per deal expected (a 1-D array), got shape {array.shape}; "
            "average over the seatings first"
        )
    if np.isinf(array).any():
        raise StatsError(f"{name}: infinite value at deal {int(np.argmax(np.isinf(array)))}")
    played = array[~np.isnan(array)]
    return Sample(
        values=played,
        n=int(played.size),
        zeros=int(np.count_nonzero(played == 0.0)),
        forfeits=int(array.size - played.size),
    )


def check_probability(value: float, name: str) -> float:
    if not 0.0 < value < 1.0:
        raise StatsError(f"{name} must lie between 0 and 1, got {value}")
    return float(value)


def check_positive(value: float, name: str) -> float:
    if not (value > 0.0 and np.isfinite(value)):
        raise StatsError(f"{name} must be a positive number, got {value}")
    return float(value)


def generator(seed: int | np.random.Generator) -> np.random.Generator:
    """An explicit seed or generator; there is no default, so no result depends on luck."""
    if isinstance(seed, np.random.Generator):
        return seed
    return np.random.default_rng(seed)

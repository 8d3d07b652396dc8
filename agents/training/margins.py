"""How strong a player in training is, by play."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.stats.paired import mean_difference


class MarginInterval(NamedTuple):
    """The mean margin per deal with its 95% interval, in points."""

    mean: float
    low: float
    high: float
    deals: int

    @classmethod
    def of(cls, margins: NDArray[np.float64]) -> MarginInterval:
        """From one margin for each of at least two deals, averaged over its seatings."""
        found = mean_difference(margins)
        assert found.mean is not None and found.low is not None and found.high is not None
        return cls(found.mean, found.low, found.high, found.n)

    def rounded(self, digits: int) -> dict[str, float]:
        """The numbers by name, rounded."""
        return {name: round(value, digits) for name, value in self._asdict().items()}

    def against(self, opponent: str, digits: int = 1) -> str:
        """In words.

        >>> MarginInterval(1.0, -0.5, 2.5, 400).against("rule")
        '+1.0 points per deal against rule (-0.5 to +2.5, 400 deals)'
        """
        mean, low, high = (f"{value:+.{digits}f}" for value in self[:3])
        return f"{mean} points per deal against {opponent} ({low} to {high}, {self.deals} deals)"

"""How long agents took over their decisions, from times too many to be held in memory."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Thinking:
    """How long an agent took over its decisions, in seconds of the clock and of the CPU."""

    decisions: int
    mean: float
    median: float
    p95: float
    max: float
    total: float
    cpu_median: float | None = None
    """CPU time of the thread that decides; None if the agent played in another process."""
    cpu_total: float | None = None

    @classmethod
    def of(cls, wall: TimeHistogram, cpu: TimeHistogram) -> Thinking:
        """Two clocks' times of the same decisions."""
        if not wall.decisions:
            return cls(0, 0.0, 0.0, 0.0, 0.0, 0.0)
        known = cpu.decisions == wall.decisions
        return cls(
            decisions=wall.decisions,
            mean=wall.total / wall.decisions / 1e9,
            median=wall.quantile(0.5),
            p95=wall.quantile(0.95),
            max=wall.longest / 1e9,
            total=wall.total / 1e9,
            cpu_median=cpu.quantile(0.5) if known else None,
            cpu_total=cpu.total / 1e9 if known else None,
        )


class TimeHistogram:
    """Sums of times, and a histogram for the quantiles in steps of less than 1%.

    The step of a time is the first half of its bits as a float of four bytes, which is all that
    is stored of it: its exponent and 7 bits of its fraction, 128 steps between powers of two.
    """

    _STEPS = 0x7F80
    """Steps of finite times; those of NaN come after them."""

    def __init__(self) -> None:
        import numpy as np  # here, so that light commands start fast

        self.counts = np.zeros(self._STEPS, dtype=np.int64)
        self.total = self.longest = 0.0

    def add(self, nanoseconds: NDArray[np.float32]) -> None:
        """Count some decisions; NaN is one of unknown time."""
        import numpy as np  # here, so that light commands start fast

        if not nanoseconds.size:
            return
        steps = np.maximum(nanoseconds, np.float32(0)).view(np.uint32) >> 16
        self.counts += np.bincount(steps, minlength=1 << 15)[: self._STEPS]
        total = float(nanoseconds.sum(dtype=np.float64))
        if isnan(total):
            total = float(np.nansum(nanoseconds, dtype=np.float64))
        self.total += total
        self.longest = max(self.longest, float(np.fmax.reduce(nanoseconds, initial=0.0)))

    @property
    def decisions(self) -> int:
        """How many have been counted."""
        return int(self.counts.sum())

    def quantile(self, share: float) -> float:
        """The time below which this share of the decisions stayed, in seconds."""
        import numpy as np  # here, so that light commands start fast

        step = int(np.searchsorted(np.cumsum(self.counts), share * self.decisions))
        return float(np.array([step << 16], dtype=np.uint32).view(np.float32)[0]) / 1e9

"""How long agents took over their decisions, from times too many to be held in memory."""

from __future__ import annotations

from dataclasses import dataclass
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
        """What two clocks have counted of the same decisions."""
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
    """Sums of times, and a histogram in steps of 1% for the quantiles."""

    _STEPS_PER_OCTAVE = 64
    _OCTAVES = 64

    def __init__(self) -> None:
        import numpy as np  # here, so that light commands start fast

        self.counts = np.zeros(self._OCTAVES * self._STEPS_PER_OCTAVE, dtype=np.int64)
        self.total = self.longest = 0.0

    def add(self, nanoseconds: NDArray[np.float32]) -> None:
        """Count some decisions; NaN is one whose time nobody knows."""
        import numpy as np  # here, so that light commands start fast

        nanoseconds = nanoseconds[~np.isnan(nanoseconds)]
        if not nanoseconds.size:
            return
        self.total += float(nanoseconds.sum(dtype=np.float64))
        self.longest = max(self.longest, float(nanoseconds.max()))
        steps = np.log2(np.maximum(nanoseconds, 1)) * self._STEPS_PER_OCTAVE
        self.counts += np.bincount(np.rint(steps).astype(np.int64), minlength=len(self.counts))

    @property
    def decisions(self) -> int:
        """How many have been counted."""
        return int(self.counts.sum())

    def quantile(self, share: float) -> float:
        """The time below which so many decisions stayed, in seconds."""
        import numpy as np  # here, so that light commands start fast

        step = int(np.searchsorted(np.cumsum(self.counts), share * self.decisions))
        return float(2.0 ** (step / self._STEPS_PER_OCTAVE)) / 1e9

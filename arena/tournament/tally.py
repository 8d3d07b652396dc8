"""The standings while a run goes on: sums only, whatever the number of deals."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

_NORMAL_95 = 1.96


@dataclass(frozen=True)
class RunningMargin:
    """A mean margin per unit so far."""

    units: int
    mean: float
    reach: float | None
    """Half a 95% interval; None while there are too few units."""


@dataclass
class Tally:
    """Units played and margins by pairing."""

    pairings: tuple[tuple[str, str], ...]
    total: int
    """Units in the whole run."""
    units: list[int] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    squares: list[float] = field(default_factory=list)
    faults: int = 0
    sequential: bool = False
    """Whether results decide when it ends: then plain means lie too far out, and none is shown."""
    tests: Sequence[str] = ()
    """Where the sequential tests or the race stand, a line each."""

    def __post_init__(self) -> None:
        self.units = self.units or [0] * len(self.pairings)
        self.margins = self.margins or [0.0] * len(self.pairings)
        self.squares = self.squares or [0.0] * len(self.pairings)

    @property
    def done(self) -> int:
        """Units that are stored."""
        return sum(self.units)

    def add_margin(self, pairing: int, margin: float) -> None:
        """Count a unit of a pairing by its margin."""
        self.units[pairing] += 1
        self.margins[pairing] += margin
        self.squares[pairing] += margin * margin

    def pair(self, pairing: int) -> RunningMargin:
        """The margin of two entrants so far, seen from the first; the interval is for this pair."""
        n, total = self.units[pairing], self.margins[pairing]
        if n < 2:
            return RunningMargin(n, total / n if n else 0.0, None)
        variance = max(0.0, self.squares[pairing] - total * total / n) / (n - 1)
        return RunningMargin(n, total / n, _NORMAL_95 * math.sqrt(variance / n))

    def standings(self) -> list[tuple[str, float]]:
        """Every entrant with its mean margin per unit so far, the best one first.

        Empty if results decide when it ends.
        """
        if self.sequential:
            return []
        units: dict[str, int] = {}
        margins: dict[str, float] = {}
        for (first, second), n, margin in zip(self.pairings, self.units, self.margins, strict=True):
            for name, sign in ((first, 1), (second, -1)):
                units[name] = units.get(name, 0) + n
                margins[name] = margins.get(name, 0.0) + sign * margin
        means = [(name, margins[name] / n) for name, n in units.items() if n]
        return sorted(means, key=lambda entry: (-entry[1], entry[0]))


class RateMeter:
    """How fast units come in, lately.

    Getting ready (workers start, code is compiled) is not pace: the clock starts with the
    first result.
    """

    _OVER_S = 30.0
    _SETTLED_S = 1.0
    """How long results must have come in before anything is said."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque()
        self._started = False

    def add(self, now: float, done: int) -> None:
        """So many are done at a time; the first time nothing has been played yet."""
        if self._marks and done < self._marks[-1][1]:  # another run, as of a baseline's next seed
            self._marks.clear()
        if self._started:
            self._marks.append((now, done))
        self._started = True
        while len(self._marks) > 2 and self._marks[1][0] < now - self._OVER_S:
            self._marks.popleft()

    @property
    def rate(self) -> float | None:
        """Units a second; None while nothing is known."""
        if not self._marks:
            return None
        (start, before), (end, after) = self._marks[0], self._marks[-1]
        if end - start < self._SETTLED_S or after == before:
            return None
        return (after - before) / (end - start)

"""The standings while a run goes on: sums only, whatever the number of deals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.scoring import games_of, unit_margin
from arena.store.database import UnitResult

__all__ = ["Tally"]


@dataclass
class Tally:
    """Units played and margins by pairing."""

    pairings: tuple[tuple[str, str], ...]
    total: int
    """Units in the whole run."""
    units: list[int] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    faults: int = 0
    tests: Sequence[str] = ()
    """Where the sequential tests stand, if there are any."""

    def __post_init__(self) -> None:
        self.units = self.units or [0] * len(self.pairings)
        self.margins = self.margins or [0.0] * len(self.pairings)

    @property
    def done(self) -> int:
        """Units that are stored."""
        return sum(self.units)

    def add(self, result: UnitResult) -> None:
        """Count a unit."""
        self.units[result.pairing] += 1
        self.margins[result.pairing] += unit_margin(
            games_of(record.game for record in result.rounds)
        )

    def standings(self) -> list[tuple[str, float]]:
        """Every entrant with its mean margin per unit so far, the best one first."""
        units: dict[str, int] = {}
        margins: dict[str, float] = {}
        for (first, second), n, margin in zip(self.pairings, self.units, self.margins, strict=True):
            for name, sign in ((first, 1), (second, -1)):
                units[name] = units.get(name, 0) + n
                margins[name] = margins.get(name, 0.0) + sign * margin
        means = [(name, margins[name] / n) for name, n in units.items() if n]
        return sorted(means, key=lambda entry: (-entry[1], entry[0]))

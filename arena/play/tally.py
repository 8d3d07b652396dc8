"""The standings while a run goes on: sums only, whatever the number of deals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.store.database import UnitResult
from arena.store.records import RoundRecord

__all__ = ["Tally", "unit_margin"]


def unit_margin(rounds: Sequence[RoundRecord]) -> float:
    """The margin of a unit: the mean over its seatings, or over those that were forfeited."""
    games: dict[int, float] = {}
    forfeited: set[int] = set()
    for record in rounds:
        games[record.seating] = games.get(record.seating, 0.0) + record.margin
        if record.forfeit:
            forfeited.add(record.seating)
    decisive = [games[seating] for seating in (forfeited or games)]
    return sum(decisive) / len(decisive)


@dataclass
class Tally:
    """Units played and margins by pairing."""

    pairings: tuple[tuple[str, str], ...]
    total: int
    """Units in the whole run."""
    units: list[int] = field(default_factory=list)
    margins: list[float] = field(default_factory=list)
    faults: int = 0

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
        self.margins[result.pairing] += unit_margin(result.rounds)

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

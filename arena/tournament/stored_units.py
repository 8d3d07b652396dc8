"""Which units of a run are stored, and how many a stopping rule wants: read once, then kept up.

The store is read when a run begins. Units that are played later are added as they come, so a
look of a sequential test reads nothing again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.core.scoring import Game, unit_margin
from arena.store.database import Database
from arena.tournament.schedule import WHOLE, Part, Schedule, Unit
from arena.tournament.stopping import StopRule
from arena.tournament.tally import Tally


class StoredUnits:
    """The units of every pairing by their number in the schedule."""

    def __init__(self, schedule: Schedule, rule: StopRule | None, part: Part = WHOLE) -> None:
        self._schedule, self._rule = schedule, rule
        self._own = part.of_units(len(schedule))
        self._numbers = {unit: number for number, unit in enumerate(schedule.unit_ids())}
        pairings = len(schedule.experiment.pairings)
        self._done = [bytearray(len(self._numbers)) for _ in range(pairings)]
        self._games: list[dict[int, tuple[Game, ...]]] = [{} for _ in range(pairings)]
        """Only with a rule: nothing else needs them."""
        self.limits = [len(self._numbers) if rule is None else 0] * pairings
        """How many units of each pairing are wanted, as far as the stored ones decide it."""

    def read(self, results: Database, ids: Sequence[int]) -> Tally:
        """Read the stored units of the pairings with these numbers; their tally."""
        sequential = self._rule is not None
        tally = Tally(self._schedule.experiment.pairings, 0, sequential=sequential)
        for pairing, number in enumerate(ids):
            if self._rule is None:
                columns = results.columns(number)
                for unit, margin in zip(
                    columns.units, columns.games.scored.margin.tolist(), strict=True
                ):
                    self._mark(pairing, unit)
                    tally.add_margin(pairing, margin)
            else:
                for unit, games in results.units(number):
                    self.add(pairing, unit, games)
                    tally.add_margin(pairing, unit_margin(games))
        self.look()
        wanted = map(self._wanted, range(len(ids)))
        tally.units = [
            sum(done[numbers.start : numbers.stop])
            for done, numbers in zip(self._done, wanted, strict=True)
        ]
        tally.total = self.total
        return tally

    @property
    def total(self) -> int:
        """How many units are wanted."""
        return sum(len(self._wanted(pairing)) for pairing in range(len(self.limits)))

    def _wanted(self, pairing: int) -> range:
        """The numbers of a pairing's units that are wanted."""
        pairings = len(self.limits)
        # Unit `number` of the pairing comes at `number * pairings + pairing`.
        first = -((pairing - self._own.start) // pairings)
        beyond = -((pairing - self._own.stop) // pairings)
        return range(max(0, first), max(0, min(beyond, self.limits[pairing])))

    def _mark(self, pairing: int, unit: str) -> int | None:
        number = self._numbers.get(unit)
        if number is not None:
            self._done[pairing][number] = 1
        return number

    def add(self, pairing: int, unit: str, games: tuple[Game, ...]) -> None:
        """Note that a unit is stored."""
        number = self._mark(pairing, unit)
        if number is not None and self._rule is not None:
            self._games[pairing][number] = games

    def look(self) -> bool:
        """Ask the rule for as long as it has all that it wanted; whether it wants more."""
        before, most = list(self.limits), len(self._numbers)
        while self._rule is not None and all(
            sum(done[:limit]) == limit for done, limit in zip(self._done, self.limits, strict=True)
        ):
            asked = self._rule.wanted(
                [
                    [games[number] for number in range(limit)]
                    for games, limit in zip(self._games, self.limits, strict=True)
                ]
            )
            limits = [
                max(limit, min(most, more)) for limit, more in zip(self.limits, asked, strict=True)
            ]
            if limits == self.limits:
                break
            self.limits = limits
        return self.limits != before

    def missing(self) -> Iterator[Unit]:
        """The units that are wanted and not stored, deal by deal."""
        wanted = [self._wanted(pairing) for pairing in range(len(self.limits))]
        for number in range(max(numbers.stop for numbers in wanted)):
            for pairing, done in enumerate(self._done):
                if number in wanted[pairing] and not done[number]:
                    yield self._schedule.unit(pairing, number)

    def margins(self, pairing: int) -> list[float]:
        """The margins of a pairing's wanted units, in the order of the schedule; with a rule."""
        games = self._games[pairing]
        return [unit_margin(games[number]) for number in range(self.limits[pairing])]

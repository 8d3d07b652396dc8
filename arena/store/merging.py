"""Copying the results of one run into another of the same experiment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arena.core.errors import ArenaError
from arena.store.database import Database
from arena.store.records import UnitRow, checksum, numbers_checksum, packing, same_plays


class Conflict(ArenaError):
    """A unit that was played in two ways."""

    def __init__(self, unit: str) -> None:
        super().__init__(unit)
        self.unit = unit


def take_in(results: Database, other: Database, pairings: Mapping[int, int]) -> int:
    """Copy what another file has and this one lacks; how many units that is.

    `pairings` has the number of each pairing there and here. Call it within a `transaction`.
    Raises `Conflict` for a unit that both have and that was not played alike.
    """
    results.write("INSERT OR IGNORE INTO deals VALUES (?, ?, ?)", other.intact_rows("deals"))
    before = sum(map(results.count_units, pairings.values()))
    marks = ", ".join("?" * (1 + len(UnitRow._fields)))
    for theirs, ours in pairings.items():
        rows = ((ours, *row) for row in _missing(results, other, theirs, ours))
        results.write(f"INSERT INTO units VALUES ({marks})", rows)
    faults = (
        (*values, checksum(values))
        for number, *rest, _ in other.intact_rows("faults")
        if number in pairings
        for values in ((pairings[number], *rest),)
    )
    marks = ", ".join("?" * 14)
    results.write(f"INSERT OR IGNORE INTO faults VALUES ({marks})", faults)
    return sum(map(results.count_units, pairings.values())) - before


def _missing(results: Database, other: Database, theirs: int, ours: int) -> Iterator[UnitRow]:
    """The units of a pairing that only the other file has, as they are stored here."""
    lookup = "SELECT numbers, flags, deals, faults, plays FROM units WHERE pairing = ? AND unit = ?"
    record_bytes = packing(results.sides(ours)).size
    has_none = results.count_units(ours) == 0
    for row in other.unit_rows(theirs):
        stored = None if has_none else results.one(lookup, ours, row.unit)
        if stored is None:
            yield row._replace(checksum=numbers_checksum(ours, *row[:5]))
        elif stored[:-1] != row[1:5] or not same_plays(
            stored[-1], row.plays, len(row.numbers) // record_bytes
        ):  # times may differ
            raise Conflict(row.unit)

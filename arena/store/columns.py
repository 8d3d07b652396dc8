"""The rounds of a pairing as arrays: one pass over the store, no Python object per round.

`RoundColumns` has an entry per round, `GameColumns` one per unit and seating, `UnitColumns` one
per unit. They are the array form of `arena.core.scoring.games_of` and `unit_score`; sums are
taken in the order of the rounds, so that both give the same floats.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.store.records import BY_SIDE, FIELDS, packing

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_TYPES = {"H": "<u2", "B": "u1", "b": "i1", "d": "<f8"}


@cache
def _record_type(sides: int) -> np.dtype[Any]:
    found: list[Any] = [(name, _TYPES[code]) for name, code in FIELDS]
    found += [(name, "<i4", (sides,)) for name in BY_SIDE]
    return np.dtype(found)


def decision_seatings(numbers: bytes, sides: int) -> IntArray:
    """For each decision of some units, by their packed numbers, the seating of its round."""
    table = np.frombuffer(numbers, dtype=_record_type(sides))
    return np.repeat(table["seating"].astype(np.int64), table["decisions"])


@dataclass(frozen=True, eq=False)
class RoundColumns:
    """All rounds of a pairing, in the order of unit, seating and number."""

    units: list[str]
    unit: IntArray
    """For each round, the place of its unit in `units`."""
    numbers: NDArray[Any]
    """The packed numbers of `arena.store.records`, by name."""
    flag_sets: tuple[frozenset[str], ...]
    flag_set: IntArray
    """For each round, the place of its flags in `flag_sets`."""

    @classmethod
    def read(cls, rows: Iterable[tuple[str, bytes, str]], sides: int) -> RoundColumns:
        """From unit, numbers and flags of every row; `ValueError` if it has half a record."""
        units: list[str] = []
        packed: list[bytes] = []
        flags: list[int] = []
        texts: dict[str, int] = {}
        for unit, numbers, text in rows:
            units.append(unit)
            packed.append(numbers)
            flags.append(texts.setdefault(text, len(texts)))
        size = packing(sides).size
        rounds = np.fromiter(map(len, packed), np.int64, len(packed)) // size
        table = np.frombuffer(b"".join(packed), dtype=_record_type(sides))
        of_round = np.repeat(np.arange(len(units), dtype=np.int64), rounds)
        flag_sets, first_of = _flag_sets(texts)
        of_unit = np.array(first_of, dtype=np.int64)[np.array(flags, dtype=np.int64)]
        flagged = table["flags"].astype(np.int64)
        flag_set = np.where(flagged == 0, 0, of_unit[of_round] + flagged - 1)
        return cls(units, of_round, table, flag_sets, flag_set)

    def flagged(self, flag: str) -> BoolArray:
        """In which rounds a flag was raised."""
        having = np.array([flag in each for each in self.flag_sets], dtype=np.bool_)
        return having[self.flag_set]

    @cached_property
    def games(self) -> GameColumns:
        """The rounds of each unit and seating together."""
        numbers, seating = self.numbers, self.numbers["seating"].astype(np.int64)
        if not len(numbers):
            none, zero = np.zeros(0), np.zeros(0, dtype=np.int64)
            return GameColumns(0, zero, zero, zero, none, none, none, zero, zero)
        new = np.ones(len(numbers), dtype=np.bool_)
        new[1:] = (self.unit[1:] != self.unit[:-1]) | (seating[1:] != seating[:-1])
        starts, game = np.flatnonzero(new), np.cumsum(new) - 1

        def summed(name: str) -> FloatArray:
            return np.asarray(np.bincount(game, numbers[name]), dtype=np.float64)

        return GameColumns(
            len(self.units),
            starts,
            self.unit[starts],
            seating[starts],
            summed("margin"),
            summed("score_first"),
            summed("score_second"),
            summed("counts").astype(np.int64),
            np.maximum.reduceat(numbers["forfeit"], starts).astype(np.int64),
        )


def _flag_sets(texts: Iterable[str]) -> tuple[tuple[frozenset[str], ...], list[int]]:
    """All sets of flags, the empty one first, and where those of each text begin."""
    found: list[frozenset[str]] = [frozenset()]
    begins = []
    for text in texts:
        begins.append(len(found))
        found += [frozenset(line.split()) for line in text.split("\n")]
    return tuple(found), begins


@dataclass(frozen=True, eq=False)
class GameColumns:
    """All games of a pairing: units in one seating each."""

    units: int
    starts: IntArray
    """The place of each game's first round."""
    unit: IntArray
    seating: IntArray
    margin: FloatArray
    score_first: FloatArray
    """NaN if a round was not finished."""
    score_second: FloatArray
    rounds: IntArray
    """Those that count."""
    forfeit: IntArray
    """The entrant that forfeited (1 the first, 2 the second); 0 if none did."""

    def mean(self, values: FloatArray | BoolArray, where: BoolArray | None = None) -> FloatArray:
        """For each unit the mean of a value over its games, or over those chosen."""
        unit = self.unit if where is None else self.unit[where]
        chosen = values if where is None else values[where]
        total = np.bincount(unit, chosen, self.units)
        result: FloatArray = total / np.bincount(unit, minlength=self.units)
        return result

    def mean_known(self, values: FloatArray) -> FloatArray:
        """For each unit the mean over its finished games; NaN if it has none."""
        known = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            return self.mean(values, known)

    def count(self, where: BoolArray | None = None) -> IntArray:
        """For each unit, how many games it has, or in how many something is so."""
        return np.bincount(self.unit if where is None else self.unit[where], minlength=self.units)

    def total(self, values: IntArray) -> IntArray:
        """For each unit the sum over its games."""
        return np.bincount(self.unit, values, self.units).astype(np.int64)

    @cached_property
    def scored(self) -> UnitColumns:
        """The result of each unit: forfeited games alone decide a unit that has any."""
        forfeited = self.count(self.forfeit > 0) > 0
        decisive = (self.forfeit > 0) | ~forfeited[self.unit]
        return UnitColumns(
            self.mean(self.margin, decisive),
            self.mean(self.margin > 0, decisive),
            self.mean(self.margin == 0, decisive),
            forfeited,
        )


@dataclass(frozen=True, eq=False)
class UnitColumns:
    """The results of a pairing's units, for its first entrant."""

    margin: FloatArray
    won: FloatArray
    """The share of its games."""
    drawn: FloatArray
    forfeited: BoolArray

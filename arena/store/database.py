"""`results.sqlite`: every round that was played, appended and never changed.

A row of `units` has all rounds of one unit (see `records`). It is keyed by a pairing (both
entrants' fingerprints, the rules with their version, the seed, the deals and how they are
played) and the unit. Work is looked up by that key, so a run started again finds the units
that are done, and the results of an agent that has changed since are not taken for its own.

A batch of units is one transaction, synced to the disk before it counts as done.
After a crash SQLite drops what was not committed; whole units are missing then,
never parts of one.

**Damage.** Units, deals and faults have checksums, which are compared whenever they are read:
a value that is not as it was stored is refused, not counted.

**Versions.** `FORMAT` goes up with every change of the tables, and of what a seed stands for. A
file of another format is refused: the version of arena that wrote it reads it.
"""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from math import isnan
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from arena.core.deals import Deal, read_deal, write_deal
from arena.core.errors import ArenaError
from arena.core.foreign_data import check_tables
from arena.core.scoring import Game, games_of
from arena.store.records import (
    DAMAGED,
    FIELDS,
    TIME_BYTES,
    RoundRecord,
    UnitRow,
    checksum,
    numbers_checksum,
    pack,
    packing,
    plays_checksum,
    unpack,
    unpack_plays,
    unpack_times,
)

if TYPE_CHECKING:
    from arena.store.columns import RoundColumns

FORMAT = 6
_BUSY_S = 30.0
_PAGE_BYTES = 8192
"""A unit is some 400 bytes or more: SQLite's usual pages of 4096 would stay emptier."""

_SCHEMA = f"""
CREATE TABLE pairings (
    id INTEGER PRIMARY KEY,
    first TEXT NOT NULL,
    second TEXT NOT NULL,
    first_fingerprint TEXT NOT NULL,
    second_fingerprint TEXT NOT NULL,
    rules TEXT NOT NULL,
    rules_version INTEGER NOT NULL,
    seed TEXT NOT NULL,
    deals_sha256 TEXT NOT NULL,
    play TEXT NOT NULL,
    sides INTEGER NOT NULL,
    UNIQUE (first, second, first_fingerprint, second_fingerprint,
            rules, rules_version, seed, deals_sha256, play)
);
CREATE TABLE deals (
    id TEXT PRIMARY KEY,
    cards TEXT NOT NULL,
    checksum INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE units (
    pairing INTEGER NOT NULL REFERENCES pairings,
    unit TEXT NOT NULL,
    numbers BLOB NOT NULL,
    flags TEXT NOT NULL,
    deals TEXT NOT NULL,
    faults TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    plays BLOB NOT NULL,
    times BLOB NOT NULL,
    plays_checksum INTEGER NOT NULL,
    PRIMARY KEY (pairing, unit)
) WITHOUT ROWID;
CREATE TABLE faults (
    pairing INTEGER NOT NULL REFERENCES pairings,
    unit TEXT NOT NULL,
    seating INTEGER NOT NULL,
    number INTEGER NOT NULL,
    deal TEXT NOT NULL,
    round_number INTEGER NOT NULL,
    standing TEXT NOT NULL,
    entrant INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    decision INTEGER NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    actions BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (pairing, unit, seating, number)
) WITHOUT ROWID;
PRAGMA user_version = {FORMAT};
"""
_STATEMENTS = tuple(_SCHEMA.split(";\n"))


_ALL_COLUMNS = ", ".join(UnitRow._fields)
_MOST_SIDES = 64
_GAME = itemgetter(
    *map(
        [name for name, _ in FIELDS].index,
        ("seating", "margin", "score_first", "score_second", "counts", "forfeit"),
    )
)


def _game(numbers: tuple[Any, ...]) -> Game:
    """A round, by its packed numbers, as (a part of) a game."""
    seating, margin, first, second, counts, forfeit = _GAME(numbers)
    if isnan(first):
        first = second = None
    return Game(seating, margin, first, second, counts, forfeit)


class StoreError(ArenaError):
    """A results file that cannot be read or written."""


@dataclass(frozen=True)
class PairingKey:
    """Everything that decides the results of a pairing, except deal and seating."""

    first: str
    second: str
    first_fingerprint: str
    second_fingerprint: str
    rules: str
    """The game with its options, as JSON."""
    rules_version: int
    seed: str
    deals_sha256: str
    play: str
    """How deals are played: seatings and match format, as JSON."""


class UnitResult(NamedTuple):
    """The rounds of one unit."""

    pairing: int
    """Index of the pairing in the experiment."""
    unit: str
    rounds: tuple[RoundRecord, ...]
    extra_deals: tuple[Deal, ...] = ()
    """Deals that the match needed beyond those of the set."""


class FaultRecord(NamedTuple):
    """A fault, with the round as far as it went."""

    pairing: int
    unit: str
    seating: int
    number: int
    deal: str
    round_number: int
    """Rounds of the match before it that counted."""
    standing: tuple[int, ...]
    """The score of the match before it, by side."""
    entrant: int
    seat: int
    decision: int
    kind: str
    message: str
    actions: bytes


class Database:
    """The results of one run folder, open for reading or for reading and appending."""

    def __init__(self, path: Path, *, writable: bool = False) -> None:
        self.path = path
        self._logs = False
        self._known_sides: dict[int, int] = {}
        with self._explained():
            if writable:
                self._connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
                self._create()
            else:
                if not path.is_file():
                    raise StoreError(f"{path}: not found; a run keeps its results there")
                self._connection = sqlite3.connect(
                    f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=_BUSY_S
                )
                self._check_format()

    def close(self) -> None:
        """Close the file; the last one to close a written file folds its log into it."""
        with self._explained():
            self._connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- writing -------------------------------------------------------------------------

    def _create(self) -> None:
        run = self._connection.execute
        (found,) = run("PRAGMA user_version").fetchone()
        run("PRAGMA synchronous = FULL")  # a commit is on the disk
        if found == 0:
            run(f"PRAGMA page_size = {_PAGE_BYTES}")
            with self.transaction():
                for statement in _STATEMENTS:
                    run(statement)
        self._check_format()

    def _check_format(self) -> None:
        (found,) = self._connection.execute("PRAGMA user_version").fetchone()
        if found == 0:
            raise StoreError(f"{self.path}: nothing has been stored yet")
        if found != FORMAT:
            raise StoreError(
                f"{self.path}: written in format {found}, this version reads format {FORMAT}; use "
                "the version of arena that wrote it, or '--fresh' to start over"
            )
        check_tables(self._connection, _STATEMENTS)

    def add_deals(self, deals: Sequence[Deal]) -> None:
        """Keep deals, so that rounds can be shown without the set they came from."""
        # All at once and in their order: with the last one, all are there.
        if deals and self.deal(deals[-1].id) is None:
            with self.transaction():
                self._insert_deals(deals)

    def _insert_deals(self, deals: Iterable[Deal]) -> None:
        self._connection.executemany(
            "INSERT OR IGNORE INTO deals VALUES (?, ?, ?)",
            (
                (deal.id, cards, checksum((deal.id, cards)))
                for deal, cards in ((deal, write_deal(deal)) for deal in deals)
            ),
        )

    def pairing_id(self, key: PairingKey, sides: int) -> int:
        """The number that results of this pairing are kept under; a new one if it is new.

        `sides` is how many sides its game has: as many scores as each round has.
        """
        with self._explained():
            found = self.find_pairing(key)
            if found is None:
                values = (*asdict(key).values(), sides)
                marks = ", ".join("?" * len(values))
                cursor = self._connection.execute(
                    f"INSERT INTO pairings VALUES (NULL, {marks})", values
                )
                found = cursor.lastrowid
        assert found is not None  # an insert has a row id
        return found

    def append(self, results: Sequence[UnitResult], pairing_ids: Sequence[int]) -> None:
        """Store whole units: all of them or, if the disk does not let us, none."""
        rows = [
            (pairing, *pack(pairing, result.unit, result.rounds, self.sides(pairing)))
            for result in results
            for pairing in (pairing_ids[result.pairing],)
        ]
        marks = ", ".join("?" * (1 + len(UnitRow._fields)))
        with self.transaction():
            self._connection.executemany(f"INSERT INTO units VALUES ({marks})", rows)
            self._insert_deals(deal for result in results for deal in result.extra_deals)

    def write(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each row, within a `transaction`."""
        with self._explained():
            self._connection.executemany(sql, rows)

    def add_fault(self, fault: FaultRecord, pairing_ids: Sequence[int]) -> None:
        """Keep a fault for `arena replay`; the same fault again changes nothing."""
        standing = " ".join(map(str, fault.standing))
        values = fault._asdict() | {"pairing": pairing_ids[fault.pairing], "standing": standing}
        row: tuple[Any, ...] = tuple(values.values())
        row = (*row, checksum(row))
        marks = ", ".join("?" * len(row))
        with self._explained():
            self._connection.execute(f"INSERT OR REPLACE INTO faults VALUES ({marks})", row)

    def finish(self) -> None:
        """Fold the write-ahead log into the file, so that the file alone is the results.

        A reader at this moment prevents it; that does no harm.
        """
        if self._logs:
            self._connection.execute("PRAGMA busy_timeout = 0")
            with suppress(sqlite3.OperationalError):
                self._connection.execute("PRAGMA journal_mode = DELETE")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A block of writes that is stored as a whole, or not at all after an error."""
        with self._explained():
            if not self._logs:
                # With a write-ahead log a reader never waits for the driver, nor it for them.
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._logs = True
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    # --- reading -------------------------------------------------------------------------

    def find_pairing(self, key: PairingKey) -> int | None:
        """The number of a pairing, if it has been stored."""
        values = asdict(key)
        where = " AND ".join(f"{column} = ?" for column in values)
        row = self.one(f"SELECT id FROM pairings WHERE {where}", *values.values())
        return None if row is None else int(row[0])

    def sides(self, pairing: int) -> int:
        """How many sides the game of a pairing has."""
        if pairing not in self._known_sides:
            row = self.one("SELECT sides FROM pairings WHERE id = ?", pairing)
            if row is None or not isinstance(row[0], int) or not 0 < row[0] <= _MOST_SIDES:
                raise self._damaged(f"pairing {pairing}")
            self._known_sides[pairing] = row[0]
        return self._known_sides[pairing]

    def unit_names(self, pairing: int) -> list[str]:
        """The units of a pairing that are stored, in order."""
        rows = self.query("SELECT unit FROM units WHERE pairing = ? ORDER BY unit", pairing)
        return [unit for (unit,) in rows]

    def deal_names(self) -> list[str]:
        """The ids of all stored deals, in order."""
        return [deal for (deal,) in self.query("SELECT id FROM deals ORDER BY id")]

    def count_units(self, pairing: int) -> int:
        """How many units of a pairing are stored."""
        row = self.one("SELECT count(*) FROM units WHERE pairing = ?", pairing)
        return int(row[0]) if row else 0

    def units_with(self, pairing: int, deal: str) -> list[str]:
        """The units of a pairing that have a deal, those included that a fault cut short."""
        line, newline = f"\n{deal}\n", "\n"
        rows = self.query(
            "SELECT unit FROM units WHERE pairing = ?1 AND (unit = ?2 OR instr(?4||deals||?4, ?3)) "
            "UNION SELECT unit FROM faults WHERE pairing = ?1 AND (unit = ?2 OR deal = ?2) "
            "ORDER BY unit",
            *(pairing, deal, line, newline),
        )
        return [unit for (unit,) in rows]

    def rounds(
        self, pairing: int, units: Sequence[str] | None = None, *, damaged: list[str] | None = None
    ) -> Iterator[RoundRecord]:
        """The rounds of a pairing (of some units), in the order of unit, seating and number.

        A unit that is not as it was stored is refused, or noted in `damaged` if that is given.
        """
        sides = self.sides(pairing)
        for row in self._rows(pairing, units):
            try:
                intact = _is_intact(pairing, row)
                rounds = list(unpack(row, sides))
            except DAMAGED:
                intact, rounds = False, []
            if not intact:
                if damaged is None:
                    raise self._damaged(f"unit {row.unit}")
                damaged.append(f"unit {row.unit}")
            yield from rounds

    def unit_rows(self, pairing: int) -> Iterator[UnitRow]:
        """Every unit of a pairing as it is stored, in order, one at a time."""
        for row in self._rows(pairing, None):
            try:
                intact = _is_intact(pairing, row)
            except TypeError:  # a value of another type than was stored
                intact = False
            if not intact:
                raise self._damaged(f"unit {row.unit}")
            yield row

    def _rows(self, pairing: int, units: Sequence[str] | None) -> Iterator[UnitRow]:
        chosen = "" if units is None else "AND unit IN (SELECT value FROM json_each(?))"
        sql = f"SELECT {_ALL_COLUMNS} FROM units WHERE pairing = ? {chosen} ORDER BY unit"
        given = () if units is None else (json.dumps(units),)
        return map(UnitRow._make, self.query(sql, pairing, *given))

    def columns(self, pairing: int) -> RoundColumns:
        """The numbers of all rounds of a pairing, as arrays."""
        from arena.store.columns import RoundColumns  # here, so that light commands start fast

        try:
            return RoundColumns.read(self._numbers(pairing), self.sides(pairing))
        except (TypeError, ValueError) as error:
            raise self._damaged(f"pairing {pairing}") from error

    def units(self, pairing: int) -> Iterator[tuple[str, tuple[Game, ...]]]:
        """Every unit of a pairing with its games, in order, one at a time."""
        unpack_numbers = packing(self.sides(pairing)).iter_unpack
        for unit, numbers, _ in self._numbers(pairing):
            try:
                yield unit, games_of(map(_game, unpack_numbers(numbers)))
            except struct.error as error:
                raise self._damaged(f"unit {unit}") from error

    def _numbers(self, pairing: int) -> Iterator[tuple[str, bytes, str]]:
        """Unit, numbers and flags of every unit of a pairing, in order."""
        for unit, numbers, flags, deals, faults, stored in self.query(
            "SELECT unit, numbers, flags, deals, faults, checksum FROM units "
            "WHERE pairing = ? ORDER BY unit",
            pairing,
        ):
            try:
                intact = numbers_checksum(pairing, unit, numbers, flags, deals, faults) == stored
            except TypeError:  # a value of another type than was stored
                intact = False
            if not intact or not numbers or not isinstance(unit, str):
                raise self._damaged(f"unit {unit}")
            yield unit, numbers, flags

    def times(self, pairing: int) -> Iterator[tuple[bytes, bytes, bytes, bytes]]:
        """Of every unit of a pairing the numbers, the seats that acted, and both kinds of times."""
        record_bytes = packing(self.sides(pairing)).size
        for unit, numbers, plays, times, stored in self.query(
            "SELECT unit, numbers, plays, times, plays_checksum FROM units "
            "WHERE pairing = ? ORDER BY unit",
            pairing,
        ):
            try:
                intact = plays_checksum(plays, times) == stored
                rounds = len(numbers) // record_bytes
                both = unpack_times(times, rounds)
                seats, _ = unpack_plays(plays, len(both[0]) // TIME_BYTES, rounds)
            except DAMAGED:
                intact = False
            if not intact:
                raise self._damaged(f"unit {unit}")
            yield numbers, seats, *both

    def digest(self, pairing: int) -> str:
        """A text that differs for different results of a pairing: how many, and their checksums."""
        return str(
            self.one(
                "SELECT count(*), sum(checksum), sum(plays_checksum) FROM units WHERE pairing = ?",
                pairing,
            )
        )

    def faults(self, pairing: int) -> list[FaultRecord]:
        """The faults in a pairing."""
        faults = []
        for row in self.query("SELECT * FROM faults WHERE pairing = ?", pairing):
            fault = FaultRecord._make(self._intact(row, f"fault in {row[1]}"))
            faults.append(fault._replace(standing=tuple(map(int, str(fault.standing).split()))))
        return faults

    def deal(self, deal_id: str) -> Deal | None:
        """A deal; None if it is not stored."""
        row = self.one("SELECT id, cards, checksum FROM deals WHERE id = ?", deal_id)
        if row is None:
            return None
        what = f"deal {deal_id}"
        try:
            return read_deal(deal_id, self._intact(row, what)[1])
        except (ValueError, TypeError, RecursionError) as error:  # not what `write_deal` wrote
            raise self._damaged(what) from error

    def intact_rows(self, table: Literal["deals", "faults"]) -> Iterator[tuple[Any, ...]]:
        """All rows of a table as they are stored, one at a time."""
        for row in self.query(f"SELECT * FROM {table}"):
            self._intact(row, f"{table[:-1]} {row[0]}")
            yield row

    def _intact(self, row: tuple[Any, ...], what: str) -> tuple[Any, ...]:
        *values, stored = row
        if stored != checksum(values):
            raise self._damaged(what)
        return tuple(values)

    def _damaged(self, what: str) -> StoreError:
        return StoreError(
            f"{self.path}: damaged: {what} is not as it was stored; 'arena verify "
            f"{self.path.parent}' names everything that is not, '--fresh' starts over"
        )

    def one(self, sql: str, *values: object) -> tuple[Any, ...] | None:
        """The first row of a query."""
        with self._explained(), closing(self._connection.execute(sql, values)) as rows:
            row: tuple[Any, ...] | None = rows.fetchone()
            return row

    def query(self, sql: str, *values: object) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, one at a time: never all of them in memory."""
        with self._explained():
            # Not the cursor itself: `yield from` closes it, maybe after the connection.
            yield from map(tuple, self._connection.execute(sql, values))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self.path}: {_what_now(error)}") from error
        except UnicodeDecodeError as error:  # in a message of SQLite's about damaged text
            raise self._damaged("a text") from error


def _is_intact(pairing: int, row: UnitRow) -> bool:
    """Whether a unit is as it was stored."""
    return (
        numbers_checksum(pairing, *row[:5]) == row.checksum
        and plays_checksum(row.plays, row.times) == row.plays_checksum
    )


def why_not_written(error: Exception) -> str:
    """What to say of an error of SQLite's in writing; empty if it is another one."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return (
            f"cannot be written ({error}): is the disk full? What was finished is kept; "
            "make room and give the same command again"
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return f"cannot be written ({error})"
    return ""


def _what_now(error: sqlite3.DatabaseError) -> str:
    if said := why_not_written(error):
        return said
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return f"damaged ({error}); '--fresh' starts over"
    return str(error)


def canonical_json(value: Mapping[str, Any]) -> str:
    """JSON that is equal for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)

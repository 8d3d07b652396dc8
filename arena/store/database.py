"""`results.sqlite`: every round that was played, appended and never changed.

Rounds are keyed by a pairing (both entrants' fingerprints, the rules with their
version, the seed, the deals and how they are played), the unit, the seating and
the round's number. Work is looked up by that key, so a run started again finds
what is done, and results of an agent that has changed since are not mistaken for
its own.

A batch of units is one transaction, synced to the disk before it counts as done.
After a crash SQLite drops what was not committed; whole units are missing then,
never parts of one.

**Damage.** Every round, deal and fault has a checksum, which is looked at whenever it is
read: what is no longer as it was stored is refused, not counted.

**Versions.** `FORMAT` goes up when something is added. Older files are read as they are, with
what stands in `_ADDED` for columns that they lack; when more is stored in one of them, it gets
the columns.
"""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import groupby
from math import isfinite
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from arena.core.deals import Deal, read_deal, write_deal
from arena.core.errors import ArenaError
from arena.core.scoring import Game, games_of
from arena.store.records import COLUMNS, RoundRecord, checksum, round_checksum

FORMAT = 3
_BUSY_S = 30.0
_CHECKSUM = "checksum"
_ADDED: tuple[tuple[int, str, str, str, str], ...] = (
    (2, "rounds", _CHECKSUM, "INTEGER", "NULL"),
    (2, "deals", _CHECKSUM, "INTEGER", "NULL"),
    (2, "faults", _CHECKSUM, "INTEGER", "NULL"),
    (3, "rounds", "cpu_times", "BLOB NOT NULL DEFAULT x''", "x''"),
)
"""Columns that are not in every format: since when, table, name, type, and what an older file
has in its place."""

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
    UNIQUE (first, second, first_fingerprint, second_fingerprint,
            rules, rules_version, seed, deals_sha256, play)
);
CREATE TABLE deals (
    id TEXT PRIMARY KEY,
    cards TEXT NOT NULL,
    checksum INTEGER
) WITHOUT ROWID;
CREATE TABLE rounds (
    pairing INTEGER NOT NULL REFERENCES pairings,
    unit TEXT NOT NULL,
    seating INTEGER NOT NULL,
    number INTEGER NOT NULL,
    deal TEXT NOT NULL,
    score_first REAL,
    score_second REAL,
    margin REAL NOT NULL,
    scores TEXT NOT NULL,
    points TEXT NOT NULL,
    bonus TEXT NOT NULL,
    tricks TEXT NOT NULL,
    flags TEXT NOT NULL,
    trump INTEGER,
    declarer INTEGER,
    leader INTEGER,
    counts INTEGER NOT NULL,
    forfeit INTEGER NOT NULL,
    fault TEXT NOT NULL,
    actions BLOB NOT NULL,
    seats BLOB NOT NULL,
    times BLOB NOT NULL,
    cpu_times BLOB NOT NULL,
    checksum INTEGER,
    PRIMARY KEY (pairing, unit, seating, number)
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
    checksum INTEGER,
    PRIMARY KEY (pairing, unit, seating, number)
) WITHOUT ROWID;
PRAGMA user_version = {FORMAT};
"""


_GAME = itemgetter(
    *map(COLUMNS.index, ("seating", "margin", "score_first", "score_second", "counts", "forfeit"))
)


def _is_possible(
    seating: int, margin: float, first: float | None, second: float | None, *counts: int
) -> bool:
    """Whether the numbers of a round are such as a round can have."""
    return (
        seating >= 0
        and isfinite(margin)
        and all(score is None or isfinite(score) for score in (first, second))
        and all(0 <= count <= 2 for count in counts)
    )


class StoreError(ArenaError):
    """A results file that cannot be read or written."""


@dataclass(frozen=True)
class PairingKey:
    """Everything that decides the results of a pairing, besides deal and seating."""

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
    """How deals are played: placements and match format, as JSON."""


class UnitResult(NamedTuple):
    """All that came of one unit."""

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
    standing: str
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
        self._format = FORMAT
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
            with self._transaction():
                for statement in _SCHEMA.split(";\n"):
                    run(statement)
        self._check_format()
        if self._format < FORMAT:
            with self._transaction():
                for since, table, name, kind, _ in _ADDED:
                    if since > self._format:
                        run(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")
                run(f"PRAGMA user_version = {FORMAT}")
            self._format = FORMAT

    def _check_format(self) -> None:
        (found,) = self._connection.execute("PRAGMA user_version").fetchone()
        if found == 0:
            raise StoreError(f"{self.path}: nothing has been stored yet")
        if not 1 <= found <= FORMAT:
            raise StoreError(
                f"{self.path}: written in format {found}; this version reads up to {FORMAT}"
            )
        self._format = found

    def _columns(self, table: str, names: Sequence[str]) -> str:
        """Columns as they are asked for, whatever the format of the file."""
        stand_ins = {
            name: instead
            for since, of, name, _, instead in _ADDED
            if of == table and since > self._format
        }
        return ", ".join(stand_ins.get(name, name) for name in names)

    def add_deals(self, deals: Sequence[Deal]) -> None:
        """Keep deals, so that rounds can be shown without the set they came from."""
        # All at once and in their order: with the last one, all are there.
        if deals and self.deal(deals[-1].id) is None:
            with self._explained(), self._transaction():
                self._insert_deals(deals)

    def _insert_deals(self, deals: Iterable[Deal]) -> None:
        self._connection.executemany(
            "INSERT OR IGNORE INTO deals VALUES (?, ?, ?)",
            (
                (deal.id, cards, checksum((deal.id, cards)))
                for deal, cards in ((deal, write_deal(deal)) for deal in deals)
            ),
        )

    def pairing_id(self, key: PairingKey) -> int:
        """The number that results of this pairing are kept under; a new one if it is new."""
        with self._explained():
            found = self.find_pairing(key)
            if found is None:
                values = tuple(asdict(key).values())
                marks = ", ".join("?" * len(values))
                cursor = self._connection.execute(
                    f"INSERT INTO pairings VALUES (NULL, {marks})", values
                )
                found = cursor.lastrowid
        assert found is not None  # an insert has a row id
        return found

    def append(self, results: Sequence[UnitResult], pairing_ids: Sequence[int]) -> None:
        """Store whole units: all of them or, if the disk does not let us, none."""
        columns = ("pairing", *COLUMNS, _CHECKSUM)
        marks = ", ".join("?" * len(columns))
        with self._explained(), self._transaction():
            self._connection.executemany(
                f"INSERT INTO rounds ({', '.join(columns)}) VALUES ({marks})",
                [
                    (pairing, *record, round_checksum(pairing, record))
                    for result in results
                    for pairing in (pairing_ids[result.pairing],)
                    for record in result.rounds
                ],
            )
            self._insert_deals(deal for result in results for deal in result.extra_deals)

    def add_fault(self, fault: FaultRecord, pairing_ids: Sequence[int]) -> None:
        """Keep a fault for `arena replay`; the same fault again changes nothing."""
        row: tuple[Any, ...] = (pairing_ids[fault.pairing], *fault[1:])
        row = (*row, checksum(row))
        marks = ", ".join("?" * len(row))
        with self._explained():
            self._connection.execute(f"INSERT OR REPLACE INTO faults VALUES ({marks})", row)

    def finish(self) -> None:
        """Fold the write-ahead log into the file, so that the file alone is the results.

        Somebody who reads at this moment prevents it; that does no harm.
        """
        if self._logs:
            self._connection.execute("PRAGMA busy_timeout = 0")
            with suppress(sqlite3.OperationalError):
                self._connection.execute("PRAGMA journal_mode = DELETE")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
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

    def units_done(self, pairing: int) -> Iterator[str]:
        """The units of a pairing that are stored."""
        for (unit,) in self.query("SELECT DISTINCT unit FROM rounds WHERE pairing = ?", pairing):
            yield unit

    def rounds(
        self, pairing: int, unit: str | None = None, *, damaged: list[str] | None = None
    ) -> Iterator[RoundRecord]:
        """The rounds of a pairing (of one unit), in the order of their key.

        One that is not as it was stored is refused, or noted in `damaged` if that is given.
        """
        for row in self._rows(pairing, unit, damaged):
            yield RoundRecord._make(row)

    def units(self, pairing: int) -> Iterator[tuple[str, tuple[Game, ...]]]:
        """Every unit of a pairing with its games, in the order of the key, one at a time."""
        for unit, rounds in groupby(self._rows(pairing), itemgetter(0)):
            yield unit, games_of(Game._make(_GAME(row)) for row in rounds)

    def _rows(
        self, pairing: int, unit: str | None = None, damaged: list[str] | None = None
    ) -> Iterator[tuple[Any, ...]]:
        condition, values = "pairing = ?", [pairing, unit]
        if unit is not None:
            condition += " AND unit = ?"
        for *listed, stored in self.query(
            f"SELECT {self._columns('rounds', (*COLUMNS, _CHECKSUM))} FROM rounds "
            f"WHERE {condition} ORDER BY unit, seating, number",
            *values[: 1 if unit is None else 2],
        ):
            row = tuple(listed)
            try:
                intact, legible = round_checksum(pairing, row) == stored, True
                if stored is None:  # stored before there were checksums: is it possible at all?
                    intact = legible = _is_possible(*_GAME(row))
            except (struct.error, TypeError):  # a value of another type than was stored
                intact = legible = False
            if not intact:
                what = f"{row[0]}, seating {row[1]}, round {row[2]}"
                if damaged is None:
                    raise self._damaged(what)
                damaged.append(what)
                if not legible:
                    continue
            yield row

    def times(self, pairing: int) -> Iterator[tuple[int, bytes, bytes, bytes]]:
        """Of every round of a pairing the seating, who acted, and the times of both kinds."""
        columns = self._columns("rounds", ("seating", "seats", "times", "cpu_times"))
        for row in self.query(f"SELECT {columns} FROM rounds WHERE pairing = ?", pairing):
            yield row[0], row[1], row[2], row[3]

    def digest(self, pairing: int) -> str:
        """What tells two states of a pairing's results apart: how much, and its checksums."""
        column = self._columns("rounds", (_CHECKSUM,))
        return str(
            self.one(
                f"SELECT count(*), sum({column}), total(margin) FROM rounds WHERE pairing = ?",
                pairing,
            )
        )

    def faults(self, pairing: int) -> list[FaultRecord]:
        """The faults in a pairing."""
        columns = self._columns("faults", (*FaultRecord._fields, _CHECKSUM))
        rows = self.query(f"SELECT {columns} FROM faults WHERE pairing = ?", pairing)
        return [FaultRecord._make(self._intact(row, f"fault in {row[1]}")) for row in rows]

    def deal(self, deal_id: str) -> Deal | None:
        """A stored deal."""
        columns = self._columns("deals", ("id", "cards", _CHECKSUM))
        row = self.one(f"SELECT {columns} FROM deals WHERE id = ?", deal_id)
        if row is None:
            return None
        what = f"deal {deal_id}"
        try:
            return read_deal(deal_id, self._intact(row, what)[1])
        except (ValueError, TypeError, RecursionError) as error:  # not what `write_deal` wrote
            raise self._damaged(what) from error

    def _intact(self, row: tuple[Any, ...], what: str) -> tuple[Any, ...]:
        *values, stored = row
        if stored is not None and stored != checksum(values):
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
            yield from self._connection.execute(sql, values)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self.path}: {_what_now(error)}") from error


def _what_now(error: sqlite3.DatabaseError) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return (
            f"cannot be written ({error}): is the disk full? What was finished is kept; "
            "make room and give the same command again"
        )
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return f"damaged ({error}); '--fresh' starts over"
    return str(error)


def canonical_json(value: Mapping[str, Any]) -> str:
    """JSON that is equal for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)

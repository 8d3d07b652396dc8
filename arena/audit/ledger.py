"""`audit.sqlite` in a run folder: the audited rounds, each under a hash of all it depends on.

The key of a round has its cards, its actions, the rules and how it was valued, but not who played:
rounds that were played alike are audited once, and a run that has grown finds those it had. Which
units were asked for, and how they were valued, is stored too: reports show those.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from zlib import crc32

from arena.audit.rounds import FORMAT, AuditedRound
from arena.config.parameters import plain
from arena.core.deals import write_deal
from arena.core.errors import ArenaError
from arena.core.foreign_data import check_tables
from arena.store import Replay, Run
from arena.store.database import why_not_written
from arena.store.folder import AUDIT

_TABLES = (
    "CREATE TABLE IF NOT EXISTS rounds (key TEXT PRIMARY KEY, checksum INTEGER, audit TEXT)",
    "CREATE TABLE IF NOT EXISTS asked (first TEXT, second TEXT, unit TEXT, valued TEXT, "
    "PRIMARY KEY (first, second, unit, valued))",
)
_BUSY_S = 30.0


def key_of(run: Run, replay: Replay, valued: str) -> str:
    """The key of a round; `valued` says how decisions are valued."""
    content = {
        "format": FORMAT,
        "game": run.rules.name,
        "version": run.rules.version,
        "options": plain(run.rules),
        "deal": write_deal(replay.deal),
        "standing": replay.standing,
        "actions": replay.record.actions.hex(),
        "valued": valued,
    }
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


class AuditLedger:
    """The audited rounds of a run folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / AUDIT

    def read(self) -> Mapping[str, str]:
        """All audits by key, as they are stored."""
        if not self.path.exists():
            return {}
        found: dict[str, str] = {}
        with self._open() as database:
            for key, checksum, audit in database.execute("SELECT * FROM rounds"):
                if crc32(f"{key}{audit}".encode()) != checksum:
                    raise self._damaged(f"round {key}")
                found[key] = audit
        return found

    def decode(self, stored: str) -> AuditedRound:
        """An audit that was read."""
        try:
            return AuditedRound.from_json(json.loads(stored))
        except (ValueError, RecursionError) as error:
            raise self._damaged(str(error)) from error

    def add(self, audits: Iterable[tuple[str, AuditedRound]]) -> None:
        """Store some audits, all or none."""
        rows = []
        for key, audit in audits:
            text = json.dumps(audit.to_json(), separators=(",", ":"))
            rows.append((key, crc32(f"{key}{text}".encode()), text))
        with self._open() as database, database:
            database.executemany("INSERT OR REPLACE INTO rounds VALUES (?, ?, ?)", rows)

    def ask(self, units: Iterable[tuple[str, str, str]], valued: str) -> None:
        """Store which units (after the names of their pairing) are audited, and how."""
        with self._open() as database, database:
            known = set(database.execute("SELECT * FROM asked"))
            rows = sorted({(*unit, valued) for unit in units} - known)
            if rows:  # else a folder that may only be read will do
                database.executemany("INSERT INTO asked VALUES (?, ?, ?, ?)", rows)

    def asked(self) -> tuple[str, list[tuple[str, str, str]]]:
        """How most units that were asked for are valued, and which they are."""
        if not self.path.exists():
            return "", []
        by_valued: dict[str, list[tuple[str, str, str]]] = {}
        with self._open() as database:
            for *unit, valued in database.execute("SELECT * FROM asked ORDER BY 1, 2, 3"):
                first, second, name = map(str, unit)
                by_valued.setdefault(str(valued), []).append((first, second, name))
        valued = max(by_valued, key=lambda each: len(by_valued[each]), default="")
        return valued, by_valued.get(valued, [])

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.path, timeout=_BUSY_S)) as database:
                check_tables(database, _TABLES)
                for table in _TABLES:
                    database.execute(table)
                yield database
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if said := why_not_written(error):
                raise ArenaError(f"{self.path}: {said}") from error
            raise self._damaged(str(error)) from error

    def _damaged(self, what: str) -> ArenaError:
        return ArenaError(f"{self.path}: cannot be read ({what}); delete it and audit again")

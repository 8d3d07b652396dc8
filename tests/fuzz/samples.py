"""What inputs are made from: experiments, deals, records and run folders that are right."""

from __future__ import annotations

import atexit
import contextlib
import gzip
import io
import json
import random
import re
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeAlias

from mutate import mutated

from arena.cli import main
from arena.config.loader import load
from arena.core.deals import sidecar_of
from arena.store.records import checksum, numbers_checksum, plays_checksum
from arena.tournament.run import RunOptions
from arena.tournament.run import run as play
from arena.tournament.schedule import WHOLE, Part
from arena.tournament.watcher import NullWatcher

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"
Target: TypeAlias = Callable[[Path, random.Random], list[Callable[[], int]]]


def command(*words: str) -> Callable[[], int]:
    return lambda: main(list(words))


@cache
def corpus(kind: str) -> list[Path]:
    return sorted((CORPUS / kind).iterdir())


@cache
def records() -> list[bytes]:
    found = []
    for file in sorted((ROOT / "tests" / "data").glob("*_rounds.jsonl.gz")):
        found += gzip.decompress(file.read_bytes()).split(b"\n")[:40]
    return [line for line in found if line]


@cache
def deal_sets() -> list[tuple[bytes, dict[str, object]]]:
    found = []
    for file in sorted((ROOT / "deals").glob("*-1000.csv")):
        lines = file.read_bytes().split(b"\n")[:6]
        found.append((b"\n".join(lines) + b"\n", json.loads(sidecar_of(file).read_bytes())))
    return found


EXPERIMENT = """\
name: x
game: klaverjas
seed: SEED
deals: {set: klaverjas-given-1000, limit: 3}
agents: {a: {family: random}, b: {family: semi-random}, c: {family: random}}
"""


@cache
def a_run(part: str = "", seed: int = 1) -> Path:
    """A small run or a part of one; a whole one has been audited."""
    folder = Path(tempfile.mkdtemp(prefix="arena-fuzz-run-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "x.yaml").write_text(EXPERIMENT.replace("SEED", str(seed)))
    run = folder / "run"
    options = RunOptions(jobs=1, part=Part.parse(part) if part else WHOLE)
    play(load(folder / "x.yaml"), run, options, NullWatcher())
    if not part:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            main(["audit", str(run), "--deals", "1", "--worlds", "4", "--jobs", "1"])
    return run


def damage(run: Path, rng: random.Random) -> None:
    """Change one of the files of a run."""
    names = ("manifest.json", "results.sqlite", "results.sqlite", "config.resolved.yaml")
    file = run / rng.choice(names)
    if file.name == "results.sqlite" and rng.random() < 0.1:
        add_a_program(file, rng)
    elif file.name == "results.sqlite" and rng.random() < 0.6:
        _change_a_value(file, rng)
    elif file.name != "results.sqlite" and rng.random() < 0.4:
        file.write_bytes(_other_numbers(file.read_bytes(), rng))
    else:
        file.write_bytes(mutated(file.read_bytes(), rng))


PROGRAMS = (
    "DROP TABLE {0}; CREATE VIEW {0} AS WITH RECURSIVE c(x) AS "
    "(SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT {1} FROM c",
    "ALTER TABLE {0} ADD COLUMN more GENERATED ALWAYS AS (zeroblob(2000000000))",
    "CREATE TRIGGER more AFTER INSERT ON {0} BEGIN DELETE FROM {0}; END",
    "CREATE INDEX more ON {0} (zeroblob(1000000))",
    "DROP TABLE {0}",
    "CREATE TABLE more (x)",
)
"""What makes a database compute; `{0}` is a table, `{1}` has its columns."""


def add_a_program(file: Path, rng: random.Random) -> None:
    """Make a table of a database something else: a stranger may send any file."""
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        tables = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        table = rng.choice([name for (name,) in database.execute(tables)])
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        selected = ", ".join(f"x AS {column}" for column in columns)
        with contextlib.suppress(sqlite3.OperationalError):
            database.executescript(rng.choice(PROGRAMS).format(table, selected))


NUMBERS = (0, -1, 1, 10**6, 10**9, 2**31, 2**63 - 1, -(2**63), 10**30, 1e308, 5e-324, 0.5)


def _other_numbers(text: bytes, rng: random.Random) -> bytes:
    """Sizes, counts and seeds that no run has."""
    found = rng.choice(list(re.finditer(rb"(?<=[ :\[])-?\d+(\.\d+)?(?=[\s,}\]])", text)))
    return text[: found.start()] + repr(rng.choice(NUMBERS)).encode() + text[found.end() :]


def _change_a_value(file: Path, rng: random.Random) -> None:
    """Another value of another type, often with checksums that fit it: as a forger would."""
    connection = sqlite3.connect(file)
    table = rng.choice(("units", "deals", "pairings"))
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    values = (None, -1, 10**15, 1.5, float("inf"), "", "x", "1 2 3", "H7", b"", b"\xff" * 40,
              2**63 - 1, -(2**63), 1e308, 5e-324, b"\x7f" * 10_000, "9" * 5000)  # fmt: skip
    with connection:
        where = " WHERE rowid % 2 = 0" if table == "pairings" else ""
        with contextlib.suppress(sqlite3.IntegrityError):
            column = rng.choice(columns)
            (old,) = connection.execute(f"SELECT {column} FROM {table}").fetchone()
            damaged = isinstance(old, bytes) and rng.random() < 0.6
            value = _mutated_inside(old, rng) if damaged else rng.choice(values)
            if isinstance(old, bytes) and old and rng.random() < 0.3:  # numbers of the same length
                value = rng.choice((b"\x7f", b"\xff", b"\x80", b"\0", b"\x01")) * len(old)
            connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ?{where}", (value,))
        if rng.random() < 0.7:
            with contextlib.suppress(TypeError, ValueError):  # no checksum fits such a value
                _forge_checksums(connection, table)
    connection.close()


def _mutated_inside(data: bytes, rng: random.Random) -> bytes:
    """Changed; often what is compressed, as a forger would."""
    try:
        inside = zlib.decompress(data)
    except zlib.error:
        return mutated(data, rng)
    if rng.random() < 0.05:  # it grows beyond all bounds
        return zlib.compress(bytes(50_000_000))
    return zlib.compress(mutated(inside, rng)) if rng.random() < 0.8 else mutated(data, rng)


def _forge_checksums(connection: sqlite3.Connection, table: str) -> None:
    if table == "deals":
        for row in connection.execute("SELECT id, cards FROM deals").fetchall():
            change = "UPDATE deals SET checksum = ? WHERE id = ?"
            connection.execute(change, (checksum(row), row[0]))
    elif table == "units":
        numbers = "pairing, unit, numbers, flags, deals, faults"
        plays = "plays, times"
        for row in connection.execute(f"SELECT {numbers}, {plays} FROM units").fetchall():
            change = (
                "UPDATE units SET checksum = ?, plays_checksum = ? WHERE (pairing, unit) = (?, ?)"
            )
            found = numbers_checksum(*row[:6]), plays_checksum(*row[6:])
            connection.execute(change, (*found, *row[:2]))

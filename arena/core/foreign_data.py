"""Files from untrusted sources: reading them must not exhaust the machine."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable
from contextlib import closing
from functools import lru_cache


def decompressed(stored: bytes, most: int) -> bytes:
    """At most so many bytes, whatever a damaged file says; `ValueError` for more."""
    stream = zlib.decompressobj()
    found = stream.decompress(stored, most + 1)
    if not stream.eof or stream.unused_data or len(found) > most:
        raise ValueError("not as it was compressed")
    return found


def check_tables(database: sqlite3.Connection, statements: Iterable[str]) -> None:
    """Raise `sqlite3.DatabaseError` for a table or index other than those of our statements.

    A view, a trigger or a column that is computed is a program: it could run for ever, or fill the
    memory, as soon as it is read.
    """
    for made in _made(database) - _ours(tuple(statements)):
        raise sqlite3.DatabaseError(f"the table or index {made[0]!r} is none of arena's")


@lru_cache
def _ours(statements: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as database:
        for statement in statements:
            database.execute(statement)
        return _made(database)


def _made(database: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    texts = "CAST(name AS BLOB), CAST(sql AS BLOB)"  # whatever bytes they have
    rows = database.execute(f"SELECT {texts} FROM sqlite_schema WHERE sql IS NOT NULL")
    read = ([text.decode(errors="replace") for text in row] for row in rows)
    return frozenset((name, " ".join(sql.split())) for name, sql in read)

"""`replies.sqlite`: every prompt and reply of a run's language models, kept as soon as it is there.

It lies in the folder of the run next to the results, but it is no part of them: the workers write
it themselves, so that a reply that was paid for survives whatever happens to its worker. Replies
are known by the hash of what was asked: agent, view, seed of the decision, request. A question that
is asked again finds its reply. The decision without the words of the request has a hash as well,
so that the conversation is found from a stored round.

The file also counts the requests in flight and what they may cost, over all workers. A process
that was killed in a request leaves a row; the next one that has to wait removes it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias

from pydantic import Field, TypeAdapter

from arena.core.errors import ArenaError
from arena.core.foreign_data import check_tables, decompressed
from arena.llm.answers import Problem
from arena.process.faults import Unavailable

REPLIES = "replies.sqlite"
FORMAT = 1
_BUSY_S = 60.0
_MOST_BYTES = 20_000_000
"""Of a conversation: many times what a model can read."""
_LOOK_S = 0.05

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY,
    decision TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    agent TEXT NOT NULL,
    messages BLOB NOT NULL,
    reply TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    finish TEXT NOT NULL,
    prompt_tokens INTEGER,
    completion_tokens INTEGER,
    served TEXT NOT NULL,
    seconds REAL NOT NULL,
    problem TEXT NOT NULL,
    cost REAL,
    asked TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS by_decision ON replies (decision, attempt);
CREATE INDEX IF NOT EXISTS by_agent ON replies (agent, cost);
CREATE TABLE IF NOT EXISTS in_flight (
    key TEXT PRIMARY KEY,
    process INTEGER NOT NULL,
    started REAL NOT NULL,
    agent TEXT NOT NULL,
    most REAL NOT NULL
);
PRAGMA user_version = {FORMAT};
"""
_STATEMENTS = tuple(_SCHEMA.split(";\n"))
_MARKS = ", ".join("?" * 15)
_COLUMNS = (
    "messages, reply, reasoning, finish, prompt_tokens, completion_tokens, served, seconds, "
    "problem, cost"
)


_Number: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True)
class Attempt:
    """A question to a model and what it answered."""

    messages: tuple[dict[str, str], ...]
    """The conversation up to the reply: prompt, earlier replies and what was wrong with them."""
    reply: str
    reasoning: str
    finish: str
    prompt_tokens: int | None
    completion_tokens: int | None
    served: str
    seconds: _Number
    problem: Problem
    """Empty if the reply is a legal move."""
    cost: _Number | None
    """None if no prices are known."""


class AttemptKey(NamedTuple):
    """The key of an attempt."""

    key: str
    decision: str
    attempt: int
    agent: str
    """The hash of the agent's parameters, as far as they matter for its play."""


class RequestLimits(NamedTuple):
    """Limits of a request, over all workers."""

    agent: str
    at_once: int
    """Requests of the agent in flight."""
    most: float
    """The highest cost of the request."""
    max_cost: float | None
    """The agent's budget: not exceeded, even if all in flight cost as much as they can."""


class Conversations:
    """The prompts and replies in a file; without one, in memory."""

    def __init__(self, path: Path | None = None, *, writable: bool = True) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._turns, self._closing = 0, False
        name = ":memory:" if path is None else str(path)
        with self._explained():
            if writable:
                # Made by one thread, and closed by another one in the end.
                self._db = sqlite3.connect(
                    name, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
                )
                self._create()
            else:
                assert path is not None  # nothing can be read from a new memory
                self._db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
                self._check_format()

    def _create(self) -> None:
        # What is committed survives the end of any process; a power cut may take the last replies.
        self._db.execute("PRAGMA synchronous = NORMAL")
        (found,) = self._db.execute("PRAGMA user_version").fetchone()
        if found:
            return self._check_format()
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("BEGIN IMMEDIATE")
        for statement in _STATEMENTS:
            self._db.execute(statement)
        self._db.execute("COMMIT")
        return None

    def _check_format(self) -> None:
        (found,) = self._db.execute("PRAGMA user_version").fetchone()
        if found != FORMAT:
            raise ArenaError(
                f"{self.path}: written in format {found}, this version reads format {FORMAT}"
            )
        check_tables(self._db, _STATEMENTS)

    def close(self) -> None:
        """Close the file, as soon as no thread has a question in flight: replies are paid for."""
        with self._lock:
            self._closing = True
            if not self._turns:
                self._db.close()

    # --- replies -------------------------------------------------------------------------

    def find(self, key: str) -> Attempt | None:
        """The stored reply to a question that was asked before."""
        rows = self._query(f"SELECT {_COLUMNS} FROM replies WHERE key = ?", key)
        return self._attempt(rows[0]) if rows else None

    def of_decision(self, decision: str) -> list[Attempt]:
        """The attempts of a decision, in order; empty if no model was asked."""
        rows = self._query(
            f"SELECT attempt, {_COLUMNS} FROM replies WHERE decision = ? ORDER BY attempt, asked",
            decision,
        )
        # Of questions that another version put in other words, the last one counts.
        return [self._attempt(row) for row in {number: row for number, *row in rows}.values()]

    def add(self, question: AttemptKey, attempt: Attempt) -> None:
        """Keep a reply."""
        messages = json.dumps(attempt.messages, ensure_ascii=False).encode(errors="replace")
        texts = (attempt.reply, attempt.reasoning, attempt.finish)
        with self._explained():
            self._db.execute(
                f"INSERT OR REPLACE INTO replies VALUES ({_MARKS})",
                (
                    *question,
                    zlib.compress(messages),
                    *(text.encode(errors="replace").decode() for text in texts),
                    attempt.prompt_tokens,
                    attempt.completion_tokens,
                    attempt.served.encode(errors="replace").decode(),
                    attempt.seconds,
                    attempt.problem,
                    attempt.cost,
                    datetime.now(UTC).isoformat(timespec="milliseconds"),
                ),
            )

    def spent(self, agent: str | None = None) -> float:
        """The cost of all replies to an agent (or to all); unknown costs count as 0."""
        where, given = ("", ()) if agent is None else ("WHERE agent = ?", (agent,))
        ((total,),) = self._query(f"SELECT coalesce(sum(cost), 0) FROM replies {where}", *given)
        if not isinstance(total, float | int) or not isfinite(total):
            raise Unavailable(f"{self.path or 'replies'}: a cost is not as it was stored")
        return float(total)

    def copy_to(self, folder: Path) -> None:
        """Add all replies to those that another run's folder has."""
        other = Conversations(folder / REPLIES)
        try:
            with self._explained():
                other._db.execute("BEGIN IMMEDIATE")
                other._db.executemany(
                    f"INSERT OR IGNORE INTO replies VALUES ({_MARKS})",
                    self._db.execute("SELECT * FROM replies"),
                )
                other._db.execute("COMMIT")
        finally:
            other.close()

    # --- requests in flight --------------------------------------------------------------

    @contextmanager
    def turn(self, key: str, limits: RequestLimits) -> Iterator[Attempt | None]:
        """Wait until a question may be asked, and count it while it is in flight.

        Yields the reply if another worker has asked the same in the meantime: it is not asked
        again then.
        """
        with self._open():
            while True:
                found = self.find(key)
                if found is not None:
                    yield found
                    return
                if self._begin(key, limits):
                    break
                time.sleep(_LOOK_S)
                if self._closing:
                    raise self._over()
            try:
                yield None
            finally:
                with self._explained():
                    self._db.execute("DELETE FROM in_flight WHERE key = ?", (key,))

    @contextmanager
    def _open(self) -> Iterator[None]:
        """Another thread does not close the file meanwhile."""
        with self._lock:
            if self._closing:
                raise self._over()
            self._turns += 1
        try:
            yield
        finally:
            with self._lock:
                self._turns -= 1
                if self._closing and not self._turns:
                    self._db.close()

    def _over(self) -> Unavailable:
        return Unavailable(f"{self.path or 'replies'}: the run is over")

    def _begin(self, key: str, limits: RequestLimits) -> bool:
        """Whether the question may be asked now; it counts as in flight from here on."""
        agent, most, max_cost = limits.agent, limits.most, limits.max_cost
        with self._explained():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                ((others, theirs),) = self._query(
                    "SELECT count(*), coalesce(sum(most), 0) FROM in_flight WHERE agent = ?", agent
                )
                spent = 0.0 if max_cost is None else self.spent(agent)
                known = self._query(
                    "SELECT 1 FROM in_flight WHERE key = ?1 "
                    "UNION ALL SELECT 1 FROM replies WHERE key = ?1",
                    key,
                )
                if max_cost is not None and spent + most > max_cost and not known:
                    raise Unavailable(
                        f"max_cost: {spent:.4g} of {max_cost:g} are spent, and the next request "
                        f"may cost {most:.2g}. Replies and finished deals are kept: with a higher "
                        "max_cost the same command goes on"
                    )
                fits = max_cost is None or spent + theirs + most <= max_cost
                free = others < limits.at_once and fits and not known
                if free:
                    process = os.getpid()
                    self._db.execute(
                        "INSERT INTO in_flight VALUES (?, ?, ?, ?, ?)",
                        (key, process, _started(process), agent, most),
                    )
                else:
                    self._forget_dead()
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
        return free

    def _forget_dead(self) -> None:
        """Remove the requests of processes that are gone."""
        for process, started in self._query("SELECT DISTINCT process, started FROM in_flight"):
            if _started(process) != started:
                self._db.execute(
                    "DELETE FROM in_flight WHERE process = ? AND started = ?", (process, started)
                )

    # --- the file ------------------------------------------------------------------------

    def _query(self, sql: str, *values: object) -> list[Sequence[Any]]:
        with self._explained(), closing(self._db.execute(sql, values)) as rows:
            return rows.fetchall()

    def _attempt(self, row: Sequence[Any]) -> Attempt:
        """A stored attempt, if it is as one is stored: another program may have written it."""
        messages, *rest = row
        try:
            said = json.loads(decompressed(messages, _MOST_BYTES))
            if not all({"role", "content"} <= set(each) for each in said) or not said:
                raise ValueError("no conversation")
            attempt = _type_of_attempts().validate_python(
                dict(zip(_COLUMNS.split(", "), (said, *rest), strict=True))
            )
        except (zlib.error, ValueError, TypeError, RecursionError):
            words = f"{self.path or 'replies'}: a reply is not as it was stored"
            raise Unavailable(words) from None
        return attempt

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            # Not the agent's fault, wherever it happens: a full disk, for example.
            raise Unavailable(f"{self.path or 'replies'}: {error}") from error


@lru_cache(maxsize=1)
def _type_of_attempts() -> TypeAdapter[Attempt]:
    return TypeAdapter(Attempt)


def _started(process: int) -> float:
    """When a process was started; 0 if it is gone."""
    import psutil

    try:
        return float(psutil.Process(process).create_time())
    except psutil.Error:
        return 0.0

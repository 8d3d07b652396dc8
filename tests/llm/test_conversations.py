"""Replies that are kept in a file, which a stranger may have made."""

from __future__ import annotations

import json
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.llm.conversations import REPLIES, Attempt, AttemptKey, Conversations, RequestLimits
from arena.process.faults import Unavailable

ATTEMPT = Attempt(
    messages=({"role": "user", "content": "your move?"},),
    reply='{"move": "H7"}',
    reasoning="",
    finish="stop",
    prompt_tokens=10,
    completion_tokens=None,
    served="model-1",
    seconds=0.5,
    problem="",
    cost=0.25,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with one reply."""
    kept = Conversations(tmp_path / REPLIES)
    kept.add(AttemptKey("key", "decision", 0, "agent"), ATTEMPT)
    kept.close()
    return tmp_path / REPLIES


def change(file: Path, column: str, value: Any) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(f"UPDATE replies SET {column} = ?", (value,))


def said(text: bytes) -> bytes:
    return zlib.compress(text)


def test_what_is_kept_comes_back(file: Path) -> None:
    with closing(Conversations(file, writable=False)) as kept:
        assert kept.find("key") == ATTEMPT
        assert kept.of_decision("decision") == [ATTEMPT]
        assert kept.spent() == 0.25


def test_a_file_that_is_closed_while_a_question_is_in_flight_keeps_its_reply(file: Path) -> None:
    """Otherwise the question would count as in flight, and the next run would wait for it."""
    kept, limits = Conversations(file), RequestLimits("agent", 1, 0.0, None)
    with kept.turn("other", limits):
        kept.close()  # as the run's thread does when another agent ended the run
        kept.add(AttemptKey("other", "decision", 1, "agent"), ATTEMPT)
    with pytest.raises(Unavailable, match="the run is over"), kept.turn("third", limits):
        pass
    with closing(Conversations(file)) as again:
        with again.turn("other", limits) as found:
            assert found == ATTEMPT
        with again.turn("third", limits) as found:
            assert found is None


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("messages", said(b"[" * 100_000)),
        ("messages", said(b" " * 30_000_000)),
        ("messages", b"not compressed"),
        ("messages", "text"),
        ("messages", said(b"[]")),
        ("messages", said(b"3")),
        ("messages", said(json.dumps([{"content": "x"}]).encode())),
        ("messages", said(json.dumps([{"role": "user", "content": ["x"]}]).encode())),
        ("reply", b"\xff"),
        ("seconds", "soon"),
        ("seconds", -1.0),
        ("cost", float("inf")),
        ("prompt_tokens", "many"),
        ("problem", "none"),
    ],
)
def test_a_reply_that_is_none_is_refused_in_one_line(file: Path, column: str, value: Any) -> None:
    change(file, column, value)
    with closing(Conversations(file, writable=False)) as kept:
        with pytest.raises(Unavailable, match="a reply is not as it was stored") as raised:
            kept.of_decision("decision")
        assert "\n" not in str(raised.value)


def test_costs_without_end_are_refused(file: Path) -> None:
    change(file, "cost", float("inf"))
    stored = pytest.raises(Unavailable, match="a cost is not as it was stored")
    with closing(Conversations(file, writable=False)) as kept, stored:
        kept.spent()


def test_a_file_that_computes_is_refused(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TRIGGER more AFTER INSERT ON replies BEGIN SELECT 1; END")
    with pytest.raises(Unavailable, match="'more' is none of arena's"):
        Conversations(file, writable=False)

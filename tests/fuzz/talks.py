"""Inputs about language models: replies that a run has kept, prompts, and what models answer."""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import random
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from helpers.llm_runs import experiment, model
from helpers.llm_server import serving
from mutate import mutated
from samples import add_a_program, command

from arena.cli import main
from arena.core.rules import View
from arena.core.seeds import rng_for
from arena.games.klaverjas import Klaverjas
from arena.llm.answers import judge
from arena.llm.prompt import usual_template

__all__ = ["talks"]


@cache
def a_run_of_models() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="arena-fuzz-run-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with serving() as server, contextlib.redirect_stdout(io.StringIO()):
        agents = {"m": model(server), "r": {"family": "random"}}
        file = experiment(folder, agents, deals=1)
        words = ["run", str(file), "--out", str(folder / "run"), "--no-report", "--quiet"]
        assert main(words) == 0
    return folder / "run"


@cache
def a_view() -> View:
    rules = Klaverjas()
    state = rules.start(rules.random_deal(rng_for(1), 0))
    return rules.view(state, state.turn or 0)


REPLIES = (
    *(b'Thinking {"a": 1} ... {"move": "H7"}', b'{"move": "pass"}', b'```json\n{"move": 3}\n```'),
    *(b'{"move": ["H7"]}', b'{"move": {"move": "H7"}}', b'{"move": "\xe2\x99\xa57"}'),
)
VALUES = (
    *(None, -1, 0, 2**63 - 1, 1e308, float("inf"), "", "x", b"", b"\xff\xfe"),
    *("\x1b[2J", "x" * 10**6),
)


def talks(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    """Replies that are damaged or forged; else a prompt, and an answer."""
    if rng.random() < 0.3:
        (folder / "prompt.txt").write_bytes(mutated(usual_template().encode(), rng))
        text = mutated(rng.choice(REPLIES) * rng.choice((1, 1, 3000)), rng)
        words = ("suite", "export", "klaverjas", "--tasks", "--template", "prompt.txt")
        return [lambda: _judged(text.decode(errors="surrogateescape")), command(*words)]
    shutil.copytree(a_run_of_models(), folder / "run")
    _forge(folder / "run" / "replies.sqlite", rng)
    replay = ("replay", "run", "klaverjas-given-0000")
    words = rng.choice(((*replay, "--at", "0"), (*replay, "--at", "1"), (*replay, "--at", "5")))
    return [command(*words), *([command("report", "run")] if rng.random() < 0.02 else [])]


def _judged(text: str) -> int:
    judge(text, "stop", a_view())
    return 0


def _forge(file: Path, rng: random.Random) -> None:
    """Any value in any column; messages that are none, or grow beyond all bounds."""
    if rng.random() < 0.15:
        return file.write_bytes(mutated(file.read_bytes(), rng)) and None
    if rng.random() < 0.1:
        return add_a_program(file, rng)
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(replies)")]
        column, value = rng.choice(columns), rng.choice(VALUES)
        if rng.random() < 0.4:
            said = rng.choice(
                (
                    *([], [1], {}, "x", [{}], [{"role": 1, "content": []}], None),
                    *([{"role": "user", "content": "\x1b[2J<script>"}] * 3, [[["x"]]]),
                )
            )
            text = rng.choice((json.dumps(said).encode(), b"[" * 100_000, bytes(10**8), b"\xff"))
            column, value = "messages", zlib.compress(text)
        with contextlib.suppress(sqlite3.IntegrityError):
            database.execute(f"UPDATE replies SET {column} = ?", (value,))
    return None

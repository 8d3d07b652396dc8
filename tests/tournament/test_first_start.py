"""First starts of a command: two at once, and where nothing that is compiled can be kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.experiments import exported

BOT = """
from dataclasses import dataclass
from typing import ClassVar
from arena.games.kernel.jit import compiled

@compiled
def same(card):
    return card

@dataclass(frozen=True)
class Bot:
    compiles: ClassVar[bool] = True

    def act(self, view, rng):
        return same(view.legal[0])
"""
EXPERIMENT = """
name: first
game: klaverjas
deals: {set: klaverjas-given-1000, limit: 2}
agents: {bot: {family: "./bot.py:Bot"}, random: {family: random}}
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "first.yaml").write_text(EXPERIMENT)
    return tmp_path


def start(here: Path, out: str, *more: str, **variables: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "arena", "run", "first.yaml", "--trust", "--quiet"]
    kept = {name: value for name, value in os.environ.items() if name != "ARENA_CACHE_DIR"}
    return subprocess.Popen(
        [*command, "--jobs", "1", "--out", out, *more],
        cwd=here,
        env={**kept, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_at_once_compile_once_and_play_the_same(here: Path) -> None:
    cache = here / "cache"
    both = [start(here, out, "--no-report", ARENA_CACHE_DIR=str(cache)) for out in ("a", "b")]
    for process in both:
        _, error = process.communicate()
        assert process.returncode == 0 and "Traceback" not in error, error
    assert exported(here / "a", here) == exported(here / "b", here)
    assert len(list(cache.glob("kernels/own_bot_*/*.nbc"))) == 1


def test_a_home_that_cannot_be_written(here: Path) -> None:
    (here / "home").write_text("a file, so that not even root can write there")
    process = start(here, "run", HOME=str(here / "home"), XDG_CACHE_HOME="", XDG_CONFIG_HOME="")
    _, error = process.communicate()
    assert process.returncode == 0 and "Traceback" not in error, error
    assert len(exported(here / "run", here).splitlines()) == 1 + 2 * 2
    assert (here / "run" / "report.html").is_file()

"""What an agent raises outside of a run is one line with its name and the place."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from arena.cli import main
from arena.core.errors import ArenaError
from arena.process.faults import AgentFault, one_line_of

BOT = """\
class Bot:
    def act(self, view, rng):
        return 1 // 0

class Sits(Bot):
    def take_seat(self, setup):
        raise ValueError("no \\x1b[2J seat")
"""
EXPERIMENT = """\
name: x
game: klaverjas
deals: {set: klaverjas-given-1000, limit: 1}
agents: {a: {family: "./bot.py:Bot"}, b: {family: random}}
"""
DIVIDES = "raised ZeroDivisionError: integer division or modulo by zero (bot.py, line 3)"
SITS = r"raised ValueError: no \x1b[2J seat (bot.py, line 7)"


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        ("suite run klaverjas ./bot.py:Bot", 1, f"the agent ./bot.py:Bot {DIVIDES}"),
        ("suite run klaverjas ./bot.py:Sits", 1, f"the agent ./bot.py:Sits {SITS}"),
        ("record x.yaml --out games", 2, f"the agent a {DIVIDES}"),
        ("play --seed 1 --with ./bot.py:Sits", 2, f"the agent ./bot.py:Sits {SITS}"),
        ("play --seed 1 --with random --adviser ./bot.py:Bot", 0, f"that gives hints {DIVIDES}"),
    ],
)
def test_what_an_agent_raises_is_one_line(
    words: str,
    code: int,
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "x.yaml").write_text(EXPERIMENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("h\n"))
    assert main(words.split()) == code
    said = " ".join("".join(capsys.readouterr()).split())
    assert line in said


def test_a_program_that_was_ended_is_named() -> None:
    fault = AgentFault("crash", "ended by itself, exit code 1", "at x\nTypeError: no\n")
    with (
        pytest.raises(ArenaError, match=r"the agent b ended by itself, exit code 1: TypeError: no"),
        one_line_of("b"),
    ):
        raise fault

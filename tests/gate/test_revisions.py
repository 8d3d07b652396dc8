"""Gates against an earlier revision, in the repository of an agent's author."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena.cli import main
from arena.config.entrants import AgentSpec, ProcessBuilder, builder_of
from arena.process.client import Program
from arena.process.revision import GitSource

Output = pytest.CaptureFixture[str]

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")

FILE_BOT = """
from order import best


class Bot:
    def act(self, view, rng):
        return best(view.legal, lambda card: card // 13 == view.trump)
"""
PROGRAM = """
import json, sys
from order import best

for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1}), flush=True)
    elif said["type"] == "act":
        about = {key: said[key] for key in ("deal", "decision")}
        view = said["view"]
        action = best(view["legal"], lambda card: card[0] == view["trump"])
        print(json.dumps({"type": "action", "action": action, **about}), flush=True)
    elif said["type"] == "quit":
        break
"""
RANK = """
def rank(action):
    name = "23456789TJQKA"[action % 13] if isinstance(action, int) else action[-1]
    return "78QKTA9J".find(name)

"""
LOWEST = RANK + "def best(legal, trump): return min(legal, key=lambda a: (not trump(a), rank(a)))"
REWRITTEN = RANK + "def best(legal, trump): return max(legal, key=lambda a: (trump(a), -rank(a)))"
HIGHEST = RANK + "def best(legal, trump): return max(legal, key=lambda a: (trump(a), rank(a)))"
FAMILIES: dict[str, dict[str, Any]] = {
    "file": {"family": "./bot.py:Bot"},
    "program": {"family": "command", "argv": [sys.executable, "./program.py"]},
}


def git(*words: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that knows nothing of arena's, with a bot that leads its lowest trump."""
    home = tmp_path / "theirs"
    home.mkdir()
    monkeypatch.chdir(home)
    (home / "bot.py").write_text(FILE_BOT)
    (home / "program.py").write_text(PROGRAM)
    (home / "order.py").write_text(LOWEST)
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "a bot")
    return home


def gate(candidate: dict[str, Any], **changes: Any) -> int:
    file = {
        "name": "strength",
        "game": "klaverjas",
        "deals": {"set": "klaverjas-given-1000", "limit": 400},
        "candidate": candidate,
        "baseline": {"git": "HEAD"},
        "test": {"kind": "no-regression", "worse_by": 20},
        "probe_deals": 2,
        **changes,
    }
    Path("bot.gate.yaml").write_text(yaml.safe_dump(file))
    return main(["gate", "bot.gate.yaml", "--jobs", "1", "--quiet", "--out", "gate"])


@pytest.mark.parametrize("kind", FAMILIES)
def test_a_worse_bot_is_red_and_a_rewritten_one_green(kind: str, repository: Path) -> None:
    """The bot of the working copy plays that of the last commit, its local imports included."""
    (repository / "order.py").write_text(REWRITTEN)
    assert gate(FAMILIES[kind]) == 0
    (repository / "order.py").write_text(HIGHEST)
    assert gate(FAMILIES[kind]) == 1


def test_a_program_runs_where_it_would_run_today(repository: Path) -> None:
    (repository / "bots").mkdir()
    argv = [sys.executable, "program.py", str(repository / "order.py"), "--depth", "3"]
    spec = AgentSpec("command", {"argv": argv}, source=GitSource("HEAD"))
    builder = builder_of(spec, repository / "bots")
    assert isinstance(builder, ProcessBuilder)
    launch = builder.launch
    assert isinstance(launch, Program)
    assert launch.folder is not None
    tree = Path(launch.folder)
    assert (tree / "program.py").read_text() == PROGRAM
    assert tree != repository
    files = [str(tree / name) for name in ("program.py", "order.py")]
    assert launch.argv == (sys.executable, *files, "--depth", "3")


def test_what_cannot_be_rebuilt_is_refused(repository: Path, capsys: Output) -> None:
    def refused(candidate: dict[str, Any], **changes: Any) -> str:
        assert gate(candidate, **changes) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        return said

    (repository / "new.py").write_text(PROGRAM)
    said = refused({"family": "command", "argv": [sys.executable, "./new.py"]})
    assert "./new.py is not committed there" in said
    said = refused({"family": "command", "argv": [sys.executable, "new.py"]})
    assert "new.py is not committed there" in said
    said = refused({"family": "command", "argv": ["some-engine", "--depth", "3"]})
    assert "argv names no file of the repository" in said
    (repository / "later.py").write_text(FILE_BOT)
    said = refused({"family": "./later.py:Bot"})
    assert "later.py: No such file" in said
    said = refused({"family": "rule"})
    assert "family 'rule' is part of arena-tricks, which is not installed from" in said
    said = refused({"family": "./bot.py:Bot"}, baseline={"git": "v9"})
    assert "has no revision 'v9'" in said


def test_outside_of_a_repository(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    shutil.copy(repository / "bot.py", elsewhere)
    shutil.copy(repository / "order.py", elsewhere)
    assert gate({"family": "./bot.py:Bot"}) == 2
    assert "is in no git repository; 'repository: FOLDER' names one" in capsys.readouterr().err

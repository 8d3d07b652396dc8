"""`arena new`: what it writes runs, its tests pass, and it is written as our own code is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.paths import ROOT

from arena.cli import main
from arena.config import own_code
from arena.core.errors import ArenaError
from arena.core.registry import GAMES
from arena.new import KINDS, make
from arena.store import Run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(own_code, "_TRUSTED", set())
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def python(*words: str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_agent_plays_at_once(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "agent", "my-bot"]) == 0
    assert "arena run my_bot.yaml" in capsys.readouterr().out
    few = ["--set", "deals.limit=20", "--jobs", "1", "--quiet", "--no-report"]
    assert main(["run", "my_bot.yaml", *few]) == 0
    with Run("reports/my-bot") as results:
        deals = results.deals()
    against_random = deals[(deals["first"] == "my-bot") & (deals["second"] == "random")]
    assert against_random["margin"].mean() > 0, "it is better than nothing"


def test_a_training_leaves_its_model_alone(here: Path) -> None:
    """The recipes as they are written, with fewer rounds; both models play."""
    assert main(["new", "training", "mine"]) == 0
    written = {path.name for path in here.iterdir()}
    few = [
        "--set",
        "games=[{rounds: 40, name: klaverjas}]",
        "--set",
        "measured=4",
        "--set",
        "deals=4",
    ]
    assert main(["train", "policy", "mine.yaml", *few]) == 0
    few = [f"{key}=4" for key in ("cycles", "deals", "worlds", "measured", "rounds")]
    overrides = [word for each in few for word in ("--set", each)]
    assert main(["train", "policy", "mine_network.yaml", *overrides]) == 0
    left = {path.name for path in here.iterdir()} - written
    assert left == {"mine.npz", "mine_network.npz"}
    play = ["--set", "deals.limit=2", "--jobs", "1", "--quiet", "--no-report"]
    assert main(["run", "mine_play.yaml", *play]) == 0


def test_a_game_is_played_at_once(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["new", "game", "whist"]) == 0
    monkeypatch.chdir(here / "whist")
    monkeypatch.syspath_prepend(str(here / "whist"))
    from arena_whist import Whist  # type: ignore[import-not-found]

    monkeypatch.setattr(GAMES, "_added", {**GAMES._added, "whist": Whist})
    make_deals = ["deals", "make", "--game", "whist", "--count", "10", "--seed", "1"]
    assert main([*make_deals, "--out", "deals.csv"]) == 0
    assert main(["run", "experiment.yaml", "--jobs", "1", "--quiet", "--no-report"]) == 0


def test_the_tests_that_it_writes_pass(here: Path) -> None:
    """In processes of their own, as one would run them: some seconds each."""
    make("agent", "greedy", here)
    make("experiment", "first", here)
    assert main(["validate", "first.yaml"]) == 0
    make("game", "fourwhist", here)
    quick = ("-q", "-p", "no:cacheprovider")
    python("pytest", *quick, "test_greedy.py", "test_first.py", folder=here)
    python("pytest", *quick, folder=here / "fourwhist")


def test_what_it_writes_is_in_our_style(here: Path) -> None:
    for kind in KINDS:
        make(kind, f"new-{kind}", here)
    style = ("--config", str(ROOT / "pyproject.toml"))
    python("ruff", "check", "-q", *style, "--ignore", "I001", ".", folder=here)
    python("ruff", "format", "-q", "--check", *style, ".", folder=here)
    typed = [*here.glob("new_*.py"), here / "new_game" / "arena_new_game"]
    python("mypy", "--strict", "--no-error-summary", *map(str, typed), folder=here)


def test_an_experiment_has_its_schema_beside_it(here: Path) -> None:
    assert main(["new", "experiment", "first"]) == 0
    assert '"agents"' in (here / "arena.schema.json").read_text()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("1st", "is not a name"),
        ("a b", "is not a name"),
        ("class", "is a word of the language Python"),
        ("random", "there is a Python module 'random' already"),
        ("numpy", "there is a Python module 'numpy' already"),
    ],
)
def test_names_that_would_not_work_are_refused(name: str, message: str, here: Path) -> None:
    with pytest.raises(ArenaError, match=message):
        make("agent", name, here)
    assert list(here.iterdir()) == []


def test_nothing_is_overwritten(here: Path) -> None:
    make("agent", "greedy", here)
    (here / "greedy.py").write_text("mine")
    with pytest.raises(ArenaError, match=r"greedy.py: is there already"):
        make("agent", "greedy", here)
    assert (here / "greedy.py").read_text() == "mine"


@pytest.mark.parametrize("kind", ["agent", "experiment"])
def test_a_full_disk_leaves_nothing_half_made(
    kind: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_one(path: Path, text: str) -> None:
        if any(here.iterdir()):
            raise ArenaError(f"{path}: cannot be written: No space left on device")
        path.write_text(text)

    monkeypatch.setattr("arena.new.write_atomically", write_one)
    with pytest.raises(ArenaError, match="No space left"):
        make(kind, "half_made", here, lambda: "{}")
    assert list(here.iterdir()) == []

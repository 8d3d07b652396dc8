"""Mistakes of the first hours, each answered in one line that says what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.cli import main

Output = pytest.CaptureFixture[str]

HEAD = """import itertools
import random
import time
from pathlib import Path

COUNT = itertools.count()

"""
BOTS = {
    "no_rng": "def act(self, view):\n        return view.legal[0]",
    "turned": "def act(self, rng, view):\n        return view.legal[0]",
    "text": "def act(self, view, rng):\n        return 'H7'",
    "chance": "def act(self, view, rng):\n        return random.choice(view.legal)",
    "slow": """def act(self, view, rng):
        if view.hand.bit_count() == 3 and Path("slow").exists():
            Path("slow").unlink()
            time.sleep(1)
        return view.legal[0]""",
    "memory": "def act(self, view, rng):\n        return view.legal[next(COUNT) % len(view.legal)]",
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def said(capsys: Output, *words: str) -> str:
    """The error of a command that exits with 2, in one line."""
    assert _exit_code(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


def _exit_code(words: tuple[str, ...]) -> object:
    try:
        return main(list(words))
    except SystemExit as end:  # by the parser of options
        return end.code


def experiment(bot: str, limit: str = "1") -> str:
    Path(f"{bot}.py").write_text(f"{HEAD}class Bot:\n    {BOTS[bot]}\n")
    Path("e.yaml").write_text(
        f"name: e\ngame: klaverjas\ndeals: {{set: klaverjas-given-1000, limit: {limit}}}\n"
        f"agents:\n  größe: {{family: './{bot}.py:Bot'}}\n  other: {{family: random}}\n"
    )
    return "e.yaml"


@pytest.mark.parametrize(
    ("bot", "takes"), [("no_rng", "self, view"), ("turned", "self, rng, view")]
)
def test_a_method_that_cannot_be_called(bot: str, takes: str, capsys: Output) -> None:
    file = experiment(bot)
    assert main(["run", file]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert f"{bot}.py:9: act({takes}): expected act(self, view, rng)" in last
    assert said(capsys, "gate", file).endswith(
        "e.yaml: is an experiment, no gate: 'arena run e.yaml'"
    )


def test_an_action_that_is_no_number(capsys: Output) -> None:
    assert main(["run", experiment("text"), "--jobs", "1"]) == 1
    assert "played 'H7'" in (last := capsys.readouterr().err.splitlines()[-1])
    assert "(an action is a number, one of view.legal)" in last


@pytest.mark.parametrize("bot", ["chance", "memory"])
def test_a_bot_that_cannot_be_repeated_is_marked(bot: str, capsys: Output) -> None:
    assert main(["run", experiment(bot), "--jobs", "1"]) == 0
    assert capsys.readouterr().err.count("größe played the same deals in two ways") == 1
    page = Path("reports/e/report.html").read_text(encoding="utf-8")
    assert '<span class="tag">not reproducible</span>' in page
    assert main(["run", "e.yaml", "--set", "deals.limit=2", "--jobs", "1", "--no-report"]) == 0
    assert "größe@1" not in capsys.readouterr().out  # it is the same version still


def test_a_number_with_commas(capsys: Output) -> None:
    line = said(capsys, "run", experiment("text", "1,000"))
    assert line == "arena: e.yaml:3: deals: write numbers without commas, as in 1000"


def test_a_run_that_there_is_not(capsys: Output) -> None:
    assert main(["run", experiment("chance"), "--no-report", "--quiet", "--jobs", "1"]) == 0
    line = said(capsys, "report", "f")
    assert line == "arena: f: there is no such run here or in reports/; allowed: e"
    assert main(["status"]) == 0
    assert "complete" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("new", "agent", "class"), "'class' is a word of the language Python"),
        (("run", "quickstart", "--jobs", "two"), "expected a whole number from 1, found 'two'"),
        (("check-bot", "bot.js"), "cannot be started by itself: say node bot.js"),
        (("list", "game"), "unknown word 'game'; did you mean 'games'?"),
        (("run", "a.gate.yaml"), "not an experiment; play it by 'arena gate a.gate.yaml'"),
    ],
)
def test_other_mistakes(words: tuple[str, ...], message: str, capsys: Output) -> None:
    Path("bot.js").touch()
    Path("a.gate.yaml").write_text("name: a\ngame: hearts\ncandidate: {}\nbaseline: {}\n")
    assert message in said(capsys, *words)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_agent_that_does_not_come_back_is_named(
    jobs: str, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.tournament.patience.PATIENCE_S", 0.3)
    options = ["--jobs", jobs, "--no-report"]
    assert main(["run", experiment("slow"), *options]) == 0
    assert "has been thinking" not in capsys.readouterr().err
    Path("slow").touch()
    assert main(["run", "e.yaml", "--set", "deals.limit=2", *options]) == 0
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "endless loop" in line]
    who = r"größe \(seat [NS]\) has been thinking for 0\.\d+ s "
    assert re.search(who + r"\(deal klaverjas-given-0001, action 2\d\)\. An agent may be", line)


def test_a_trial_deal_that_does_not_end_and_one_with_a_limit(
    capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.tournament.patience.PATIENCE_S", 0.3)
    file = experiment("slow")
    Path("slow").touch()
    assert main(["run", file, "--jobs", "1", "--no-report"]) == 0
    assert capsys.readouterr().err.count("größe (seat N) has been thinking") == 1
    Path("slow").touch()
    limited = ["--set", "decision_limit_s=60", "--out", "other", "--jobs", "1", "--no-report"]
    assert main(["run", file, *limited]) == 0
    assert "endless loop" not in capsys.readouterr().err


def test_a_number_that_is_too_large_is_refused(capsys: Output) -> None:
    line = said(capsys, "ratings", "run", "--bootstrap", "9" * 30)
    assert "--bootstrap: must be at most 1,000,000, found 9999" in line

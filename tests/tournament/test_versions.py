"""Own bots over time: a run keeps what it played with, and the results of former versions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import arena
from arena.cli import main
from arena.core.rules import View
from arena.store import Replay, Run

Output = pytest.CaptureFixture[str]

BOT = """
from order import best


class Mine:
    def act(self, view, rng):
        return best(view.legal)
"""
EXPERIMENT = {
    "name": "e",
    "game": "klaverjas",
    "deals": {"file": "../few.csv"},
    "agents": {"mine": {"family": "./bots/mine.py:Mine"}, "a": {"family": "random"}},
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    (home / "bots").mkdir(parents=True)
    monkeypatch.chdir(home)
    make = "deals make --game klaverjas --count 12 --seed 3 --out ../few.csv"
    assert main(make.split()) == 0
    (home / "bots" / "mine.py").write_text(BOT)
    return home


def play(home: Path, choice: str = "legal[0]", **changes: object) -> None:
    (home / "bots" / "order.py").write_text(f"def best(legal):\n    return {choice}\n")
    (home / "e.yaml").write_text(yaml.safe_dump({**EXPERIMENT, **changes}, sort_keys=False))
    assert main(["run", "e.yaml", "--jobs", "1", "--no-report"]) == 0


def rounds(path: Path) -> list[tuple[str, bytes]]:
    with Run(path) as run:
        return [
            (f"{pairing.first} {record.unit} {record.seating}", record.actions)
            for pairing in run.pairings
            for record in run.database.rounds(pairing.id)
        ]


def test_a_run_folder_can_be_played_again_anywhere(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code, what it imports and the deals are kept with the results."""
    play(home)
    moved = tmp_path / "moved"
    (home / "reports" / "e").rename(moved)
    for name in ("bots/mine.py", "bots/order.py", "../few.csv", "../few.json"):
        (home / name).unlink()
    monkeypatch.chdir(moved)
    again = "run config.resolved.yaml --out again --jobs 1 --no-report --quiet"
    assert main(again.split()) == 0
    assert rounds(moved / "again") == rounds(moved)
    for name in ("files/bots/mine.py", "files/bots/order.py", "files/up/few.csv"):
        assert (moved / "again" / name).read_bytes() == (moved / name).read_bytes()


def test_former_versions_keep_their_results(home: Path, capsys: Output) -> None:
    play(home)
    first = rounds(home / "reports" / "e")
    assert "changed" not in capsys.readouterr().out
    play(home, "legal[-1]")
    message = capsys.readouterr().out
    assert "mine changed (before: mine@1): " in message
    assert rounds(home / "reports" / "e") != first

    found = arena.compare("e", "mine", "mine@1")
    assert f"(change {found.mean:+.1f}".replace("-", "−") in message
    with Run("reports/e", versions=True) as run:
        _, now = run.margins(run.pairing("mine", "a"))
        _, before = run.margins(run.pairing("mine@1", "a"))
    assert found.mean == pytest.approx((now - before).mean())
    assert main(["status", "e"]) == 0
    assert "mine@1" in capsys.readouterr().out
    assert (home / "reports/e/files.1/bots/order.py").read_text().endswith("legal[0]\n")

    play(home, "legal[len(legal) // 2]")
    assert "mine changed (before: mine@2)" in capsys.readouterr().out
    play(home)  # as at first: nothing is played, and it is no former version any more
    assert rounds(home / "reports" / "e") == first
    with Run("reports/e") as run:
        assert list(run.manifest.former) == ["mine@2", "mine@3"]


def test_other_parameters_are_a_new_version(home: Path, capsys: Output) -> None:
    play(home)
    semi = {"family": "semi-random"}
    play(home, agents={**EXPERIMENT["agents"], "a": semi})  # type: ignore[dict-item]
    assert "a changed (before: a@1)" in capsys.readouterr().out
    assert arena.compare("e", "a@1", "a").found.to_json()["through"] == ("mine",)


def test_helpers_of_the_same_name_in_two_folders(home: Path) -> None:
    play(home)
    (home / "others").mkdir()
    (home / "others" / "theirs.py").write_text(BOT.replace("Mine", "Theirs"))
    (home / "others" / "order.py").write_text("def best(legal):\n    return legal[-1]\n")
    theirs = {"family": "./others/theirs.py:Theirs"}
    play(home, agents={**EXPERIMENT["agents"], "theirs": theirs})  # type: ignore[dict-item]
    with Run("reports/e") as run:
        legal = [
            (replay.seats[seat], view.legal, action)
            for replay in run.replays(run.pairing("mine", "theirs"))
            for seat, view, action in _decisions(run, replay)
        ]
    assert all(action == choices[0] for name, choices, action in legal if name == "mine")
    assert all(action == choices[-1] for name, choices, action in legal if name == "theirs")


def _decisions(run: Run, replay: Replay) -> Iterator[tuple[int, View, int]]:
    state = run.rules.start(replay.deal, replay.standing)
    for action in replay.record.actions:
        yield state.turn, run.rules.view(state, state.turn), action
        run.rules.apply(state, action)


def test_names_of_versions_that_do_not_exist(home: Path, capsys: Output) -> None:
    play(home)
    play(home, "legal[-1]")
    assert main(["compare", "e", "mine@7", "mine"]) == 2
    assert "no agent 'mine@7'; did you mean 'mine@1'" in capsys.readouterr().err

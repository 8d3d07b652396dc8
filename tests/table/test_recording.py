"""Rounds with people are a run like any other: exported, replayed, verified, reported."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from helpers.tables import sitting_for

from arena.cli import main
from arena.core.agent import Player
from arena.core.errors import ArenaError
from arena.core.generate import make_deals
from arena.games.hearts import Hearts
from arena.store import Run
from arena.table.recording import Recording
from arena.table.session import Chair, FirstLegal

ROUND = "1\n" * 8 + "\n"


def played(
    typed: str, monkeypatch: pytest.MonkeyPatch, folder: Path, *words: str, code: int = 0
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    command = ["play", "klaverjas", "--record", str(folder), "--names", "Ann", *words]
    assert main(command) == code


def test_an_evening_is_stored_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "evening"
    played(ROUND + ROUND + "q\n", monkeypatch, folder, "--rounds", "3", "--seed", "5")
    out = capsys.readouterr().out
    assert out.count("on the same cards: you ") == 2
    played("h\nu\n" + ROUND, monkeypatch, folder, "--rounds", "3")
    out = capsys.readouterr().out
    assert "there are no hints at this table" in out and "nothing can be taken back" in out
    assert "seed 5" in out and out.count("on the same cards: you ") == 1
    with Run(folder) as run:
        assert run.entrants == ["rule+Ann", "rule"]
        assert run.manifest.seatings == ("ABAB",)
        replays = list(run.replays(run.pairings[0]))
        assert [replay.record.deal for replay in replays] == [f"table-000{n}" for n in range(3)]
        assert run.agent_at(replays[0], 2).parameters == {"name": "Ann"}
        assert all(replay.record.actions for replay in replays)
    assert main(["verify", str(folder)]) == 0
    assert "3 rounds, 96 plays checked, 0 mismatches" in capsys.readouterr().out
    assert main(["export", str(folder), "--format", "jsonl"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 3
    assert main(["replay", str(folder), "2"]) == 0
    assert "rule+Ann - rule, deal table-0002" in capsys.readouterr().out


def test_bad_names_leave_nothing_behind(tmp_path: Path) -> None:
    command = ["play", "klaverjas", "--record", str(tmp_path / "new"), "--names", "Ann", "Ben"]
    assert main(command) == 2
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--names", "Ann", "Ben"), "--names: expected 1"),
        (("--names", "A+B"), "printable characters, no +"),
        (("--tables", "2", "--browser"), "one table"),
        (("--with", "random"), "holds the results of another configuration"),
        (("--seed", "6"), "has the seed 5"),
    ],
)
def test_what_does_not_fit_is_refused(
    words: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "evening"
    played("q\n", monkeypatch, folder, "--seed", "5")
    capsys.readouterr()
    played("q\n", monkeypatch, folder, *words, code=2)
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1


def test_rounds_in_which_a_chair_changed_hands_are_not_stored(tmp_path: Path) -> None:
    rules = Hearts(passing="none")
    deals = make_deals(rules, "mine", 2, 1).save(tmp_path / "mine.csv")
    sitting = sitting_for(rules, (1,), deals=deals.deals, training=False)
    with Recording(tmp_path / "run", rules, sitting.seated, ["Ann"], deals, 3) as recording:
        sitting.keep = recording.store
        for number in range(2):
            table = sitting.next_round()
            assert table is not None
            while not table.is_over:
                if table.waits_for_person:
                    table.act(1, table.view(1).legal[0])
                    if number == 0:
                        table.seat_chair(1, Chair("stand-in", Player(FirstLegal())))
                else:
                    table.let_agent_act()
            sitting.finish(table)
        assert recording.stored == {deals.deals[1].id}
    with Run(tmp_path / "run") as run:
        assert run.entrants == ["Ann", "random"] and run.manifest.seatings == ("BABB",)
        (replay,) = run.replays(run.pairings[0])
        record = replay.record
        assert record.score_first == record.scores[1]
        others = [record.scores[seat] for seat in (0, 2, 3)]
        assert record.score_second == pytest.approx(sum(others) / 3)
        assert record.margin == pytest.approx(sum(others) / 3 - record.scores[1])


def test_a_table_of_people_only_has_no_opponent(tmp_path: Path) -> None:
    rules = Hearts(players=3)
    sitting = sitting_for(rules, (0, 1, 2))
    deals = make_deals(rules, "mine", 1, 1).save(tmp_path / "mine.csv")
    with pytest.raises(ArenaError, match="a table with people only"):
        Recording(tmp_path / "run", rules, sitting.seated, ["A", "B", "C"], deals, 3)
    assert not (tmp_path / "run").exists()

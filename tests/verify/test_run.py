"""`arena verify RUN`: a run is replayed, and whatever is stored wrongly is named."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.experiments import entrant, make_experiment, play

from arena.cli import main
from arena.config.experiment import ResolvedExperiment
from arena.core.rules import MatchFormat
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.store.records import UnitRow, checksum, pack, unpack
from arena.verify import check_run

BAD = (entrant("bad", "trouble", trick=5), entrant("b"))
EXPERIMENTS: dict[str, ResolvedExperiment] = {
    "single deals": make_experiment(4),
    "with an auction": make_experiment(6, rules=Klaverjas(bidding="classical")),
    "matches to a target": make_experiment(
        3, rules=Klaverjas(bidding="classical"), match=MatchFormat(target=600)
    ),
    "matches of some rounds": make_experiment(9, rules=Schieber(), match=MatchFormat(rounds=3)),
    "hearts": make_experiment(2, rules=Hearts()),
    "forfeits": make_experiment(3, BAD, on_fault="forfeit"),
    "forfeited matches": make_experiment(
        4, BAD, Klaverjas(bidding="classical"), match=MatchFormat(rounds=2), on_fault="forfeit"
    ),
    "stopped by a fault": make_experiment(3, BAD),
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_run_agrees_with_its_own_cards(name: str, tmp_path: Path) -> None:
    play(EXPERIMENTS[name], tmp_path / "run")
    checked = list(check_run(tmp_path / "run"))
    assert [each.mismatches for each in checked] == [()] * len(checked)
    assert sum(each.rounds for each in checked) > 0 or "stopped" in name


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("played")
    play(make_experiment(6, rules=Klaverjas(bidding="classical")), path / "run")
    play(EXPERIMENTS["forfeited matches"], path / "forfeited")
    play(EXPERIMENTS["matches to a target"], path / "matches")
    return path


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Callable[[str], Path]:
    return lambda name: Path(shutil.copytree(played / name, tmp_path / name))


def forge(path: Path, **changes: Any) -> None:
    """Change the first round that is stored, checksums and all."""
    connection = sqlite3.connect(path / "results.sqlite")
    with connection:
        (sides,) = connection.execute("SELECT sides FROM pairings").fetchone()
        pairing, *values = connection.execute("SELECT * FROM units").fetchone()
        row = UnitRow._make(values)
        first, *others = unpack(row, sides)
        forged = first._replace(**{name: change(first._asdict()[name]) for name, change in
                                   changes.items()})  # fmt: skip
        rows = [row._replace(unit="")]
        if forged.unit != first.unit:
            rows.append(pack(pairing, forged.unit, [forged], sides))
        else:
            others.insert(0, forged)
        rows[0] = pack(pairing, row.unit, others, sides)
        connection.execute("DELETE FROM units WHERE pairing = ? AND unit = ?", (pairing, row.unit))
        marks = ", ".join("?" * (1 + len(row)))
        connection.executemany(
            f"INSERT INTO units VALUES ({marks})", [(pairing, *each) for each in rows]
        )
    connection.close()


def mismatches(path: Path) -> str:
    return "\n".join(wrong for checked in check_run(path) for wrong in checked.mismatches)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"margin": lambda x: x + 500}, "margin: stored"),
        ({"score_first": lambda x: x + 1}, "score_first: stored"),
        ({"scores": lambda x: x[::-1]}, "scores: stored"),
        ({"points": lambda x: (x[0] + 1, x[1])}, "points: stored"),
        ({"bonus": lambda x: (20, 20)}, "bonus: stored (20, 20)"),
        ({"tricks": lambda x: (8, 8)}, "tricks: stored (8, 8)"),
        ({"flags": lambda x: ("pit",)}, "flags: stored ('pit',)"),
        ({"trump": lambda x: (x + 1) % 4}, "trump: stored"),
        ({"declarer": lambda x: (x + 1) % 4}, "declarer: stored"),
        ({"leader": lambda x: (x + 1) % 4}, "leader: stored"),
        ({"counts": lambda x: 0}, "counts: stored 0, by the rules 1"),
        ({"forfeit": lambda x: 2}, "forfeit: stored 2, by the rules 0"),
        ({"fault": lambda x: "crash: seat N raised X"}, "its fault is not stored"),
        ({"fault": lambda x: "nobody knows"}, "a fault that says nothing"),
        ({"actions": lambda x: x[:-1]}, "is not over after its last action"),
        ({"actions": lambda x: x + x[-1:]}, "goes on after its end, with action"),
        ({"actions": lambda x: x[:-5] + x[-4:-3] + x[-4:]}, "is not legal"),
        ({"seats": lambda x: bytes(len(x))}, "seats: stored"),
        ({"times": lambda x: x[:-2]}, "times: "),
        ({"number": lambda x: 1}, "seating 0, round 0: is missing"),
        ({"seating": lambda x: 7}, "seating 0, round 0: is missing"),
        ({"deal": lambda x: "d0001"}, "deal: stored 'd0001'"),
        ({"unit": lambda x: "d0009"}, "deal d0009 is not stored"),
    ],
)
def test_what_is_forged_is_named(
    changes: dict[str, Callable[[Any], Any]], message: str, run: Callable[[str], Path]
) -> None:
    path = run("run")
    forge(path, **changes)
    assert message in mismatches(path)


def test_a_changed_row_is_named_and_the_rest_still_checked(
    run: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = run("run")
    connection = sqlite3.connect(path / "results.sqlite")
    with connection:
        connection.execute("UPDATE units SET plays_checksum = plays_checksum + 1")
    connection.close()
    assert main(["verify", str(path), "--show", "99"]) == 1
    message = capsys.readouterr().out
    assert "unit d0000 is not as it was stored (checksum)" in message
    assert "\n12 rounds, " in message
    assert "6 mismatches" in message


def test_the_export_of_records_compares_with_what_is_stored(
    run: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = run("run")
    forge(path, scores=lambda scores: scores[::-1])
    out = tmp_path / "x.jsonl"
    assert main(["export", str(path), "--format", "jsonl", "--output", str(out)]) == 2
    assert "is not what its cards come to" in capsys.readouterr().err
    assert not out.exists()


def test_a_forged_forfeit_is_named(run: Callable[[str], Path]) -> None:
    path = run("forfeited")
    forge(path, margin=lambda margin: margin / 2)
    assert "margin: stored" in mismatches(path)


def test_faults_are_compared_with_their_rounds(run: Callable[[str], Path]) -> None:
    path = run("forfeited")
    connection = sqlite3.connect(path / "results.sqlite")
    with connection:
        row = connection.execute("SELECT * FROM faults").fetchone()
        values = [*row[:7], 1 - row[7], *row[8:-1]]
        connection.execute("DELETE FROM faults WHERE unit = ? AND seating = ?", (row[1], row[2]))
        marks = ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO faults VALUES ({marks})", [*values, checksum(values)])
    connection.close()
    assert "another fault is stored" in mismatches(path)


def test_deals_that_the_seed_does_not_make_are_named(run: Callable[[str], Path]) -> None:
    path = run("matches")
    connection = sqlite3.connect(path / "results.sqlite")
    with connection:
        (extra,) = connection.execute("SELECT id FROM deals WHERE id LIKE 'd0000+%'").fetchone()
        (cards,) = connection.execute("SELECT cards FROM deals WHERE id = 'd0002'").fetchone()
        connection.execute(
            "UPDATE deals SET cards = ?, checksum = ? WHERE id = ?",
            (cards, checksum((extra, cards)), extra),
        )
    connection.close()
    assert f"deal {extra}: is not the one that the seed makes" in mismatches(path)


def test_a_manifest_of_other_agents_is_named(run: Callable[[str], Path]) -> None:
    path = run("run")
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["entrants"]["any"]["fingerprint"] = "0" * 32
    (path / "manifest.json").write_text(json.dumps(manifest))
    assert "do not agree on who they are" in mismatches(path)


def test_rules_of_another_version_are_refused(
    run: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = run("run")
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["rules"]["version"] += 1
    (path / "manifest.json").write_text(json.dumps(manifest))
    assert main(["verify", str(path)]) == 2
    assert "use the version of arena that played it" in capsys.readouterr().err

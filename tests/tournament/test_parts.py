"""Parts that several jobs play make, merged, the very run that one job plays."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from helpers.experiments import entrant, exported, make_experiment, play
from hypothesis import given
from hypothesis import strategies as st

from arena.cli import main
from arena.config.experiment import ResolvedExperiment
from arena.config.models import Stop
from arena.core.errors import ArenaError
from arena.core.rules import MatchFormat
from arena.games.klaverjas import Klaverjas
from arena.store import Run
from arena.store.database import StoreError
from arena.store.folder import RunFolder
from arena.store.manifest import read_manifest, write_manifest
from arena.tournament.merging import Merged, merge
from arena.tournament.schedule import Part, Schedule
from arena.tournament.stored_units import StoredUnits

AGENTS = ("any", "lowest", "semi-random")


def three() -> ResolvedExperiment:
    return make_experiment(7, tuple(entrant(name, name) for name in AGENTS), seed=3)


def merged(paths: Sequence[Path], out: Path) -> Merged:
    with RunFolder(out) as folder:
        return merge(paths, folder)


def played_in_parts(experiment: ResolvedExperiment, tmp: Path, parts: int) -> list[Path]:
    paths = [tmp / str(number) for number in range(1, parts + 1)]
    for number, path in enumerate(paths, 1):
        play(experiment, path, part=Part(number, parts))
    return paths


@given(of=st.integers(1, 40), deals=st.integers(1, 30))
def test_every_unit_is_in_one_part(of: int, deals: int) -> None:
    experiment = three()
    schedule = Schedule(replace(experiment, deals=experiment.deals[:1] * deals))
    found = []
    for number in range(1, of + 1):
        own = StoredUnits.__new__(StoredUnits)
        own.limits = [deals] * 3
        own._own = Part(number, of).of_units(len(schedule))
        units = [(n, pairing) for pairing in range(3) for n in own._wanted(pairing)]
        assert len(units) == own.total == len(own._own)
        found += units
    assert sorted(found) == [(n, pairing) for n in range(deals) for pairing in range(3)]


@pytest.mark.parametrize("parts", [2, 5, 25])
def test_merged_parts_are_one_run(tmp_path: Path, parts: int) -> None:
    experiment = three()
    play(experiment, tmp_path / "whole")
    paths = played_in_parts(experiment, tmp_path, parts)
    result = merged(list(reversed(paths)), tmp_path / "merged")
    assert (result.added, result.stored, result.total) == (21, 21, 21)
    assert exported(tmp_path / "merged", tmp_path) == exported(tmp_path / "whole", tmp_path)
    again = merged(paths[:1], tmp_path / "merged")
    assert (again.added, again.stored) == (0, 21)
    with Run(tmp_path / "merged") as run, Run(tmp_path / "whole") as whole:
        assert run.manifest.pairings == whole.manifest.pairings
        assert run.manifest.ended is not None
    assert play(experiment, tmp_path / "merged").played == 0


def test_matches_and_their_extra_deals_are_merged(tmp_path: Path) -> None:
    rules = Klaverjas(bidding="classical")
    experiment = replace(
        make_experiment(6, seed=3, rules=rules), match=MatchFormat(rounds=2, target=None)
    )
    play(experiment, tmp_path / "whole")
    merged(played_in_parts(experiment, tmp_path, 3), tmp_path / "merged")
    assert exported(tmp_path / "merged", tmp_path) == exported(tmp_path / "whole", tmp_path)


def test_a_run_plays_what_no_part_has(tmp_path: Path) -> None:
    experiment = three()
    first, _, third = played_in_parts(experiment, tmp_path, 3)
    result = merged([first, third], tmp_path / "merged")
    assert result.stored < result.total
    finished = play(experiment, tmp_path / "merged")
    assert (finished.found, finished.played) == (result.stored, result.total - result.stored)


def test_a_deal_played_in_two_ways_is_named_and_nothing_is_stored(tmp_path: Path) -> None:
    experiment = three()
    play(experiment, tmp_path / "one")
    play(experiment, tmp_path / "two")
    with sqlite3.connect(tmp_path / "two" / "results.sqlite") as connection:
        (unit,) = connection.execute("SELECT unit FROM units WHERE pairing = 2").fetchone()
    connection.close()
    _change_result(tmp_path / "two", 2, unit)
    with pytest.raises(ArenaError, match=f"deal {unit} was played in two ways, in .*one and in"):
        merged([tmp_path / "one", tmp_path / "two"], tmp_path / "merged")
    assert not (tmp_path / "merged" / "results.sqlite").exists()
    before = exported(tmp_path / "one", tmp_path)
    with pytest.raises(ArenaError, match=r"in .*one and in .*two"):
        merged([tmp_path / "two"], tmp_path / "one")
    assert exported(tmp_path / "one", tmp_path) == before


def _change_result(path: Path, pairing: int, unit: str) -> None:
    """Store a unit with a point more in its first margin, as if it had been played so."""
    from arena.store.database import Database
    from arena.store.records import UnitRow, pack

    with Database(path / "results.sqlite", writable=True) as results:
        rounds = list(results.rounds(pairing, [unit]))
        rounds[0] = rounds[0]._replace(margin=rounds[0].margin + 1)
        row = pack(pairing, unit, rounds, 2)
        columns = ", ".join(f"{name} = ?" for name in UnitRow._fields)
        with results.transaction():
            sql = f"UPDATE units SET {columns} WHERE pairing = ? AND unit = ?"
            results.write(sql, [(*row, pairing, unit)])


def test_parts_of_other_versions_seeds_and_agents_are_refused(tmp_path: Path) -> None:
    experiment = three()
    play(experiment, tmp_path / "one")
    play(replace(experiment, seed=4), tmp_path / "seed")
    play(experiment, tmp_path / "older")
    manifest = read_manifest(tmp_path / "older")
    older = manifest.model_copy(update={"versions": {**manifest.versions, "numba": "0.1"}})
    write_manifest(tmp_path / "older", older)
    now = manifest.versions["numba"]
    for other, told in (
        ("seed", "not parts of one run: seed is 3 in the first, 4 in the second"),
        ("older", f"not parts of one run: numba is {now} in the first, 0.1 in the second"),
    ):
        with pytest.raises(ArenaError, match=told):
            merged([tmp_path / "one", tmp_path / other], tmp_path / "merged")
        assert not (tmp_path / "merged" / "results.sqlite").exists()


def test_a_full_disk_is_one_line_and_the_same_command_merges_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite notices it when it commits."""
    parts = played_in_parts(three(), tmp_path, 2)
    play(three(), tmp_path / "whole")

    class FullDisk(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if sql == "COMMIT" and super().execute("SELECT count(*) FROM units").fetchone()[0]:
                raise sqlite3.OperationalError("disk I/O error")
            return super().execute(sql, *values)

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=FullDisk))
        with pytest.raises(StoreError, match=r"results\.sqlite: .*disk I/O error"):
            merged(parts, tmp_path / "merged")
    merged(parts, tmp_path / "merged")
    assert exported(tmp_path / "merged", tmp_path) == exported(tmp_path / "whole", tmp_path)


def test_runs_that_stop_early_have_no_parts(tmp_path: Path) -> None:
    experiment = replace(three(), stop=Stop(h1=10.0))
    with pytest.raises(ArenaError, match="cannot be played in parts"):
        play(experiment, tmp_path / "1", part=Part(1, 2))


def test_links_in_a_part_are_not_followed(tmp_path: Path) -> None:
    experiment = three()
    (part, *_) = played_in_parts(experiment, tmp_path, 1)
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("key")
    (part / "files").mkdir(exist_ok=True)
    (part / "files" / "linked").symlink_to(secret)
    (part / "models").symlink_to(secret)
    merged([part], tmp_path / "merged")
    assert not list((tmp_path / "merged").rglob("key"))


def test_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    config = {
        "name": "mine",
        "game": "klaverjas",
        "deals": {"set": "klaverjas-given-1000", "limit": 6},
        "agents": {"random": {"family": "random"}, "rule": {"family": "rule"}},
    }
    Path("mine.yaml").write_text(json.dumps(config))
    for number in (1, 2):
        assert main(["run", "mine.yaml", "--part", f"{number}/2", "--out", f"parts/{number}"]) == 0
    assert "part 2 of 2: all 3 deals are stored in parts/2" in capsys.readouterr().out
    assert main(["merge", "parts/1", "--out", "all", "--no-report"]) == 0
    assert "3 added, 3 of 6 stored in all" in capsys.readouterr().out
    assert main(["merge", "parts/1", "parts/2", "--out", "all", "--no-report"]) == 0
    assert "rule" in capsys.readouterr().out
    assert main(["merge", "parts/1", "parts/3", "--out", "none"]) == 2
    assert not Path("none").exists()
    with pytest.raises(SystemExit):
        main(["run", "mine.yaml", "--part", "3/2"])
    assert "expected a part from 1/2 to 2/2" in capsys.readouterr().err

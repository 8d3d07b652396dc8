"""A run whose file has changed on the disk is refused, not counted."""

from __future__ import annotations

import csv
import io
import shutil
import sqlite3
from pathlib import Path

import pytest
from helpers.experiments import entrant, exported, make_experiment, play

from arena.analysis.results import read
from arena.report.tables import as_csv
from arena.store import Run
from arena.store.database import FORMAT, StoreError


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("played") / "run"
    play(make_experiment(6), path)
    return path


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "run"))


def change(run: Path, sql: str) -> None:
    connection = sqlite3.connect(run / "results.sqlite")
    with connection:
        assert connection.execute(sql).rowcount > 0
    connection.close()


@pytest.mark.parametrize(
    "change_of",
    [
        "margin = margin + 500",
        "score_first = NULL",
        "scores = '162 0'",
        "trump = 1 - trump",
        "counts = 0",
        "forfeit = 1",
        "deal = 'd0001'",
        "fault = 'x'",
        "margin = 'many'",
        "scores = 5",
        "seats = x'00'",
        "times = zeroblob(length(times))",
    ],
)
def test_a_changed_round_is_noticed_by_whoever_reads_it(run: Path, change_of: str) -> None:
    change(run, f"UPDATE rounds SET {change_of} WHERE unit = 'd0003' AND seating = 1")
    with Run(run) as results:
        (pairing,) = results.pairings
        told = "damaged: d0003, seating 1, round 0 is not as it was stored; 'arena verify"
        for read in (results.margins, lambda _: list(results.rows()), results.replays):
            with pytest.raises(StoreError, match=told):
                list(read(pairing))


def test_a_round_of_another_pairing_is_noticed(run: Path) -> None:
    change(run, "UPDATE rounds SET pairing = 2")
    with Run(run) as results, pytest.raises(StoreError, match="damaged"):
        list(results.database.rounds(2))


def test_a_changed_deal_is_noticed(run: Path) -> None:
    change(run, """UPDATE deals SET cards = replace(cards, '"N"', '"n"') WHERE id = 'd0002'""")
    with Run(run) as results, pytest.raises(StoreError, match="damaged: deal d0002 is not"):
        list(results.replays(results.pairings[0]))


def test_going_on_with_a_damaged_run_is_refused(run: Path) -> None:
    change(run, "UPDATE rounds SET margin = 0 WHERE unit = 'd0000'")
    with pytest.raises(StoreError, match="'--fresh' starts over"):
        play(make_experiment(6), run)


def test_every_flipped_byte_is_noticed_or_changes_nothing(run: Path, tmp_path: Path) -> None:
    file = run / "results.sqlite"
    whole, before = file.read_bytes(), exported(run, tmp_path)
    noticed = 0
    for place in range(0, len(whole), 97):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x21]) + whole[place + 1 :])
        try:
            assert exported(run, tmp_path) == before
        except StoreError:
            noticed += 1
    assert noticed > 30


def test_a_file_without_checksums_is_read_and_gone_on_with(run: Path, tmp_path: Path) -> None:
    before = exported(run, tmp_path)
    connection = sqlite3.connect(run / "results.sqlite")
    for table in ("rounds", "deals", "faults"):  # as they were in format 1
        connection.execute(f"ALTER TABLE {table} DROP COLUMN checksum")
    connection.execute("ALTER TABLE rounds DROP COLUMN cpu_times")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    assert exported(run, tmp_path) == before
    change(run, "DELETE FROM rounds WHERE unit = 'd0003'")
    assert play(make_experiment(6), run).played == 1
    assert exported(run, tmp_path) == before
    connection = sqlite3.connect(run / "results.sqlite")
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    checked = connection.execute("SELECT DISTINCT unit FROM rounds WHERE checksum NOT NULL")
    assert (found, list(checked)) == (FORMAT, [("d0003",)])
    connection.close()


@pytest.mark.parametrize(
    "impossible", ["margin = 9e999", "forfeit = -1", "counts = 7", "seating = -1", "seating = 50"]
)
def test_without_checksums_what_cannot_be_is_refused(run: Path, impossible: str) -> None:
    where = "WHERE unit = 'd0003' AND seating = 1"
    change(run, f"UPDATE rounds SET checksum = NULL, {impossible} {where}")
    with Run(run) as results, pytest.raises(StoreError, match="damaged: "):
        read([results])


def test_a_file_of_a_later_version_is_refused(run: Path) -> None:
    change_version = sqlite3.connect(run / "results.sqlite")
    change_version.execute(f"PRAGMA user_version = {FORMAT + 1}")
    change_version.close()
    with Run(run) as results, pytest.raises(StoreError, match=f"this version reads up to {FORMAT}"):
        results.margins(results.pairings[0])


def test_a_name_is_no_formula_in_a_table(tmp_path: Path) -> None:
    """Experiments cannot name agents so; a folder from elsewhere, or a notebook, may."""
    agents = (entrant("=1+1", "any"), entrant("b", "lowest"))
    play(make_experiment(2, agents), tmp_path / "run")
    rows = list(csv.DictReader(io.StringIO(exported(tmp_path / "run", tmp_path).decode())))
    assert {row["first"] for row in rows} == {"'=1+1"}
    assert all(row["scores"][0].isdigit() for row in rows)
    assert as_csv([{"agent": "@x", "margin": -3.5}]).splitlines()[1] == "'@x,-3.5"

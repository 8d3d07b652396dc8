"""A run whose file has changed on the disk is refused, not counted."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sqlite3
from contextlib import closing
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


NUMBERS = ["unit = 'd0009'", "numbers = zeroblob(length(numbers))", "numbers = x'00'",
           "numbers = 5", "flags = 'pit'", "deals = 'd0001'", "faults = 'x'",
           "checksum = checksum + 1"]  # fmt: skip
PLAYS = ["plays = zeroblob(length(plays))", "plays = x'00'", "plays = 'text'",
         "times = zeroblob(length(times))", "times = x''",
         "plays_checksum = plays_checksum + 1"]  # fmt: skip


@pytest.mark.parametrize("change_of", [*NUMBERS, *PLAYS])
def test_a_changed_unit_is_noticed_by_every_reader_of_the_changed_part(
    run: Path, change_of: str
) -> None:
    change(run, f"UPDATE units SET {change_of} WHERE unit = 'd0003'")
    of_numbers = (Run.margins, lambda run, _: read([run]), lambda run, _: run.deals())
    of_plays = (lambda run, _: run.thinking(),)
    of_both = (lambda run, _: list(run.rows()), lambda run, pairing: list(run.replays(pairing)))
    with Run(run) as results:
        (pairing,) = results.pairings
        message = r"damaged: unit d000[39] is not as it was stored; 'arena verify"
        for reader in (*(of_numbers if change_of in NUMBERS else of_plays), *of_both):
            with pytest.raises(StoreError, match=message):
                reader(results, pairing)


def test_a_unit_of_another_pairing_is_noticed(run: Path) -> None:
    change(run, "INSERT INTO pairings SELECT 2, first || 'x', second, first_fingerprint, "
                "second_fingerprint, rules, rules_version, seed, deals_sha256, play, sides "
                "FROM pairings")  # fmt: skip
    change(run, "UPDATE units SET pairing = 2")
    with Run(run) as results, pytest.raises(StoreError, match="damaged"):
        list(results.database.rounds(2))


@pytest.mark.parametrize("sides", ["3", "0", "'many'"])
def test_another_number_of_sides_is_noticed(run: Path, sides: str) -> None:
    change(run, f"UPDATE pairings SET sides = {sides}")
    with Run(run) as results, pytest.raises(StoreError, match="damaged"):
        results.margins(results.pairings[0])
    with Run(run) as results, pytest.raises(StoreError, match="damaged"):
        list(results.rows())


def test_a_changed_deal_is_noticed(run: Path) -> None:
    change(run, """UPDATE deals SET cards = replace(cards, '"N"', '"n"') WHERE id = 'd0002'""")
    with Run(run) as results, pytest.raises(StoreError, match="damaged: deal d0002 is not"):
        list(results.replays(results.pairings[0]))


def test_a_seating_that_nobody_played_is_noticed(run: Path) -> None:
    file = run / "manifest.json"
    text = file.read_text(encoding="utf-8")
    manifest = json.loads(text)
    manifest["seatings"].append(manifest["seatings"][0])
    file.write_text(json.dumps(manifest), encoding="utf-8")
    with Run(run) as results, pytest.raises(StoreError, match=r"damaged: .*lacks a seating"):
        read([results])


def test_going_on_with_a_damaged_run_is_refused(run: Path) -> None:
    change(run, "UPDATE units SET numbers = x'' WHERE unit = 'd0000'")
    with pytest.raises(StoreError, match="'--fresh' starts over"):
        play(make_experiment(6), run)


PROGRAMS = (
    "DROP TABLE deals; CREATE VIEW deals AS WITH RECURSIVE more(x) AS "
    "(SELECT 1 UNION ALL SELECT x + 1 FROM more) SELECT x id, x cards, x checksum FROM more",
    "CREATE TRIGGER more AFTER INSERT ON units BEGIN DELETE FROM units; END",
    "ALTER TABLE units ADD COLUMN more GENERATED ALWAYS AS (zeroblob(2000000000))",
    "CREATE INDEX more ON units (zeroblob(1000000))",
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_file_that_computes_is_refused(run: Path, program: str) -> None:
    """Reading it could take for ever, or all memory."""
    with closing(sqlite3.connect(run / "results.sqlite")) as database:
        database.executescript(program)
    name = "deals" if "VIEW" in program else "units" if "ALTER" in program else "more"
    with Run(run) as results, pytest.raises(StoreError, match=f"'{name}' is none of arena's"):
        results.database.deal_names()


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


@pytest.mark.parametrize("found", [1, FORMAT - 1, FORMAT + 1])
def test_a_file_of_another_version_is_refused(run: Path, found: int) -> None:
    change_version = sqlite3.connect(run / "results.sqlite")
    change_version.execute(f"PRAGMA user_version = {found}")
    change_version.close()
    message = f"written in format {found}, this version reads format {FORMAT}"
    with Run(run) as results, pytest.raises(StoreError, match=message):
        results.margins(results.pairings[0])
    with pytest.raises(StoreError, match=message):
        play(make_experiment(6), run)


def test_a_name_is_no_formula_in_a_table(tmp_path: Path) -> None:
    """Experiments cannot name agents so; a folder from elsewhere, or a notebook, may."""
    agents = (entrant("=1+1", "any"), entrant("b", "lowest"))
    play(make_experiment(2, agents), tmp_path / "run")
    rows = list(csv.DictReader(io.StringIO(exported(tmp_path / "run", tmp_path).decode())))
    assert {row["first"] for row in rows} == {"'=1+1"}
    assert all(row["scores"][0].isdigit() for row in rows)
    assert as_csv([{"agent": "@x", "margin": -3.5}]).splitlines()[1] == "'@x,-3.5"

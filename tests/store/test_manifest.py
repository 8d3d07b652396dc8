"""The description of a run: written once, checked when it is read."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.experiments import entrant, make_experiment, play
from helpers.paths import DATA

from arena import load_run
from arena.cli import main
from arena.config.entrants import AgentSpec
from arena.config.loader import load
from arena.core.errors import ArenaError
from arena.core.rules import MatchFormat
from arena.games.klaverjas import Klaverjas
from arena.store import Run
from arena.store.database import Database, UnitResult
from arena.store.manifest import Manifest, Pairing, read_manifest, write_manifest
from arena.store.records import encode_times

OLD = DATA / "run-format-1"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A run folder that the first version wrote."""
    shutil.copytree(OLD, tmp_path / "old")
    return tmp_path / "old"


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    match = MatchFormat(rounds=2)
    play(make_experiment(4, rules=Klaverjas(bidding="classical"), match=match), tmp_path / "run")
    manifest = read_manifest(tmp_path / "run")
    assert manifest.match == match
    assert manifest.pairings == (Pairing("any", "lowest", 1),)
    assert manifest.entrants["any"].members == (AgentSpec("any"),)
    write_manifest(tmp_path, manifest)
    assert read_manifest(tmp_path) == manifest


def test_a_folder_of_the_first_format_is_read_whole(old: Path, capsys: Any) -> None:
    with Run(old) as run:
        manifest = run.manifest
        assert manifest.description == "A run folder as the first version wrote it."
        (reference,) = manifest.references
        assert (reference.label, reference.agent, reference.value) == ("a thesis", "flat", 12.5)
        assert manifest.started == manifest.sessions[0].started
        assert [p[:2] for p in run.pairings] == [
            ("any", "flat"),
            ("semi", "flat"),
            ("mixed", "flat"),
        ]
        assert len(list(run.rows())) == 18
        assert run.rules == Klaverjas(bidding="classical")
    for command in ("status", "ratings"):
        assert main([command, str(old)]) == 0, command
    assert main(["export", str(old), "--format", "jsonl", "--output", str(old / "x.jsonl")]) == 0
    assert main(["verify", str(old / "x.jsonl")]) == 0
    assert len(load_run(old).deals) == 9
    capsys.readouterr()


def test_times_of_an_old_folder_are_read_and_a_run_that_goes_on_takes_cpu_times(
    old: Path, tmp_path: Path
) -> None:
    with Run(old) as run:
        assert {agent.cpu_median for agent in run.thinking().values()} == {None}
        assert all(agent.median > 0 for agent in run.thinking().values())
        rows = list(run.rows())
        assert rows[0]["seconds_first"] > 0
        assert rows[0]["cpu_seconds_first"] is None
    with Database(old / "results.sqlite", writable=True) as database:
        (key,) = database.query("SELECT * FROM pairings WHERE id = 1")
        (record, *_) = database.rounds(1)
        new = record._replace(unit="new", cpu_times=encode_times([1000] * len(record.actions)))
        database.append([UnitResult(0, "new", (new,))], [key[0]])
    with Run(old) as run:
        assert [row["cpu_seconds_first"] is None for row in run.rows()].count(False) == 1
        assert run.thinking()["any"].cpu_median is None  # of some decisions only
    play(make_experiment(2), tmp_path / "new")
    with Run(tmp_path / "new") as run:
        spent = run.thinking()["any"]
        assert spent.cpu_median is not None
        assert spent.cpu_total is not None
        assert 0 < spent.cpu_median <= spent.cpu_total
        assert all(row["cpu_seconds_second"] > 0 for row in run.rows())


def test_every_agent_of_an_old_folder_can_be_built_again(old: Path) -> None:
    for used in read_manifest(old).entrants.values():
        for member in used.members:
            assert (member.build().bidder is None) == (member.bidder is None)


def broken(folder: Path, change: Any) -> str:
    file = folder / "manifest.json"
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))
    with pytest.raises(ArenaError) as error:
        Run(folder)
    return str(error.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data.update(seed="7"), r"seed: input should be a valid integer"),
        (lambda data: data.update(seed=True), r"seed: input should be a valid integer"),
        (lambda data: data.pop("entrants"), r"entrants: field required"),
        (lambda data: data.update(entrants=[]), r"entrants: input should be an object"),
        (lambda data: data["rules"].pop("game"), r"rules\.game: field required"),
        (lambda data: data.update(colour="red"), r"colour: extra inputs are not permitted"),
        (lambda data: data.update(sessions=[]), r"sessions: tuple should have at least 1 item"),
        (lambda data: data.update(format=99), r"format 99, this version reads up to 2"),
        (lambda data: data.update(match={"rounds": "all"}), r"match\.rounds: "),
        (lambda data: data.update(seatings=["ABXB"]), r"seatings\.0: string should match pattern"),
        (lambda data: data["pairings"][0].update(first="x"), r"'x' is none of the entrants"),
    ],
)
def test_a_manifest_that_is_none_is_refused_in_one_line(change: Any, told: str, old: Path) -> None:
    message = broken(old, change)
    assert re.search(told, message), message
    assert "\n" not in message
    assert "manifest.json" in message


def test_experiments_made_by_hand_have_a_hash_of_their_own() -> None:
    """Whatever can change the results changes it; making it again does not."""
    base = make_experiment(4)
    others = [
        replace(base, seed=1),
        replace(base, deals=base.deals[:3]),
        replace(base, deals_sha256="other"),
        replace(base, rules=Klaverjas(variant="amsterdam")),
        replace(base, entrants=(entrant("any", version=2), base.entrants[1])),
        replace(base, pairings=()),
        replace(base, match=MatchFormat(rounds=2)),
        replace(base, on_fault="forfeit"),
        replace(base, decision_limit_s=1.0),
    ]
    hashes = {experiment.config_sha256 for experiment in (base, *others)}
    assert len(hashes) == 1 + len(others)
    assert make_experiment(4).config_sha256 == base.config_sha256


def test_a_shortened_experiment_is_another_one() -> None:
    whole = load("quickstart")
    assert replace(whole, deals=whole.deals[:3]).config_sha256 != whole.config_sha256
    assert load("quickstart").config_sha256 == whole.config_sha256


def test_parameters_that_do_not_fit_are_told_in_one_line() -> None:
    with pytest.raises(ArenaError, match=r"agent family 'any': version: input should be a valid"):
        AgentSpec("any", {"version": "2"}).build()
    with pytest.raises(ArenaError, match=r"agent family 'any': colour: extra inputs"):
        AgentSpec("any", {"colour": 1}).build()


def test_the_schema_of_the_manifest_is_plain_data() -> None:
    assert "entrants" in Manifest.model_json_schema()["properties"]

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

from arena.config.entrants import AgentSpec
from arena.config.loader import load
from arena.core.errors import ArenaError
from arena.core.rules import MatchFormat
from arena.games.klaverjas import Klaverjas
from arena.store import Run
from arena.store.manifest import Manifest, Pairing, read_manifest, write_manifest


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("played") / "run"
    play(make_experiment(2), path)
    return path


@pytest.fixture
def stored(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "stored"))


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    match = MatchFormat(rounds=2)
    play(make_experiment(4, rules=Klaverjas(bidding="classical"), match=match), tmp_path / "run")
    manifest = read_manifest(tmp_path / "run")
    assert manifest.match == match
    assert manifest.pairings == (Pairing("any", "lowest", 1),)
    assert manifest.entrants["any"].members == (AgentSpec("any"),)
    write_manifest(tmp_path, manifest)
    assert read_manifest(tmp_path) == manifest


def test_cpu_times_are_stored_with_the_others(stored: Path) -> None:
    with Run(stored) as run:
        spent = run.thinking()["any"]
        assert spent.cpu_median is not None
        assert spent.cpu_total is not None
        assert 0 < spent.cpu_median <= spent.cpu_total
        assert all(row["cpu_seconds_second"] > 0 for row in run.rows())


def broken(folder: Path, change: Any) -> str:
    file = folder / "manifest.json"
    data = json.loads(file.read_text())
    change(data)
    file.write_text(json.dumps(data))
    with pytest.raises(ArenaError) as error:
        Run(folder)
    return str(error.value)


@pytest.mark.parametrize(
    ("change", "pattern"),
    [
        (lambda data: data.update(seed="7"), r"seed: input should be a valid integer"),
        (lambda data: data.update(seed=True), r"seed: input should be a valid integer"),
        (lambda data: data.pop("entrants"), r"entrants: field required"),
        (lambda data: data.update(entrants=[]), r"entrants: input should be an object"),
        (lambda data: data["rules"].pop("game"), r"rules\.game: field required"),
        (lambda data: data.update(colour="red"), r"colour: extra inputs are not permitted"),
        (lambda data: data.update(sessions=[]), r"sessions: tuple should have at least 1 item"),
        (lambda data: data.update(format=1), r"written in format 1, this version reads format 4"),
        (lambda data: data.update(format=99), r"written in format 99, this version reads format 4"),
        (lambda data: data.update(match={"rounds": "all"}), r"match\.rounds: "),
        (lambda data: data.update(seatings=["ABXB"]), r"seatings\.0: string should match pattern"),
        (lambda data: data["pairings"][0].__setitem__(0, "x"), r"'x' is none of the entrants"),
    ],
)
def test_a_manifest_that_is_none_is_refused_in_one_line(
    change: Any, pattern: str, stored: Path
) -> None:
    message = broken(stored, change)
    assert re.search(pattern, message), message
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


def test_parameters_that_do_not_fit_are_reported_in_one_line() -> None:
    with pytest.raises(ArenaError, match=r"agent family 'any': version: input should be a valid"):
        AgentSpec("any", {"version": "2"}).build()
    with pytest.raises(ArenaError, match=r"agent family 'any': colour: extra inputs"):
        AgentSpec("any", {"colour": 1}).build()


def test_the_schema_of_the_manifest_is_plain_data() -> None:
    assert "entrants" in Manifest.model_json_schema()["properties"]

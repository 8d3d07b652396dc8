"""An agent is one object for each seat: built once in a worker, closed in the end."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from helpers.experiments import entrant, exported, family, make_experiment, play

from arena.config.experiment import ResolvedExperiment
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts


@family("seat-diary")
@dataclass(frozen=True)
class Diary:
    """Writes down when it is made and closed, and remembers which hands it was shown."""

    file: str = ""
    shown: dict[tuple[int, ...], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.write("made")

    def write(self, what: str) -> None:
        with Path(self.file).open("a") as file:
            file.write(f"{what} {os.getpid()}\n")

    def act(self, view: View, rng: Rng) -> Action:
        before = set(self.shown.values())
        self.shown[view.dealt_hand] = view.seat
        if len(before) == 1 and view.seat not in before:
            self.write("crossed")
        return view.legal[0]

    def close(self) -> None:
        self.write("closed")
        raise RuntimeError("nobody minds")


@pytest.fixture(autouse=True)
def no_practice(monkeypatch: pytest.MonkeyPatch) -> None:
    """No trial decisions: whether agents make any depends on what this process has imported."""
    monkeypatch.setattr("arena.tournament.run.unpractised", lambda rules, builders: {})


def diary(tmp_path: Path, rules: Hearts | None = None) -> tuple[ResolvedExperiment, Path]:
    file = tmp_path / "diary"
    agents = (entrant("diary", "seat-diary", file=str(file)), entrant("b", "lowest"), entrant("c"))
    return make_experiment(10, agents, rules), file


def entries(file: Path) -> dict[str, Counter[str]]:
    """For each process, how often something was written."""
    found: dict[str, Counter[str]] = {}
    for line in file.read_text().splitlines():
        what, process = line.split()
        found.setdefault(process, Counter())[what] += 1
    return found


@pytest.mark.parametrize(("jobs", "backend"), [(1, "sequential"), (2, "loky"), (2, "threading")])
def test_no_object_sits_in_two_seats(jobs: int, backend: str, tmp_path: Path) -> None:
    """Only the object that is probed goes round the table; those that play do not."""
    experiment, file = diary(tmp_path)
    play(experiment, tmp_path / "run", jobs=jobs, backend=backend)
    found = sum(entries(file).values(), Counter())
    assert found["crossed"] == 1
    assert found["made"] == found["closed"]


def test_agents_are_built_once_for_each_seat(tmp_path: Path) -> None:
    """One to look at it and to probe it, and one for each of the four seats."""
    experiment, file = diary(tmp_path)
    play(experiment, tmp_path / "run", jobs=1)
    (found,) = entries(file).values()
    assert found["made"] == found["closed"] == 1 + 4


def test_workers_build_each_seat_once_and_close_what_they_built(tmp_path: Path) -> None:
    experiment, file = diary(tmp_path, Hearts())
    play(experiment, tmp_path / "run", jobs=2, chunk_units=1)
    found = entries(file)
    driver = found.pop(str(os.getpid()))
    assert driver["made"] == driver["closed"] == 1
    assert found
    for worker in found.values():
        assert worker["made"] == worker["closed"] <= 1 + 1 + 4


def test_a_finished_run_is_not_probed_again(tmp_path: Path) -> None:
    experiment, file = diary(tmp_path)
    play(experiment, tmp_path / "run", jobs=1)
    before = exported(tmp_path / "run", tmp_path)
    file.unlink()
    assert play(experiment, tmp_path / "run", jobs=2).played == 0
    (found,) = entries(file).values()
    assert found["made"] == 1, "only to see which model it has"
    assert exported(tmp_path / "run", tmp_path) == before


def test_another_seed_is_another_run_of_the_same_agents(tmp_path: Path) -> None:
    experiment, _ = diary(tmp_path)
    play(experiment, tmp_path / "one", jobs=1)
    play(replace(experiment, seed=1), tmp_path / "two", jobs=1)

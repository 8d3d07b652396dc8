"""Workers: results depend on nothing but the experiment, and a lost worker costs nothing."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from helpers.experiments import Watch, entrant, exported, make_experiment, play
from helpers.paths import TESTS

from arena.config.experiment import ResolvedExperiment
from arena.core.errors import ArenaError
from arena.core.rules import MatchFormat
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.store import Run
from arena.tournament.run import RunOptions, run
from arena.tournament.runner import TARGET_CHUNK_S, ChunkSizer, Runner
from arena.tournament.schedule import Schedule
from arena.tournament.tally import Tally
from arena.tournament.worker import Job, Post


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    tmp = tmp_path_factory.mktemp("plain")
    play(three_agents(), tmp / "run")
    return exported(tmp / "run", tmp)


def three_agents() -> ResolvedExperiment:
    agents = (entrant("any"), entrant("lowest", "lowest"), entrant("remembers", "remembers"))
    return make_experiment(24, agents, seed=3)


@pytest.mark.parametrize("chunk_units", [1, 10, 1000])
@pytest.mark.parametrize("jobs", [1, 2])
def test_results_depend_on_neither_chunks_nor_workers(
    jobs: int, chunk_units: int, plain: bytes, tmp_path: Path
) -> None:
    play(three_agents(), tmp_path / "run", jobs=jobs, chunk_units=chunk_units)
    assert exported(tmp_path / "run", tmp_path) == plain


@pytest.mark.parametrize("backend", ["loky", "threading", "sequential"])
def test_results_do_not_depend_on_the_backend(backend: str, plain: bytes, tmp_path: Path) -> None:
    play(three_agents(), tmp_path / "run", jobs=2, backend=backend)
    assert exported(tmp_path / "run", tmp_path) == plain


def test_results_depend_on_the_seed(plain: bytes, tmp_path: Path) -> None:
    play(replace(three_agents(), seed=4), tmp_path / "run")
    assert exported(tmp_path / "run", tmp_path) != plain


def test_matches_do_not_depend_on_workers_either(tmp_path: Path) -> None:
    rules = Klaverjas(bidding="classical-redeal")
    experiment = make_experiment(12, rules=rules, match=MatchFormat(rounds=3), seed=2)
    play(experiment, tmp_path / "one")
    play(experiment, tmp_path / "two", jobs=2, chunk_units=1)
    assert exported(tmp_path / "one", tmp_path) == exported(tmp_path / "two", tmp_path)


def test_chunks_grow_until_they_take_their_time_and_shrink_at_the_end() -> None:
    units = deque(Schedule(make_experiment(4000)))
    pace, sizes = ChunkSizer(jobs=2), []
    while units:
        chunk = pace.take(units, len(units))
        sizes.append(len(chunk))
        pace.learn(chunk, 0.002 * len(chunk))
    assert sizes[:4] == [1, 8, 64, round(TARGET_CHUNK_S / 0.002)]
    assert sizes[-1] == 1
    assert len(sizes) < 60


def test_slow_units_go_one_by_one() -> None:
    units = deque(Schedule(make_experiment(40)))
    pace = ChunkSizer(jobs=2)
    for _ in range(3):
        chunk = pace.take(units, len(units))
        assert len(chunk) == 1
        pace.learn(chunk, 60.0)


def test_many_workers_get_longer_chunks() -> None:
    """A driver that a thousand workers ask for a chunk every half second does nothing else."""
    units = deque(Schedule(make_experiment(100))) * 4000
    pace = ChunkSizer(jobs=1000)
    pace.learn(tuple(units)[:3000], 3000 * 0.01)
    assert len(pace.take(units, len(units) * 100)) == pytest.approx(1000, abs=1)


def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    flag = tmp_path / "kill once"
    agents = (entrant("a", "once", flag=str(flag)), entrant("b", "lowest"))
    experiment = make_experiment(30, agents)
    play(experiment, tmp_path / "calm")

    class Setter(Watch):
        """Sets the flag when playing starts, after the agents have been probed."""

        def update(self, tally: Tally) -> None:
            if tally.done == 0:
                flag.touch()

    options = RunOptions(jobs=2, chunk_units=2)
    finished = run(experiment, tmp_path / "run", options, Setter())
    assert not flag.exists()
    assert finished.played == 30
    assert exported(tmp_path / "run", tmp_path) == exported(tmp_path / "calm", tmp_path)


def bomb(experiment: ResolvedExperiment, **changes: Any) -> tuple[ResolvedExperiment, set[str]]:
    """With an agent that ends its process on some deals, and these deals."""
    firsts = Counter(hand[0] for deal in experiment.deals for hand in deal.hands)
    marked = min(firsts, key=lambda card: (firsts[card], card))  # as few as can be: it takes time
    cursed = {d.id for d in experiment.deals if any(h[0] == marked for h in d.hands)}
    agents = (
        entrant("bomb", "trouble", what="killed", first_card=marked),
        entrant("b", "lowest"),
        entrant("c"),
    )
    pairings = (("bomb", "b"), ("b", "c"))
    return replace(experiment, entrants=agents, pairings=pairings, **changes), cursed


def test_who_ends_their_process_stops_the_run_and_is_named(tmp_path: Path) -> None:
    experiment, cursed = bomb(make_experiment(6))
    finished = play(experiment, tmp_path / "run", jobs=2, chunk_units=1)
    assert re.match(r"bomb \(seat .\) was ended by SIGKILL", finished.stopped)
    assert any(f"deal {deal}," in finished.stopped for deal in cursed)


def test_who_ends_their_process_forfeits_and_the_rest_is_played(tmp_path: Path) -> None:
    experiment, cursed = bomb(make_experiment(6), on_fault="forfeit")
    finished = play(experiment, tmp_path / "run", jobs=2, chunk_units=1)
    assert finished.played == 12
    with Run(tmp_path / "run") as results:
        frame = results.deals()
    forfeited = frame[frame["forfeits_first"] > 0]
    assert set(forfeited["first"]) == {"bomb"}
    assert set(forfeited["unit"]) == cursed
    assert not frame["forfeits_second"].any()


def test_a_note_that_is_found_late_harms_nothing(tmp_path: Path) -> None:
    """Its unit may have been played by somebody else, or belong to those still waiting."""
    experiment = make_experiment(4, decision_limit_s=0.5)
    runner = Runner(Job.of(experiment, "late"), jobs=2)
    runner._job = replace(runner._job, notes=str(tmp_path))
    post = Post(runner._job)
    post.enter((0, "d0003", 1, 0, "d0003"))
    post.write_note("stuck-1")
    units = list(Schedule(experiment))
    assert runner._read_notes(units[:2]) is False
    assert runner._known == {}
    assert not list(tmp_path.glob("*.json")), "it is read once"
    post.write_note("stuck-1")
    assert runner._read_notes(units) is True
    assert list(runner._known) == [(0, "d0003")]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_stuck_agent_forfeits_and_the_run_goes_on(jobs: int, tmp_path: Path) -> None:
    experiment = make_experiment(10)
    marked = experiment.deals[4].hands[1][0]
    cursed = {d.id for d in experiment.deals if any(h[0] == marked for h in d.hands)}
    agents = (
        entrant("stuck", "trouble", what="stuck", first_card=marked),
        entrant("b", "lowest"),
    )
    experiment = replace(
        experiment,
        entrants=agents,
        pairings=(("stuck", "b"),),
        on_fault="forfeit",
        decision_limit_s=0.2,
    )
    finished = play(experiment, tmp_path / "run", jobs=jobs)
    assert finished.faults > 0
    with Run(tmp_path / "run") as results:
        frame = results.deals()
        rounds = results.rounds()
        worst = results.rules.margin_bounds[0]
    assert len(frame) == 10
    forfeited = frame[frame["forfeits_first"] > 0]
    assert set(forfeited["unit"]) == cursed
    assert (forfeited["margin"] == worst).all()
    assert (frame[~frame["unit"].isin(cursed)]["margin"] != worst).all()
    faults = set(rounds["fault"]) - {""}
    assert all(f.startswith("stuck: seat") and "within 0.2 s" in f for f in faults)


@pytest.mark.long
def test_workers_of_a_killed_driver_end_by_themselves_and_the_run_goes_on(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        f"sys.path.insert(0, {str(TESTS)!r})\n"
        "from pathlib import Path\n"
        "from helpers.experiments import *\n"
        "play(make_experiment(3000), Path(sys.argv[1]), jobs=2, chunk_units=20)\n"
    )
    path = tmp_path / "run"
    driver = subprocess.Popen([sys.executable, "-c", code, str(path)])
    try:
        workers = wait_for(lambda: stored(path) and busy_children(driver.pid))
    finally:
        os.kill(driver.pid, signal.SIGKILL)
        driver.wait()
    wait_for(lambda: not any(map(is_alive, workers)))
    found = stored(path)
    assert 0 < found < 3000
    assert play(make_experiment(3000), path, jobs=2).found == found
    play(make_experiment(3000), tmp_path / "calm", jobs=2)
    assert exported(path, tmp_path) == exported(tmp_path / "calm", tmp_path)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended may wait for its parent, which may be us."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def stored(path: Path) -> int:
    try:
        with Run(path) as results:
            return results.units_stored(results.pairings[0])
    except ArenaError:
        return 0


def test_an_agent_that_never_answers_stops_the_run_not_the_machine(tmp_path: Path) -> None:
    agents = (entrant("stuck", "trouble", what="stuck", trick=0), entrant("b", "lowest"))
    experiment = make_experiment(5, agents, decision_limit_s=0.2)
    finished = play(experiment, tmp_path)
    assert finished.played == 0
    assert re.match(r"stuck \(seat .\) did not come back within 0.2 s; deal d", finished.stopped)


def busy_children(pid: int) -> list[int]:
    """Worker processes that have begun to play: their sentry thread is there."""
    found = []
    for task in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(task.read_text().rpartition(")")[2].split()[1]) != pid:
                continue
            threads = (task.parent / "task").glob("*/comm")
            if "loky" in (task.parent / "cmdline").read_text() and len(list(threads)) > 1:
                found.append(int(task.parent.name))
        except (OSError, ValueError):
            continue
    return found if len(found) >= 2 else []


def wait_for(condition: Callable[[], Any], limit_s: float = 60.0) -> Any:
    """Wait until something is so; it may take long on a busy machine, and must not hang."""
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen")


def test_a_round_robin_of_hearts_runs_on_workers(tmp_path: Path) -> None:
    agents = (entrant("a"), entrant("b", "lowest"), entrant("c"))
    play(make_experiment(3, agents, rules=Hearts()), tmp_path / "run", jobs=2)
    with Run(tmp_path / "run") as results:
        assert len(results.rounds()) == 3 * 3 * 6


# --- small runs ---------------------------------------------------------------------------


class PoolWanted(Exception):
    """A pool of workers was asked for."""


@pytest.fixture
def no_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PoolWanted

    monkeypatch.setattr("arena.tournament.pool.parallel", refuse)


@pytest.mark.usefixtures("no_pool")
def test_a_small_run_starts_no_workers_and_has_the_same_results(tmp_path: Path) -> None:
    play(make_experiment(6), tmp_path / "one", jobs=1)
    play(make_experiment(6), tmp_path / "default", jobs=None)
    assert exported(tmp_path / "default", tmp_path) == exported(tmp_path / "one", tmp_path)
    with pytest.raises(PoolWanted):
        play(make_experiment(6), tmp_path / "two", jobs=2)


@pytest.mark.usefixtures("no_pool")
def test_a_run_that_would_take_long_starts_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.tournament.runner._POOL_PAYS_S", 1e-6)
    with pytest.raises(PoolWanted):
        play(make_experiment(6), tmp_path / "run", jobs=None)


@pytest.mark.usefixtures("no_pool")
def test_after_a_kill_no_agent_plays_in_the_process_of_the_driver(tmp_path: Path) -> None:
    play(make_experiment(4), tmp_path / "run", jobs=1)
    (tmp_path / "run" / "lock.holder").touch()
    connection = sqlite3.connect(tmp_path / "run" / "results.sqlite")
    with connection:
        connection.execute("DELETE FROM units WHERE unit = 'd0003'")
    connection.close()
    with pytest.raises(PoolWanted):
        play(make_experiment(4), tmp_path / "run", jobs=None)

"""Whatever ends a run, what was finished is there and the same command goes on."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from helpers.experiments import AGENTS, Anything, Watch, entrant, exported, make_experiment, play

from arena.config.experiment import ResolvedExperiment
from arena.core.errors import ArenaError
from arena.store import Run
from arena.store.database import Database, StoreError
from arena.store.folder import HOLDER, RunFolder, is_busy
from arena.tournament.run import RunOptions, run
from arena.tournament.tally import Tally

KILLS = 20
DEALS = 400


def large() -> ResolvedExperiment:
    return make_experiment(DEALS, seed=8)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return uninterrupted_run(large(), tmp_path_factory.mktemp("uninterrupted"))


def uninterrupted_run(experiment: ResolvedExperiment, tmp: Path) -> bytes:
    play(experiment, tmp / "whole")
    return exported(tmp / "whole", tmp)


def in_child(work: Callable[[], object]) -> int:
    """Do something in a copy of this process; its id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def stored(path: Path) -> int:
    try:
        with Run(path) as results:
            return results.units_stored(results.pairings[0])
    except ArenaError:
        return 0


def wait_until(condition: Callable[[], object]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.001)


@pytest.mark.long
def test_killed_at_20_random_instants(tmp_path: Path) -> None:
    instants = random.Random(1)
    path, experiment = tmp_path / "run", make_experiment(2500, seed=8)
    progress = [0]
    for number in range(KILLS):
        child = in_child(lambda: play(experiment, path))
        if number % 4 == 0:
            # In the first milliseconds: folder, configuration, manifest, schema.
            wait_until(lambda: is_busy(path))
            time.sleep(instants.uniform(0, 0.03))
        else:
            wanted = progress[-1] + instants.randrange(60)
            wait_until(lambda wanted=wanted: stored(path) > wanted)
            time.sleep(instants.uniform(0, 0.01))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        progress.append(stored(path))
    assert progress == sorted(progress), "nothing that was stored may be lost"
    assert 0 < progress[-1] < 2500, "the kills must come before the end"
    finished = play(experiment, path)
    assert finished.found == progress[-1]
    assert exported(path, tmp_path) == uninterrupted_run(experiment, tmp_path)


def test_a_truncated_log_costs_only_its_end(uninterrupted: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run"
    child = in_child(lambda: play(large(), path, chunk_units=20))
    while stored(path) < 100:
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    log = path / "results.sqlite-wal"
    size = log.stat().st_size
    assert size > 10_000
    places = random.Random(2)
    for number, cut in enumerate([0, 17, *(places.randrange(size) for _ in range(4)), size - 1]):
        copy = tmp_path / f"copy-{number}"
        shutil.copytree(path, copy)
        (copy / "results.sqlite-shm").unlink(missing_ok=True)
        (copy / HOLDER).unlink()  # after a kill, agents would play in processes of their own
        os.truncate(copy / log.name, cut)
        play(large(), copy)
        assert exported(copy, tmp_path) == uninterrupted


def test_a_full_disk_is_one_clear_line_and_nothing_is_lost(
    uninterrupted: bytes, tmp_path: Path
) -> None:
    path, said = tmp_path / "run", tmp_path / "said"

    def with_little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (250_000, 250_000))
        try:
            play(large(), path)
        except ArenaError as error:
            said.write_text(str(error))

    child = in_child(with_little_room)
    assert os.waitpid(child, 0)[1] == 0
    message = said.read_text()
    assert "results.sqlite: cannot be written" in message
    assert "is the disk full?" in message
    assert "\n" not in message
    found = stored(path)
    assert 0 < found < DEALS
    assert play(large(), path).found == found
    assert exported(path, tmp_path) == uninterrupted


def test_no_room_at_all_is_one_clear_line_too(tmp_path: Path) -> None:
    for room in (0, 20, 2000, 9000):
        path, said = tmp_path / f"run-{room}", tmp_path / f"said-{room}"
        said.touch()

        def with_no_room(path: Path = path, said: Path = said, room: int = room) -> None:
            handle = said.open("w")
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
            try:
                play(make_experiment(200), path)
            except ArenaError as error:
                resource.setrlimit(
                    resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
                )
                handle.write(str(error))
                handle.close()

        child = in_child(with_no_room)
        assert os.waitpid(child, 0)[1] == 0
        message = said.read_text()
        assert "cannot be written" in message, room
        assert "\n" not in message
        assert play(make_experiment(200), path).played == 200


def test_ctrl_c_keeps_what_was_finished(uninterrupted: bytes, tmp_path: Path) -> None:
    class Impatient(Watch):
        def update(self, tally: Tally) -> None:
            if tally.done >= 50:
                raise KeyboardInterrupt

    for jobs in (1, 2):
        path = tmp_path / f"run-{jobs}"
        with pytest.raises(KeyboardInterrupt):
            run(large(), path, RunOptions(jobs=jobs), Impatient())
        found = stored(path)
        assert 50 <= found < DEALS
        with Run(path) as results:
            assert results.manifest.sessions[-1].ending == "interrupted"
        assert play(large(), path, jobs=jobs).found == found
        assert exported(path, tmp_path) == uninterrupted


def test_a_finished_run_is_found_done(tmp_path: Path) -> None:
    experiment = make_experiment(20)
    assert play(experiment, tmp_path / "run").played == 20
    before = (tmp_path / "run" / "results.sqlite").read_bytes()
    manifest = (tmp_path / "run" / "manifest.json").read_bytes()
    again = play(experiment, tmp_path / "run")
    assert (again.played, again.found) == (0, 20)
    assert (tmp_path / "run" / "results.sqlite").read_bytes() == before
    assert (tmp_path / "run" / "manifest.json").read_bytes() == manifest


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_lost_manifest_is_written_again(tmp_path: Path, jobs: int) -> None:
    experiment = make_experiment(6)
    play(experiment, tmp_path / "run")
    before = exported(tmp_path / "run", tmp_path)
    (tmp_path / "run" / "manifest.json").unlink()
    assert play(experiment, tmp_path / "run", jobs=jobs).played == 0
    assert exported(tmp_path / "run", tmp_path) == before


def test_the_folder_is_complete_and_the_results_are_one_file(tmp_path: Path) -> None:
    play(make_experiment(20), tmp_path / "run")
    names = {path.name for path in (tmp_path / "run").iterdir()}
    wanted = {"config.resolved.yaml", "manifest.json", "results.sqlite", "log.txt"}
    assert names - {"lock"} == wanted, "a lock may stay, depending on the system"
    with sqlite3.connect(tmp_path / "run" / "results.sqlite") as connection:
        (count,) = connection.execute("SELECT count(*) FROM units").fetchone()
    connection.close()
    assert count == 20


def test_another_configuration_is_refused_with_the_difference(tmp_path: Path) -> None:
    play(make_experiment(20), tmp_path)
    other = make_experiment(30, seed=5)
    with pytest.raises(ArenaError) as caught:
        play(other, tmp_path)
    assert "deals.sha256: " in str(caught.value)
    assert "seed: 0 there, 5 here" in str(caught.value)
    assert "--fresh" in str(caught.value)
    assert stored(tmp_path) == 20
    (tmp_path / "mine.txt").write_text("not a result")
    assert play(other, tmp_path, fresh=True).played == 30
    assert (tmp_path / "mine.txt").exists()


def test_a_busy_folder_is_refused_and_a_dead_lock_is_not_in_the_way(tmp_path: Path) -> None:
    with RunFolder(tmp_path), pytest.raises(ArenaError, match=f"process {os.getpid()} on"):
        play(make_experiment(2), tmp_path)
    (tmp_path / "lock").write_text("process 1 on a machine that burnt down\n")
    assert play(make_experiment(2), tmp_path).played == 2


def test_an_agent_that_changed_plays_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = make_experiment(6, (entrant("a"), entrant("b", "lowest"), entrant("c", "lowest")))
    play(experiment, tmp_path)
    old = exported(tmp_path, tmp_path)

    class Changed(Anything):
        def act(self, view, rng):  # type: ignore[no-untyped-def]
            return view.legal[-1]

    monkeypatch.setitem(AGENTS._added, "any", Changed)
    finished = play(experiment, tmp_path)
    # b against c needs no playing: neither has changed.
    assert (finished.found, finished.played) == (6, 12)
    assert exported(tmp_path, tmp_path) != old
    monkeypatch.undo()
    assert play(experiment, tmp_path).found == 18
    assert exported(tmp_path, tmp_path) == old


def test_changed_code_is_mixed_only_if_that_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same play on the probe set, by other code: a choice of the user's."""
    path, code = tmp_path / "run", ["before"]
    monkeypatch.setattr("arena.tournament.run.code_of", lambda builders: code[-1])
    whole = make_experiment(6)
    play(replace(whole, deals=whole.deals[:2]), path)
    code.append("after")
    with pytest.raises(ArenaError, match="any, lowest: code changed, same play on the probe set"):
        play(make_experiment(6), path)
    assert stored(path) == 2
    assert play(make_experiment(6), path, mix_code=True).played == 4
    assert "same play on the probe set; mixed" in (path / "log.txt").read_text()
    with Run(path) as results:
        assert results.manifest.entrants["any"].code == "after"
    code.append("later still")
    assert play(make_experiment(6), path).played == 0, "a finished run has nothing to mix"


def test_a_new_version_of_the_rules_plays_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = make_experiment(6)
    play(experiment, tmp_path)
    monkeypatch.setattr(type(experiment.rules), "version", 99)
    assert play(experiment, tmp_path).played == 6


def test_results_can_be_read_while_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "run"
    seen = []

    class Reader(Watch):
        def update(self, tally: Tally) -> None:
            if tally.done:
                seen.append((tally.done, stored(path)))

    run(make_experiment(60), path, RunOptions(jobs=1, chunk_units=10), Reader())
    assert seen == [(n, n) for n in range(10, 61, 10)]


def test_a_file_that_is_no_database_is_reported_so(tmp_path: Path) -> None:
    play(make_experiment(2), tmp_path)
    (tmp_path / "results.sqlite").write_bytes(b"not a database, far from it" * 100)
    with pytest.raises(StoreError, match=r"results.sqlite: damaged .*--fresh"):
        play(make_experiment(2), tmp_path)
    with pytest.raises(StoreError, match=r"results.sqlite: damaged"):
        Database(tmp_path / "results.sqlite")
    assert play(make_experiment(2), tmp_path, fresh=True).played == 2


@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_ctrl_c_in_a_terminal(tmp_path: Path, backend: str) -> None:
    """The whole command, interrupted as a terminal does it: every process gets the signal."""
    pytest.importorskip({"dask": "distributed"}.get(backend, "joblib"))
    config = tmp_path / "x.yaml"
    config.write_text(
        "name: x\ngame: {name: klaverjas}\ndeals: {set: klaverjas-given-10000}\n"
        "agents: {a: {family: random}, b: {family: random}}\nschedule: {type: round-robin}\n"
    )
    command = [sys.executable, "-m", "arena", "run", str(config), "--out", str(tmp_path / "run")]
    process = subprocess.Popen(
        [*command, "--jobs", "2", "--backend", backend],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while stored(tmp_path / "run") < 20 and time.monotonic() < until:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on from there" in errors
    assert "Traceback" not in errors
    assert stored(tmp_path / "run") >= 20
    wait_until(lambda: not is_alive(process.pid))


def is_alive(group: int) -> bool:
    """Whether a process of the group runs; one that has ended and is not yet reaped does not."""
    for process in psutil.process_iter(["status"]):
        with suppress(ProcessLookupError):
            if os.getpgid(process.pid) == group and process.info["status"] != psutil.STATUS_ZOMBIE:
                return True
    return False


def test_the_manifest_tells_how_it_was_made(tmp_path: Path) -> None:
    experiment = replace(make_experiment(4), name="message")
    play(experiment, tmp_path)
    with Run(tmp_path) as results:
        manifest = results.manifest
    assert manifest.name == "message"
    assert manifest.config_sha256 == experiment.config_sha256
    assert manifest.deals_sha256 == "made-4"
    assert manifest.rules.options["variant"] == "rotterdam"
    assert set(manifest.versions) >= {"arena", "python", "numpy", "joblib"}
    assert len(manifest.entrants["any"].fingerprint) == 32
    assert manifest.ended is not None and manifest.started <= manifest.ended
    assert manifest.cpu_s > 0

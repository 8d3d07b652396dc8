"""`--backend dask`: the same results, nothing left behind, and clear words when it fails."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.paths import TESTS

import arena
from arena.cli import main
from arena.core.errors import ArenaError
from arena.store import Run

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="pip install 'arena-tricks[cluster]'"
)

CONFIG = """\
name: small
game: {name: klaverjas}
deals: {set: klaverjas-given-1000, limit: 6}
agents: {random: {family: random}, other: {family: random}, rule: {family: rule}}
schedule: {type: round-robin}
seed: 3
"""
LOSE_A_WORKER = """\
import sys
sys.path.insert(0, {tests!r})
from collections.abc import Callable
from pathlib import Path
from helpers.experiments import *

class Setter(Watch):
    def update(self, tally):
        if tally.done == 0:
            Path("kill once").touch()

if __name__ == "__main__":
    agents = (entrant("a", "once", flag="kill once"), entrant("b", "lowest"))
    experiment = make_experiment(8, agents)
    play(experiment, Path("calm"))
    run(experiment, Path("run"), RunOptions(jobs=2, backend="dask", chunk_units=2), Setter())
    assert not Path("kill once").exists()
    assert exported(Path("run"), Path()) == exported(Path("calm"), Path())
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("x.yaml").write_text(CONFIG)
    return "x.yaml"


def in_a_session_of_its_own(*words: str) -> tuple[int, str]:
    """The exit code of a Python program, and what it said; it must leave no process behind."""
    program = subprocess.Popen(
        [sys.executable, "-W", "error", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    said, _ = program.communicate(timeout=60)
    until = time.monotonic() + 10
    while alive(program.pid):  # Python's tracker of resources ends when it sees the others gone
        assert time.monotonic() < until, f"still there: {alive(program.pid)}"
        time.sleep(0.02)
    return program.returncode, said


def alive(session: int) -> list[str]:
    """The processes of a session that have not ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, its_session = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:  # it has ended just now
            continue
        if int(its_session) == session and state != "Z":
            found.append(stat.parent.name)
    return found


def exported(run: str) -> bytes:
    assert main(["export", run, "--no-times", "--output", f"{run}.csv"]) == 0
    return Path(f"{run}.csv").read_bytes()


def test_the_results_are_the_same_and_nothing_is_left_behind(config: str) -> None:
    command = ["run", config, "--no-report", "--quiet"]
    assert main([*command, "--backend", "sequential", "--out", "here"]) == 0
    on_cluster = [*command, "--backend", "dask", "--jobs", "2", "--out", "there"]
    assert in_a_session_of_its_own("-m", "arena", *on_cluster) == (0, "")
    assert exported("there") == exported("here")
    assert len(exported("here").splitlines()) == 1 + 3 * 6 * 2


def test_a_lost_worker_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lose.py").write_text(LOSE_A_WORKER.format(tests=str(TESTS)))
    assert in_a_session_of_its_own("lose.py") == (0, "")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tcp://127.0.0.1:9", "Timed out trying to connect to tcp://127.0.0.1:9 after 0.2 s"),
        ("nonsense", "missing port number in address 'nonsense'"),
    ],
)
def test_a_bad_address_is_reported_in_one_line(
    address: str, message: str, config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    import dask  # here, as below: each test process collects all tests, and would import it
    import distributed  # noqa: F401  # adds its settings to those of dask, outside of `set`

    where = {"scheduler-address": address, "distributed.comm.timeouts.connect": "200ms"}
    with dask.config.set(where):
        assert main(["run", config, "--backend", "dask", "--quiet"]) == 2
    shown = capsys.readouterr()
    assert shown.err == f"arena: DASK_SCHEDULER_ADDRESS: no cluster at {address}: {message}\n"
    assert shown.out == ""


def test_the_address_is_taken_from_the_environment(
    config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "nowhere")
    code, said = in_a_session_of_its_own("-m", "arena", "run", config, "--backend", "dask")
    assert code == 2
    assert said.splitlines()[-1].startswith("arena: DASK_SCHEDULER_ADDRESS: no cluster at nowhere")


def test_without_dask_a_line_says_what_to_install(
    config: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["run", config, "--backend", "dask", "--quiet"]) == 2
    assert capsys.readouterr().err == (
        "arena: the backend 'dask' needs dask.distributed: pip install 'arena-tricks[cluster]'\n"
    )


def test_other_sources_or_versions_on_a_worker_are_refused_with_both_named(
    config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker in a process of its own, with a copy of arena in which a kernel was edited."""
    import dask
    import distributed

    other = tmp_path / "elsewhere"
    shutil.copytree(Path(arena.__file__).parent, other / "arena")
    with (other / "arena" / "games" / "klaverjas" / "kernel.py").open("a") as kernel:
        kernel.write("# edited\n")
    with distributed.LocalCluster(n_workers=0, processes=True, dashboard_address=None) as workers:
        address = workers.scheduler_address
        command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-dashboard"]
        environment = {**os.environ, "PYTHONPATH": str(other)}
        worker = subprocess.Popen(
            [*command, "--nthreads", "1", "--no-nanny"], env=environment, stderr=subprocess.DEVNULL
        )
        try:
            with dask.config.set({"scheduler-address": address}):
                assert main(["run", config, "--backend", "dask", "--quiet"]) == 2
                said = capsys.readouterr().err
                hashes = "[0-9a-f]{12}"
                assert re.search(
                    f"the source code of arena is {hashes} here and {hashes} on the worker tcp",
                    said,
                )
                assert said.count("\n") == 1 and not list(Path("reports").rglob("results.sqlite"))
                monkeypatch.setattr("platform.python_version", lambda: "9.9.9")
                assert main(["run", config, "--backend", "dask", "--quiet"]) == 2
                assert "the version of python is 9.9.9 here and 3." in capsys.readouterr().err
        finally:
            worker.terminate()
            worker.wait()


def test_a_killed_scheduler_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(CONFIG.replace("given-1000, limit: 6", "given-10000"))

    def start(*words: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=tmp_path,
            env={**os.environ, **variables},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(what: Callable[[], bool]) -> None:
        until = time.monotonic() + 60
        while not what():
            assert time.monotonic() < until, "it did not happen"
            time.sleep(0.1)

    file = ("--scheduler-file", "s.json", "--no-dashboard")
    scheduler = start("distributed.cli.dask_scheduler", "--port", "0", *file)
    wait_for((tmp_path / "s.json").is_file)
    address = json.loads((tmp_path / "s.json").read_text())["address"]
    worker = start("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard")
    command = ("arena", "run", "x.yaml", "--backend", "dask", "--out", "run", "--no-report")
    # dask hopes for so long that the scheduler comes back; by default half a minute.
    patience = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s"}
    run = start(*command, DASK_SCHEDULER_ADDRESS=address, **patience)
    try:
        wait_for(lambda: run.poll() is not None or stored(tmp_path / "run") > 0)
        scheduler.kill()
        _, said = run.communicate(timeout=120)
    finally:
        for process in (scheduler, worker, run):
            process.kill()
            process.communicate()
    assert run.returncode == 2, said
    assert "Traceback" not in said
    assert said.splitlines()[-1].startswith("arena: the connection to the dask cluster is lost;")


def stored(run: Path) -> int:
    try:
        with Run(run) as results:
            return results.units_stored(results.pairings[0])
    except ArenaError:
        return 0

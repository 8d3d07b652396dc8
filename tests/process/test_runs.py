"""Runs with agents in processes of their own: the same results, and nobody is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from helpers.experiments import Watch, entrant, exported, make_experiment, play
from helpers.process_agents import Stranger
from helpers.processes import BOT, processes

from arena.config.entrants import AgentSpec, Entrant
from arena.core.registry import AGENTS
from arena.process.limits import Limits
from arena.store import Run
from arena.tournament.run import RunOptions, run
from arena.tournament.tally import Tally

AGENTS.add("stranger", Stranger)
HERE = Entrant("agent", (AgentSpec("stranger"),))


def apart(**how: Any) -> Entrant:
    return Entrant("agent", (AgentSpec("stranger", **how),))


def experiment(agent: Entrant, count: int = 3, **changes: Any) -> Any:
    return make_experiment(count, (agent, entrant("lowest", "lowest")), **changes)


def test_isolated_results_are_the_same_bit_for_bit(tmp_path):
    expected = None
    for number, agent in enumerate(
        [
            HERE,
            apart(isolate=True),
            apart(isolate="each-deal"),
            apart(limits=Limits(seconds_per_decision=30.0, memory_mb=400)),
        ]
    ):
        path = tmp_path / str(number)
        play(experiment(agent, 2), path)
        found = exported(path, tmp_path)
        expected = expected or found
        assert found == expected
    assert processes() == []


@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_workers_have_processes_too(tmp_path, backend):
    play(experiment(HERE), tmp_path / "here")
    play(experiment(apart(isolate=True)), tmp_path / "there", jobs=2, backend=backend)
    assert exported(tmp_path / "here", tmp_path) == exported(tmp_path / "there", tmp_path)


class Impatient(Watch):
    """Presses Ctrl-C as soon as something is stored."""

    def update(self, tally: Tally) -> None:
        if tally.done:
            raise KeyboardInterrupt


def test_a_run_goes_on_where_it_stopped(tmp_path):
    long = experiment(apart(isolate=True), 4)
    play(long, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run(long, tmp_path / "parts", RunOptions(jobs=1, chunk_units=1), Impatient())
    assert processes() == []
    play(long, tmp_path / "parts")
    assert exported(tmp_path / "parts", tmp_path) == exported(tmp_path / "whole", tmp_path)


def test_faults_of_processes_are_forfeits_with_their_kind(tmp_path):
    argv = [sys.executable, "-I", "-S", str(BOT), "exit", "2"]
    bot = Entrant("bot", (AgentSpec("command", {"argv": argv}),))
    play(experiment(bot, 4, on_fault="forfeit"), tmp_path / "run")
    with Run(tmp_path / "run") as results:
        faults = [fault for _, fault in results.faults()]
    assert 0 < len(faults) < 8
    assert {fault.kind for fault in faults} == {"crash"}
    assert all("ended by itself, exit code 3" in fault.message for fault in faults)
    assert processes() == []


# --- whatever ends a run -----------------------------------------------------------------

_CONFIG = """\
name: long
game: klaverjas
deals: {{set: klaverjas-given-1000}}
agents:
  bot: {{family: command, argv: [{python}, -I, -S, {bot}, forks-and-plays, "1"]}}
  other: {{family: random, isolate: true}}
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=str)
def test_no_process_outlives_a_run(tmp_path, jobs, end):
    config = tmp_path / "long.yaml"
    config.write_text(_CONFIG.format(python=sys.executable, bot=BOT))
    words = ["-m", "arena", "run", str(config), "--out", str(tmp_path / "run"), "--jobs", jobs]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    mark = {**os.environ, "ARENA_TEST_RUN": tmp_path.name, "TMPDIR": str(temporary)}
    with subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=mark,
        start_new_session=True,
    ) as running:
        wait_until(lambda: any("bot.py" in command for command in of_run(tmp_path.name)))
        running.send_signal(end)
        running.wait()
    wait_until(lambda: not of_run(tmp_path.name))
    assert of_run(tmp_path.name) == []
    assert list(temporary.glob("arena-*")) == []


def wait_until(happens: Any) -> None:
    give_up = time.monotonic() + 60
    while not happens() and time.monotonic() < give_up:
        time.sleep(0.1)


def of_run(name: str) -> list[str]:
    """Command lines of all processes that a run has started, the workers included."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"ARENA_TEST_RUN={name}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue  # it has ended meanwhile
    return [command for command in found if command]

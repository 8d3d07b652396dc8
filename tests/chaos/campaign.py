"""A kill campaign: `python tests/chaos/campaign.py TRIALS [--seed S]`.

A run is hit by a signal (TERM, INT, STOP and then CONT, KILL), in its driver, in one of its
workers or in all of its processes at once, while it starts, plays, goes on or writes its report.
Then the same command is given until it is through. Results must be those of a run that nobody
disturbed, byte for byte, `arena verify` must agree, and nobody may have seen a traceback.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.core.errors import ArenaError
from arena.store import Run

ARENA = [sys.executable, "-m", "arena"]
EXPERIMENT = """\
name: chaos
game: klaverjas
deals: {set: klaverjas-given-1000, limit: 200}
agents: {a: {family: random}, b: {family: semi-random}, c: {family: random}}
"""
PATIENCE_S = 120
PHASES = ("start", "play", "resume", "report")
VICTIMS = ("driver", "worker", "group")
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGSTOP, signal.SIGKILL)


class Trial(NamedTuple):
    """What is done to a run, and when."""

    phase: str
    victim: str
    signal: signal.Signals
    delay_s: float

    def __str__(self) -> str:
        return f"{self.signal.name} to the {self.victim} at {self.phase} + {self.delay_s:.2f} s"


def drawn(rng: random.Random) -> Iterator[Trial]:
    """Trials without end: a phase in turn, and in 48 of them each that there is."""
    while True:
        ways = {phase: list(itertools.product(VICTIMS, SIGNALS)) for phase in PHASES}
        for left in ways.values():
            rng.shuffle(left)
        for turn in zip(*ways.values(), strict=True):
            for phase, (victim, number) in zip(PHASES, turn, strict=True):
                delay = rng.uniform(0, 3 if phase in ("start", "resume") else 0.3)
                yield Trial(phase, victim, number, delay)


def arena(*words: str) -> str:
    done = subprocess.run([*ARENA, *words], capture_output=True, text=True, timeout=PATIENCE_S)
    if done.returncode:
        raise AssertionError(f"arena {' '.join(words)}: {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def csv_of(run: Path) -> str:
    return arena("export", str(run), "--no-times")


def stored(run: Path) -> int:
    try:
        with Run(run) as results:
            return results.units_stored(results.pairings[0])
    except ArenaError:
        return 0


def wait_for(what: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + PATIENCE_S
    while process.poll() is None and not what():
        assert time.monotonic() < until, "it never came so far"
        time.sleep(0.02)


def workers_of(driver: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            command = stat.with_name("cmdline").read_bytes()
        except (OSError, IndexError):
            continue
        if parent == driver and b"popen_loky" in command:
            found.append(int(stat.parent.name))
    return found


def strike(trial: Trial, process: subprocess.Popen[str], run: Path, before: int) -> None:
    """Wait for the moment, and send the signal."""
    if trial.phase == "play":
        wait_for(lambda: stored(run) > before, process)
    elif trial.phase == "report":
        wait_for((run / "standings.txt").exists, process)
    time.sleep(trial.delay_s)
    if trial.victim == "group":
        send = lambda number: os.killpg(process.pid, number)  # noqa: E731
    else:
        workers = workers_of(process.pid)
        hit = workers[0] if trial.victim == "worker" and workers else process.pid
        send = lambda number: os.kill(hit, number)  # noqa: E731
    try:
        send(trial.signal)
        if trial.signal is signal.SIGSTOP:
            time.sleep(0.5)
            send(signal.SIGCONT)
    except ProcessLookupError:
        pass  # it was through before


def tried(trial: Trial, folder: Path, whole: str) -> str:
    """Do it, then go on to the end; what is wrong afterwards, or nothing."""
    run = folder / "run"
    command = [*ARENA, "run", str(folder.parent / "x.yaml"), "--out", str(run), "--jobs", "2"]
    if trial.phase != "report":
        command.append("--no-report")
    if trial.phase == "resume":  # what is gone on with was killed while it played
        hit(Trial("play", "group", signal.SIGKILL, 0.1), command, run)
    errors = hit(trial, command, run)
    if "Traceback" in errors:
        return f"a traceback:\n{errors[-2000:]}"
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
        if done.returncode == 0:
            break
    if done.returncode:
        return f"does not go on: {done.returncode}\n{done.stderr[-2000:]}"
    if csv_of(run) != whole:
        return "other results"
    checked = arena("verify", str(run))
    if " 0 mismatches" not in checked or "is of other results" in checked:
        return checked
    return ""


def hit(trial: Trial, command: list[str], run: Path) -> str:
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        strike(trial, process, run, stored(run))
        return process.communicate(timeout=PATIENCE_S)[1]
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", type=int)
    parser.add_argument("--seed", type=int, default=18)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="arena-chaos-") as name:
        top = Path(name)
        (top / "x.yaml").write_text(EXPERIMENT)
        arena("run", str(top / "x.yaml"), "--out", str(top / "whole"), "--no-report", "--quiet")
        whole = csv_of(top / "whole")
        for number, trial in enumerate(itertools.islice(drawn(rng), args.trials)):
            (folder := top / str(number)).mkdir()
            wrong = tried(trial, folder, whole)
            print(f"{number}: {trial}: {wrong or 'nothing lost, nothing changed'}", flush=True)
            failed += bool(wrong)
    print(f"{args.trials} trials, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""A kill campaign: `python tests/chaos/campaign.py TRIALS [--seed S] [--only COMMAND]`.

A long command is hit by a signal (TERM, INT once or twice, HUP, QUIT, STOP and then CONT, KILL), in
its driver, in a worker, in the process of an agent or in all of its processes at once, some time
after its start. Then the same command is given until it is through. What it leaves must be what it
leaves when nobody disturbs it, no traceback may have been seen, and no process and no temporary
folder may be left behind.
"""

from __future__ import annotations

import argparse
import itertools
import json
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

ARENA = [sys.executable, "-m", "arena"]
EXPERIMENT = """\
name: chaos
game: klaverjas
deals: {set: klaverjas-given-1000, limit: LIMIT}
agents: {a: {family: random}, b: {family: semi-random}, c: {family: random, isolate: true}}
"""
GATE = """\
name: chaos
game: klaverjas
deals: {set: klaverjas-given-10000, limit: 2000}
candidate: {family: semi-random}
baseline: {agent: {family: random}}
test: {kind: gain, better_by: 6}
"""
PATIENCE_S = 240
MARK = "ARENA_CHAOS"
VICTIMS = ("driver", "worker", "agent", "group")
SIGNALS = ("SIGTERM", "SIGINT", "SIGINT SIGINT", "SIGHUP", "SIGQUIT", "SIGSTOP SIGCONT", "SIGKILL")


def arena(*words: str) -> str:
    done = subprocess.run([*ARENA, *words], capture_output=True, text=True, timeout=PATIENCE_S)
    if done.returncode:
        raise AssertionError(f"arena {' '.join(words)}: {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def rounds(folder: Path) -> str:
    """Everything that a run has stored but times, which `arena verify` must agree with."""
    checked = arena("verify", str(folder / "run"))
    assert " 0 mismatches" in checked and "is of other results" not in checked, checked
    return arena("export", str(folder / "run"), "--no-times")


def recording(folder: Path) -> str:
    from pyarrow import parquet

    parts = sorted((folder / "out").glob("part-*.parquet"))
    return json.dumps([part.name for part in parts]) + str([parquet.read_table(p) for p in parts])


def pages(folder: Path) -> str:
    """What a report or a board has written, by name and size: times of pages differ."""
    files = (file for file in (folder / "out").rglob("*") if file.is_file())
    return "\n".join(sorted(str(file.relative_to(folder)) for file in files))


def verdict(folder: Path) -> str:
    """The verdict of a gate with its numbers, and the lines of its ledger."""
    found = json.loads((folder / "out" / "gate.json").read_text())
    told = {key: found[key] for key in ("outcome", "verdict", "deals", "played") if key in found}
    ledgers = sorted((folder / "out").rglob("*.jsonl"))
    return json.dumps([told, [len(file.read_text().splitlines()) for file in ledgers]])


class Long(NamedTuple):
    """A command that takes long; RUN, OUT and TOP in it are folders."""

    words: str
    result: Callable[[Path], str]
    most_s: float
    """A signal comes within this time."""
    good: tuple[int, ...] = (0,)
    """Exit codes that mean that it is through."""


COMMANDS = {
    "run": Long("run TOP/x.yaml --out RUN --jobs 2 --no-report", rounds, 6.0),
    "small": Long("run TOP/small.yaml --out RUN --no-report", rounds, 2.0),
    "match": Long("run TOP/match.yaml --out RUN --jobs 2 --no-report", rounds, 6.0),
    "dask": Long("run TOP/small.yaml --out RUN --jobs 2 --backend dask --no-report", rounds, 8.0),
    "record": Long("record TOP/small.yaml --out OUT --jobs 2", recording, 5.0),
    "report": Long("report TOP/whole/run --out OUT", pages, 4.0),
    "board": Long("board build OUT --runs TOP/whole", pages, 4.0),
    "gate": Long("gate TOP/x.gate.yaml --out OUT --jobs 2", verdict, 6.0, (0, 1, 3)),
}


class Trial(NamedTuple):
    """What is done to a command, and when."""

    command: str
    victim: str
    signals: str
    delay_s: float

    def __str__(self) -> str:
        return f"{self.command}: {self.signals} to the {self.victim} after {self.delay_s:.2f} s"


def drawn(rng: random.Random, commands: list[str]) -> Iterator[Trial]:
    """Trials without end: the commands in turn, each with every victim and signal once a round."""
    while True:
        ways = {command: list(itertools.product(VICTIMS, SIGNALS)) for command in commands}
        for left in ways.values():
            rng.shuffle(left)
        for turn in zip(*ways.values(), strict=True):
            for command, (victim, signals) in zip(commands, turn, strict=True):
                yield Trial(command, victim, signals, rng.uniform(0, COMMANDS[command].most_s))


def argv(command: str, folder: Path) -> list[str]:
    places = {"RUN": folder / "run", "OUT": folder / "out", "TOP": folder.parent}
    words = COMMANDS[command].words
    for name, place in places.items():
        words = words.replace(name, str(place))
    return [*ARENA, *words.split()]


def processes(mark: str) -> dict[int, str]:
    """Those that a command has started, itself included, with their command lines."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                if line:
                    found[int(folder.name)] = line
    return found


def strike(trial: Trial, driver: int, mark: str) -> None:
    time.sleep(trial.delay_s)
    sought = {"worker": ("popen_loky", "spawn_main"), "agent": ("arena.process",)}
    victims = [
        pid
        for pid, line in processes(mark).items()
        if any(word in line for word in sought.get(trial.victim, ()))
    ]
    for name in trial.signals.split():
        number = signal.Signals[name]
        with suppress(ProcessLookupError):
            if trial.victim == "group":
                os.killpg(driver, number)
            else:
                os.kill(victims[0] if victims else driver, number)
        time.sleep(0.5 if " " in trial.signals else 0.0)


def tried(trial: Trial, folder: Path, whole: str) -> str:
    """Do it, then go on to the end; what is wrong afterwards, or nothing."""
    mark, temporary = folder.name, folder / "temporary"
    temporary.mkdir(parents=True)
    environment = {**os.environ, MARK: mark, "TMPDIR": str(temporary)}
    command = argv(trial.command, folder)
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment,
    ) as process:
        strike(trial, process.pid, mark)
        try:
            errors = process.communicate(timeout=PATIENCE_S)[1]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return "hangs"
    if "Traceback" in errors:
        return f"a traceback:\n{errors[-2000:]}"
    if left := left_of(mark, temporary, killed=process.returncode == -signal.SIGKILL):
        return left
    for _ in range(2):
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, env=environment
        )
        if done.returncode in COMMANDS[trial.command].good:
            break
    else:
        return f"does not go on: {done.returncode}\n{done.stderr[-2000:]}"
    if COMMANDS[trial.command].result(folder) != whole:
        return "another result"
    return left_of(mark, temporary, killed=False)


def left_of(mark: str, temporary: Path, *, killed: bool) -> str:
    """What is still running or lying around after a while; who is killed sweeps nothing."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        running = processes(mark)
        folders = [] if killed else [file.name for file in temporary.glob("arena-*")]
        if not running and not folders:
            return ""
        time.sleep(0.2)
    return f"left behind: {list(running.values())} {folders}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", type=int)
    parser.add_argument("--seed", type=int, default=18)
    parser.add_argument("--only", choices=COMMANDS, action="append")
    args = parser.parse_args()
    rng, commands = random.Random(args.seed), args.only or list(COMMANDS)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="chaos-") as name:
        top = Path(name)
        (top / "x.yaml").write_text(EXPERIMENT.replace("LIMIT", "150"))
        (top / "small.yaml").write_text(EXPERIMENT.replace("LIMIT", "20"))
        (top / "match.yaml").write_text(EXPERIMENT.replace("LIMIT", "30") + "match: {rounds: 3}\n")
        (top / "x.gate.yaml").write_text(GATE)
        whole: dict[str, str] = {}
        for number, trial in enumerate(itertools.islice(drawn(rng, commands), args.trials)):
            for needed in dict.fromkeys(("small", trial.command)):
                if needed not in whole:  # "small" makes the run for reports and boards
                    calm = top / ("whole" if needed == "small" else f"calm-{needed}")
                    done = subprocess.run(argv(needed, calm), capture_output=True, text=True)
                    assert done.returncode in COMMANDS[needed].good, done.stderr
                    whole[needed] = COMMANDS[needed].result(calm)
            wrong = tried(trial, top / str(number), whole[trial.command])
            print(f"{number}: {trial}: {wrong or 'nothing lost, nothing changed'}", flush=True)
            failed += bool(wrong)
    print(f"{args.trials} trials, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

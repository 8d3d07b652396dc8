"""A kill campaign: `python tests/chaos/campaign.py TRIALS [--seed S] [--from N] [--only COMMAND]`.

A long command is hit by a signal (TERM, INT once or twice, HUP, QUIT, STOP and then CONT, KILL), in
its driver, in a worker, in the process of an agent or in all of its processes at once, at a random
moment of the time that it takes. Then the same command is given until it is through. What it leaves
must be what it leaves undisturbed, no traceback may have been printed, and no process and no
temporary file may be left behind. `--from` goes on with a campaign that was ended.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.cli import main

ARENA = [sys.executable, "-m", "arena"]
EXPERIMENT = """\
name: chaos
game: klaverjas
deals: {set: klaverjas-given-1000, limit: LIMIT}
agents: {a: {family: random}, b: {family: semi-random}, c: {family: random, isolate: true}}
"""
FILES = {
    "x.yaml": EXPERIMENT.replace("LIMIT", "100"),
    "small.yaml": EXPERIMENT.replace("LIMIT", "20"),
    "match.yaml": EXPERIMENT.replace("LIMIT", "25") + "match: {rounds: 3}\n",
    "cold.yaml": EXPERIMENT.replace("LIMIT", "4")
    .replace("b: {", "b: {playouts: 2, ")
    .replace("semi-random", "flat-mc"),
    "x.gate.yaml": """\
name: chaos
game: klaverjas
deals: {set: klaverjas-given-10000, limit: 2000}
candidate: {family: semi-random}
baseline: {agent: {family: random}}
test: {kind: gain, better_by: 12}
""",
    "stored.gate.yaml": """\
name: chaos
game: klaverjas
deals: {set: klaverjas-given-1000, limit: 60}
candidate: {family: semi-random}
against: [{family: random}]
baseline: {stored: no.json}
test: {kind: no-regression, worse_by: 20}
replicates: 2
""",
    "recipe.yaml": """\
name: tiny
games: [{rounds: 60, name: klaverjas}]
seed: 1
measured: 10
deals: 10
types: {rule: {family: rule}, loose: {family: semi-random}}
""",
}
PATIENCE_S = 240
MARK = "ARENA_CHAOS"
VICTIMS = ("driver", "worker", "agent", "group")
SIGNALS = ("SIGTERM", "SIGINT", "SIGINT SIGINT", "SIGHUP", "SIGQUIT", "SIGSTOP SIGCONT", "SIGKILL")


def arena(*words: str) -> str:
    """What a command prints; here, because starting it takes longer than what it does."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main(list(words))
    assert code == 0, f"arena {' '.join(words)}: {code}\n{out.getvalue()[-2000:]}"
    return out.getvalue()


def rounds(folder: Path) -> str:
    """Everything that a run has stored but times, which `arena verify` must agree with."""
    checked = arena("verify", str(folder / "run"))
    assert " 0 mismatches" in checked and "is of other results" not in checked, checked
    arena("export", str(folder / "run"), "--no-times", "--out", str(folder / "rounds.csv"))
    return (folder / "rounds.csv").read_text()


def recording(folder: Path) -> str:
    from pyarrow import parquet

    parts = sorted((folder / "out").glob("part-*.parquet"))
    return names(folder) + str([parquet.read_table(part).to_pydict() for part in parts])


def names(folder: Path) -> str:
    """What a command has written, by name: times of pages differ."""
    files = (file for file in (folder / "out").rglob("*") if file.is_file())
    return "\n".join(sorted(str(file.relative_to(folder)) for file in files))


def verdict(folder: Path) -> str:
    """The verdict of a gate with its numbers, its ledger but for dates, and its files."""
    found = json.loads((folder / "out" / "gate.json").read_text())
    ledger = [json.loads(line) for line in (folder / "out/ledger.jsonl").read_text().splitlines()]
    said = [{**line, "date": ""} for line in ledger]
    return names(folder) + json.dumps([found, said]).replace(str(folder), "")


def baseline(folder: Path) -> str:
    found = json.loads((folder / "out" / "stored.json").read_text())
    found["probe"] = {key: value for key, value in found["probe"].items() if "signature" in key}
    return names(folder) + json.dumps({**found, "made": ""})


def model(folder: Path) -> str:
    digest = hashlib.sha256((folder / "out" / "model.npz").read_bytes()).hexdigest()
    return names(folder) + digest


class Long(NamedTuple):
    """A command that takes long; RUN, OUT and TOP in it are folders."""

    words: str
    result: Callable[[Path], str]
    good: tuple[int, ...] = (0,)
    """Exit codes that mean that it is through."""
    cold: bool = False
    """Whether all code is compiled anew."""


COMMANDS = {
    "run": Long("run TOP/x.yaml --out RUN --jobs 2 --no-report", rounds),
    "small": Long("run TOP/small.yaml --out RUN --no-report", rounds),
    "match": Long("run TOP/match.yaml --out RUN --jobs 2 --no-report", rounds),
    "dask": Long("run TOP/small.yaml --out RUN --jobs 2 --backend dask --no-report", rounds),
    "record": Long("record TOP/x.yaml --out OUT --jobs 2", recording),
    "report": Long("report TOP/whole/run --out OUT", names),
    "board": Long("board build OUT --runs TOP/whole", names),
    "gate": Long("gate TOP/x.gate.yaml --out OUT --jobs 2", verdict, (0, 1, 3)),
    "update": Long(
        "gate TOP/stored.gate.yaml --update --baseline OUT/stored.json --out OUT --jobs 2", baseline
    ),
    "train": Long("train policy TOP/recipe.yaml --out OUT/model.npz --jobs 2", model),
    "cold": Long("run TOP/cold.yaml --out RUN --jobs 2 --no-report", rounds, cold=True),
}


class Trial(NamedTuple):
    """What is done to a command, and when."""

    command: str
    victim: str
    signals: str
    moment: float
    """As a share of the time that the command takes."""

    def __str__(self) -> str:
        return f"{self.command}: {self.signals} to the {self.victim} after {self.moment:.0%}"


def drawn(rng: random.Random, commands: list[str]) -> Iterator[Trial]:
    """Trials without end: the commands in turn, each with every victim and signal once a round."""
    while True:
        ways = {command: list(itertools.product(VICTIMS, SIGNALS)) for command in commands}
        for left in ways.values():
            rng.shuffle(left)
        for turn in zip(*ways.values(), strict=True):
            for command, (victim, signals) in zip(commands, turn, strict=True):
                yield Trial(command, victim, signals, rng.random())


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


class Calm(NamedTuple):
    """What an undisturbed command leaves, and how long it takes."""

    result: str
    seconds: float


def environment_of(command: str, folder: Path) -> dict[str, str]:
    """The environment of a trial: its mark, its own temporary files."""
    temporary = folder / "temporary"
    temporary.mkdir(parents=True, exist_ok=True)
    found = {**os.environ, MARK: folder.name, "TMPDIR": str(temporary), "PYTHONFAULTHANDLER": "1"}
    return {**found, "ARENA_CACHE_DIR": str(folder / "cache")} if COMMANDS[command].cold else found


def undisturbed(command: str, folder: Path) -> Calm:
    words, environment = argv(command, folder), environment_of(command, folder)
    begun = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    seconds = time.monotonic() - begun
    assert done.returncode in COMMANDS[command].good, done.stderr
    return Calm(COMMANDS[command].result(folder), seconds)


def tried(trial: Trial, folder: Path, calm: Calm) -> str:
    """Do it, then go on to the end; what is wrong afterwards, or nothing."""
    command, environment = argv(trial.command, folder), environment_of(trial.command, folder)
    mark, temporary = folder.name, folder / "temporary"
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment,
    ) as process:
        time.sleep(trial.moment * calm.seconds)
        strike(trial, process.pid, mark)
        try:
            errors = process.communicate(timeout=PATIENCE_S)[1]
        except subprocess.TimeoutExpired:
            return f"hangs:\n{_where(process, mark)}"
    if "Traceback" in errors:
        return f"a traceback:\n{errors[-2000:]}"
    if left := left_of(mark, temporary, killed=process.returncode == -signal.SIGKILL):
        return left
    code, attempts = process.returncode, 0
    while code not in COMMANDS[trial.command].good:
        if attempts == 2:
            return f"does not go on: {code}\n{errors[-2000:]}"
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, env=environment
        )
        code, errors, attempts = done.returncode, done.stderr, attempts + 1
    if other := difference(calm.result, COMMANDS[trial.command].result(folder)):
        return f"another result: {other}"
    return left_of(mark, temporary, killed=False)


def _where(process: subprocess.Popen[str], mark: str) -> str:
    """What a command that hangs is doing, which then ends."""
    for number in (signal.SIGABRT, signal.SIGKILL):  # Python says at which line it is aborted
        for pid in processes(mark):
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        time.sleep(1)
    return process.communicate()[1][-20_000:]


def difference(expected: str, found: str) -> str:
    """Where two results begin to differ, or nothing."""
    if expected == found:
        return ""
    pairs = zip(expected, found, strict=False)
    at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(expected), len(found)))
    return f"{found[max(0, at - 100) : at + 100]!r} for {expected[max(0, at - 100) : at + 100]!r}"


def left_of(mark: str, temporary: Path, *, killed: bool) -> str:
    """What is still running or lying around after a while; who is killed sweeps nothing."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        running = processes(mark)
        folders = [] if killed else [file.name for file in temporary.iterdir()]
        if not running and not folders:
            return ""
        time.sleep(0.2)
    return f"left behind: {list(running.values())} {folders}"


def campaign() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", type=int)
    parser.add_argument("--seed", type=int, default=18)
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="N")
    parser.add_argument("--only", choices=COMMANDS, action="append")
    args = parser.parse_args()
    rng, commands = random.Random(args.seed), args.only or list(COMMANDS)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="chaos-") as name:
        top = Path(name)
        for file, text in FILES.items():
            (top / file).write_text(text)
        calm = {"small": undisturbed("small", top / "whole")}  # for reports and boards
        trials = enumerate(itertools.islice(drawn(rng, commands), args.trials))
        for number, trial in itertools.islice(trials, args.first, None):
            if trial.command not in calm:
                calm[trial.command] = undisturbed(trial.command, top / f"calm-{trial.command}")
            wrong = tried(trial, top / str(number), calm[trial.command])
            print(f"{number}: {trial}: {wrong or 'nothing lost, nothing changed'}", flush=True)
            failed += bool(wrong)
            if not wrong:
                shutil.rmtree(top / str(number))
    print(f"{args.trials - args.first} trials, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(campaign())

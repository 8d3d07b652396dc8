"""A kill campaign: `python tests/chaos/campaign.py TRIALS [--seed S] [--from N] [--only COMMAND]`.

A long command is hit by a signal (TERM, INT once or twice, HUP, QUIT, STOP and then CONT, KILL), in
its driver, in a worker, in the process of an agent or in all of its processes at once, at a random
moment of the time that it takes; or its disk is full: no file may be larger than so many bytes.
Then the same command is given until it is through. What it leaves must be what it leaves
undisturbed, no traceback may have been printed, and no process and no temporary file may be left
behind. A trial in which nothing was hit (the command was through before) is repeated with an
earlier moment. The seed is the date unless it is given; `--from` goes on with a campaign of that
seed that was ended.
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
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, NamedTuple

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
    "answers.txt": "1\n" * 200,
}
PATIENCE_S = 600
"""What hangs takes longer than this, and 20 times as long as the command does undisturbed."""
MARK = "ARENA_CHAOS"
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


def audit(folder: Path) -> str:
    """An audit that is there already is printed, not made again."""
    return arena("audit", str(folder / "run"), *AUDITED, "--jobs", "1", "--json")


def files(folder: Path) -> str:
    """Every file that a command has written, with what is in it."""
    found = sorted(file for file in (folder / "out").rglob("*") if file.is_file())
    return str([(file.name, hashlib.sha256(file.read_bytes()).hexdigest()) for file in found])


def nothing(folder: Path) -> str:
    """A command that only prints."""
    return ""


PROGRAM = shlex.quote(
    f"{{family: command, argv: [{sys.executable}, -m, arena, serve-agent, random]}}"
)
AUDITED = ("--deals", "1", "--worlds", "4")
VICTIMS = ("driver", "worker", "agent", "group")
DISK = ("disk", "full")
"""In the place of a victim and a signal."""
MOST_ROOM = 200_000
ALONE, WORKERS, AGENTS = ("driver", "group"), ("driver", "worker", "group"), VICTIMS


class Long(NamedTuple):
    """A command that takes long; RUN, OUT and TOP in it are folders."""

    words: str
    result: Callable[[Path], str]
    victims: tuple[str, ...] = AGENTS
    """The kinds of processes that it has."""
    good: tuple[int, ...] = (0,)
    """Exit codes that mean that it is through."""
    cold: bool = False
    """Whether all code is compiled anew."""
    played: bool = False
    """Whether RUN is a run that has been played."""
    typed: bool = False
    """Whether a person types answers."""


COMMANDS = {
    "run": Long("run TOP/x.yaml --out RUN --jobs 2 --no-report", rounds),
    "small": Long("run TOP/small.yaml --out RUN --no-report", rounds),
    "match": Long("run TOP/match.yaml --out RUN --jobs 2 --no-report", rounds),
    "dask": Long("run TOP/small.yaml --out RUN --jobs 2 --backend dask --no-report", rounds),
    "serve": Long("run TOP/small.yaml --out RUN --jobs 2 --serve 0 --no-report", rounds),
    "part": Long("run TOP/x.yaml --out RUN --jobs 2 --part 1/2 --no-report", rounds),
    "merge": Long("merge TOP/part-1/run TOP/part-2/run --out RUN", rounds, ALONE),
    "record": Long("record TOP/x.yaml --out OUT --jobs 2", recording),
    "report": Long("report TOP/whole/run --out OUT", names, ALONE),
    "board": Long("board build OUT --runs TOP/whole", names, ALONE),
    "gate": Long("gate TOP/x.gate.yaml --out OUT --jobs 2", verdict, WORKERS, (0, 1, 3)),
    "update": Long(
        "gate TOP/stored.gate.yaml --update --baseline OUT/stored.json --out OUT --jobs 2",
        baseline,
        WORKERS,
    ),
    "train": Long("train policy TOP/recipe.yaml --out OUT/model.npz --jobs 2", model, WORKERS),
    "cold": Long("run TOP/cold.yaml --out RUN --jobs 2 --no-report", rounds, cold=True),
    "audit": Long(f"audit RUN --jobs 2 {' '.join(AUDITED)}", audit, WORKERS, played=True),
    "solve": Long(
        "solve --set TOP/x.csv --nodes 2000 --out OUT/values.csv --jobs 2", files, WORKERS
    ),
    "suite-make": Long("suite make TOP/audited/run --size 3 --out OUT/x.jsonl", files, ALONE),
    "suite-run": Long(
        f"suite run klaverjas rule {PROGRAM}",
        nothing,
        ("driver", "agent", "group"),
    ),
    "play": Long(
        f"play --deals TOP/x.csv --rounds 5 --seed 1 --with {PROGRAM}",
        nothing,
        ("driver", "agent", "group"),
        typed=True,
    ),
}


class Trial(NamedTuple):
    """What is done to a command, and when."""

    command: str
    victim: str
    signals: str
    moment: float
    """As a share of the time that the command takes."""

    @property
    def room(self) -> int | None:
        """Bytes that a file may have, if the disk is full."""
        return int(self.moment * MOST_ROOM) if self.victim == "disk" else None

    def __str__(self) -> str:
        if self.room is not None:
            return f"{self.command}: room for files of {self.room} bytes"
        return f"{self.command}: {self.signals} to the {self.victim} after {self.moment:.0%}"


def drawn(rng: random.Random, commands: list[str]) -> Iterator[Trial]:
    """Trials without end: the commands in turn, each with all its victims and signals in turn."""
    left: dict[str, list[tuple[str, str]]] = {command: [] for command in commands}
    while True:
        for command, ways in left.items():
            if not ways:
                ways += [*itertools.product(COMMANDS[command].victims, SIGNALS), DISK]
                rng.shuffle(ways)
            yield Trial(command, *ways.pop(), rng.random())


def argv(command: str, folder: Path) -> list[str]:
    places = {"RUN": folder / "run", "OUT": folder / "out", "TOP": folder.parent}
    words = COMMANDS[command].words
    for name, place in places.items():
        words = words.replace(name, str(place))
    return [*ARENA, *shlex.split(words)]


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


def limit_files(room: int | None) -> None:
    if room is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))


def strike(trial: Trial, driver: subprocess.Popen[str], mark: str) -> bool:
    """Hit the victim, which is waited for; false if the command was through before."""
    if trial.room is not None:
        return True
    sought = {
        "worker": ("popen_loky", "spawn_main"),
        "agent": ("arena.process", "serve-agent"),
    }.get(trial.victim)
    victim, waited = driver.pid, False
    while sought is not None:
        if driver.poll() is not None:
            return False
        found = [pid for pid, line in processes(mark).items() if any(w in line for w in sought)]
        if found:
            victim = found[int(trial.moment * 1000) % len(found)]
            break
        waited = True
        time.sleep(0.1)
    if waited:
        time.sleep(trial.moment)
    if driver.poll() is not None:
        return False
    for name in trial.signals.split():
        with suppress(ProcessLookupError):
            (os.killpg if trial.victim == "group" else os.kill)(victim, signal.Signals[name])
        time.sleep(0.5 if " " in trial.signals else 0.0)
    return True


class Calm(NamedTuple):
    """What an undisturbed command leaves, and how long it takes."""

    result: str
    seconds: float

    @property
    def patience_s(self) -> float:
        return max(PATIENCE_S, 20 * self.seconds)


def environment_of(command: str, folder: Path) -> dict[str, str]:
    """The environment of a trial: its mark, its own temporary files."""
    temporary = folder / "temporary"
    temporary.mkdir(parents=True, exist_ok=True)
    found = {**os.environ, MARK: folder.name, "TMPDIR": str(temporary), "PYTHONFAULTHANDLER": "1"}
    return {**found, "ARENA_CACHE_DIR": str(folder / "cache")} if COMMANDS[command].cold else found


def ready(command: str, folder: Path) -> Callable[[], IO[str] | int]:
    """Make what a command starts from; what gives its standard input."""
    if COMMANDS[command].played and not (folder / "run").exists():
        shutil.copytree(folder.parent / "whole" / "run", folder / "run")
    typed = COMMANDS[command].typed
    return lambda: (folder.parent / "answers.txt").open() if typed else subprocess.DEVNULL


def undisturbed(command: str, folder: Path) -> Calm:
    words, environment = argv(command, folder), environment_of(command, folder)
    answers = ready(command, folder)
    begun = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env=environment, stdin=answers())
    seconds = time.monotonic() - begun
    assert done.returncode in COMMANDS[command].good, done.stderr
    return Calm(COMMANDS[command].result(folder), seconds)


MISSED = "missed"


def tried(trial: Trial, folder: Path, calm: Calm) -> str:
    """Do it, then go on to the end; what is wrong afterwards, or nothing."""
    command, environment = argv(trial.command, folder), environment_of(trial.command, folder)
    mark, temporary, answers = folder.name, folder / "temporary", ready(trial.command, folder)
    with subprocess.Popen(
        command,
        stdin=answers(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment,
        preexec_fn=partial(limit_files, trial.room),
    ) as process:
        time.sleep(trial.moment * calm.seconds if trial.room is None else 0.0)
        hit = strike(trial, process, mark)
        try:
            errors = process.communicate(timeout=calm.patience_s)[1]
        except subprocess.TimeoutExpired:
            return f"hangs:\n{_where(process, mark)}"
    if not hit:
        return MISSED
    if "Traceback" in errors:
        return f"a traceback:\n{errors[-2000:]}"
    if left := left_of(mark, temporary, calm, killed=process.returncode == -signal.SIGKILL):
        return left
    code, attempts = process.returncode, 0
    while code not in COMMANDS[trial.command].good:
        if attempts == 2:
            return f"does not go on: {code}\n{errors[-2000:]}"
        done = subprocess.run(
            command,
            stdin=answers(),
            capture_output=True,
            text=True,
            timeout=calm.patience_s,
            env=environment,
        )
        code, errors, attempts = done.returncode, done.stderr, attempts + 1
    if other := difference(calm.result, COMMANDS[trial.command].result(folder)):
        return f"another result: {other}"
    return left_of(mark, temporary, calm, killed=False)


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


def left_of(mark: str, temporary: Path, calm: Calm, *, killed: bool) -> str:
    """What is still running or lying around after a while; who is killed sweeps nothing."""
    until = time.monotonic() + calm.patience_s / 10
    while time.monotonic() < until:
        running = processes(mark)
        folders = [] if killed else [file.name for file in temporary.iterdir()]
        if not running and not folders:
            return ""
        time.sleep(0.2)
    return f"left behind: {list(running.values())} {folders}"


def prepare(top: Path) -> None:
    """What commands read: experiments, deals, a run, its audit and its parts."""
    for file, text in FILES.items():
        (top / file).write_text(text)
    words = ("--game", "klaverjas", "--count", "20", "--seed", "5")
    arena("deals", "make", *words, "--out", str(top / "x.csv"))
    run = ("run", str(top / "small.yaml"), "--no-report", "--quiet", "--out")
    arena(*run, str(top / "whole" / "run"))
    for part in (1, 2):
        arena(*run, str(top / f"part-{part}" / "run"), "--part", f"{part}/2")
    shutil.copytree(top / "whole" / "run", top / "audited" / "run")
    arena("audit", str(top / "audited" / "run"), *AUDITED, "--jobs", "1")


def campaign() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", type=int)
    parser.add_argument("--seed", default=f"{datetime.now(UTC):%Y-%m-%d}")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="N")
    parser.add_argument("--only", choices=COMMANDS, action="append")
    args = parser.parse_args()
    rng, commands = random.Random(args.seed), args.only or list(COMMANDS)
    rng.shuffle(commands)  # a short campaign is to try others every day
    print(f"seed {args.seed}", flush=True)
    failed = missed = 0
    calm: dict[str, Calm] = {}
    with tempfile.TemporaryDirectory(prefix="chaos-") as name:
        top = Path(name)
        prepare(top)
        trials = enumerate(itertools.islice(drawn(rng, commands), args.trials))
        for number, trial in itertools.islice(trials, args.first, None):
            if trial.command not in calm:
                calm[trial.command] = undisturbed(trial.command, top / f"calm-{trial.command}")
            for attempt in range(4):
                folder = top / f"{number}-{attempt}"
                wrong = tried(trial, folder, calm[trial.command])
                if wrong != MISSED:
                    break
                trial = trial._replace(moment=trial.moment / 3)
            print(f"{number}: {trial}: {wrong or 'nothing lost, nothing changed'}", flush=True)
            missed += wrong == MISSED
            failed += wrong not in ("", MISSED)
            if not wrong:
                shutil.rmtree(folder)
    print(f"{args.trials - args.first} trials, {missed} missed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(campaign())

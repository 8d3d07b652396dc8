"""What is fuzzed: for each kind of input, how one is made and which commands read it."""

from __future__ import annotations

import atexit
import contextlib
import gzip
import io
import json
import os
import random
import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
from mutate import mutated

from arena.cli import main
from arena.config.loader import load
from arena.core.agent import Player
from arena.core.deals import sidecar_of
from arena.core.errors import ArenaError
from arena.core.registry import AGENTS
from arena.games.klaverjas import Klaverjas
from arena.gate.baseline import read_baseline
from arena.gate.config import load_gate
from arena.gate.ledger import attempts
from arena.process.faults import AgentFault
from arena.process.messages import hello
from arena.process.serve import serve
from arena.store.records import checksum, numbers_checksum, plays_checksum
from arena.tournament.run import RunOptions
from arena.tournament.run import run as play
from arena.tournament.watcher import NullWatcher

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"
Target: TypeAlias = Callable[[Path, random.Random], list[Callable[[], int]]]


def command(*words: str) -> Callable[[], int]:
    return lambda: main(list(words))


@cache
def corpus(kind: str) -> list[Path]:
    return sorted((CORPUS / kind).iterdir())


# --- experiments -------------------------------------------------------------------------


@cache
def experiments() -> list[bytes]:
    shipped = sorted((ROOT / "configs").rglob("*.yaml"))
    return [file.read_bytes() for file in (*shipped, *corpus("configs"))]


def configs(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    text = rng.choice(experiments())
    text = _another_kind(text, rng) if rng.random() < 0.3 else text
    if rng.random() < 0.2:
        _included(folder, rng)
        text = b"include: " + rng.choice((b"a.yaml", b"[a.yaml, b.yaml]", b"x.yaml")) + b"\n" + text
    (folder / "x.yaml").write_bytes(text if rng.random() < 0.05 else mutated(text, rng))
    return [command("validate", "x.yaml")]


def _another_kind(text: bytes, rng: random.Random) -> bytes:
    """A list, a mapping or half a character where a word is expected."""
    values = list(re.finditer(rb"(?<=: )[\w.-]+", text))
    if not values:
        return text
    found = rng.choice(values)
    word = found[0]
    other = rng.choice(
        (b"[%b]" % word, b"{%b: 1}" % word, b"[]", b"{}", b'"\\uD800"', b"[[1], {a: b}]")
    )
    return text[: found.start()] + other + text[found.end() :]


def _included(folder: Path, rng: random.Random) -> None:
    """Files to include: good ones, broken ones, links in a circle and links to nowhere."""
    for name, other in (("a.yaml", "b.yaml"), ("b.yaml", "a.yaml")):
        how = rng.random()
        if how < 0.3:
            (folder / name).symlink_to(rng.choice((other, name, "nowhere", ".", "/etc/passwd")))
        elif how < 0.5:
            (folder / name).write_text(f"include: {other}\n")
        else:
            (folder / name).write_bytes(mutated(rng.choice(experiments()), rng))


# --- deals and records -------------------------------------------------------------------


@cache
def records() -> list[bytes]:
    found = []
    for file in sorted((ROOT / "tests" / "data").glob("*_rounds.jsonl.gz")):
        found += gzip.decompress(file.read_bytes()).split(b"\n")[:40]
    return [line for line in found if line]


@cache
def deal_sets() -> list[tuple[bytes, dict[str, object]]]:
    found = []
    for file in sorted((ROOT / "deals").glob("*-1000.csv")):
        lines = file.read_bytes().split(b"\n")[:6]
        found.append((b"\n".join(lines) + b"\n", json.loads(sidecar_of(file).read_bytes())))
    return found


def deals(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    import hashlib

    csv, meta = rng.choice(deal_sets())
    csv = mutated(csv, rng)
    meta = {**meta, "sha256": hashlib.sha256(csv).hexdigest()}
    sidecar = json.dumps(meta).encode()
    (folder / "set.csv").write_bytes(csv)
    (folder / "set.json").write_bytes(mutated(sidecar, rng) if rng.random() < 0.2 else sidecar)
    chosen = rng.choices(records(), k=2)
    if rng.random() < 0.4:
        chosen = [_with_options(line, rng) for line in chosen]
    lines = mutated(b"\n".join(chosen), rng) if rng.random() < 0.7 else b"\n".join(chosen)
    packed = rng.random() < 0.2
    (folder / "x.jsonl").write_bytes(mutated(gzip.compress(lines), rng) if packed else lines)
    return [
        command("deals", "check", "set.csv"),
        command("deals", "show", "set.csv"),
        command("deals", "import", "set.csv", "--out", "y.csv", "--game", str(meta["game"])),
        command("deals", "import", "x.jsonl", "--out", "z.csv"),
        command("verify", "x.jsonl"),
    ]


def _with_options(line: bytes, rng: random.Random) -> bytes:
    """A record that names its game and options as ours do, one of them unknown or misplaced."""
    record = json.loads(line)
    values = (1, "x", None, [], {}, [["x"]], {"a": 1}, True, 1e300)
    names = ("variant", "bidding", "passing", "jack", "undertrump", "foo", "game", "")
    options = {rng.choice(names): rng.choice(values) for _ in range(rng.choice((1, 2)))}
    games = ("klaverjas", "schieber", "hearts", ["hearts"], 3, None)
    changed = {"game": rng.choice(games), "options": rng.choice((options, [options], "x", None))}
    record.update(changed if rng.random() < 0.8 else {rng.choice(names) or "rules": options})
    return json.dumps(record).encode()


# --- models ------------------------------------------------------------------------------

WITH_MODEL = """name: x
game: {game}
deals: {{set: {deals}, limit: 1}}
agents: {{a: {{family: {family}, model: m.npz}}, b: {{family: random}}}}
"""
MODELS = {
    "agents/models/forest-rotterdam.npz": ("klaverjas", "klaverjas-given-1000", "forest"),
    "agents/policies/hearts.npz": ("hearts", "hearts-1000", "policy"),
    "agents/policies/klaverjas.npz": ("klaverjas", "klaverjas-given-1000", "policy"),
}


def models(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    name = rng.choice(list(MODELS))
    game, deal_set, family = MODELS[name]
    (folder / "x.yaml").write_text(WITH_MODEL.format(game=game, deals=deal_set, family=family))
    content = (ROOT / name).read_bytes()
    (folder / "m.npz").write_bytes(_repacked(content, rng) if rng.random() < 0.7 else b"")
    if rng.random() < 0.4:
        data = bytearray((folder / "m.npz").read_bytes() or content)
        for _ in range(rng.choice((1, 3, 20))):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        (folder / "m.npz").write_bytes(bytes(data[: rng.choice((len(data), len(data) // 2))]))
    return [command("validate", "x.yaml")]


def _repacked(content: bytes, rng: random.Random) -> bytes:
    """The same archive with other members, packed in other ways."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for member in old.namelist():
            data, how = old.read(member), rng.random()
            packing = zipfile.ZIP_DEFLATED
            if how < 0.1:
                continue
            if how < 0.3:
                data = mutated(data[:4096], rng) + data[4096:]
            elif how < 0.4:
                member = member.removesuffix(".npy")
            elif how < 0.5:
                packing = rng.choice((zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2))
            elif how < 0.6:
                other = io.BytesIO()
                shape = rng.choice(((), (0,), (3,), (2, 2), (100_000,)))
                kind = rng.choice(("f8", "i4", "U5", "f4", "u1", "?", "V8"))
                np.save(other, np.zeros(shape, kind))
                data = other.getvalue()
            new.writestr(zipfile.ZipInfo(member), data, packing)
    return out.getvalue()


# --- run folders -------------------------------------------------------------------------


@cache
def a_run() -> Path:
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="arena-fuzz-run-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "x.yaml").write_text(
        "name: x\ngame: klaverjas\ndeals: {set: klaverjas-given-1000, limit: 3}\n"
        "agents: {a: {family: random}, b: {family: semi-random}, c: {family: random}}\n"
    )
    play(load(folder / "x.yaml"), folder / "run", RunOptions(jobs=1), NullWatcher())
    return folder / "run"


def runs(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    shutil.copytree(a_run(), folder / "run")
    file = folder / "run" / rng.choice(("manifest.json", "results.sqlite", "results.sqlite",
                                        "config.resolved.yaml"))  # fmt: skip
    if rng.random() < 0.15:
        return _with_links(folder, rng)
    if file.name == "results.sqlite" and rng.random() < 0.6:
        _change_a_value(file, rng)
    elif file.name != "results.sqlite" and rng.random() < 0.4:
        file.write_bytes(_other_numbers(file.read_bytes(), rng))
    else:
        file.write_bytes(mutated(file.read_bytes(), rng))
    read = (
        *(("status",), ("verify",), ("ratings",), ("compare", "a", "b")),
        *(("replay", "klaverjas-given-0001"), ("export", "--output", "x.csv")),
        ("export", "--format", "jsonl", "--output", "x.jsonl"),
        *(("compare-runs", "run"), ("luck", "a", "b"), ("compare", "a", "b", "--next", "10")),
    )
    chosen = rng.sample(read, 2)
    if rng.random() < 0.05:
        chosen[0] = rng.choice((("report",), ("audit", "--jobs", "1"), ("plan", "--detect", "5")))
    return [command(name, "run", *more) for name, *more in chosen]


NUMBERS = (0, -1, 1, 10**6, 10**9, 2**31, 2**63 - 1, -(2**63), 10**30, 1e308, 5e-324, 0.5)


def _other_numbers(text: bytes, rng: random.Random) -> bytes:
    """Sizes, counts and seeds that no run has."""
    found = rng.choice(list(re.finditer(rb"(?<=[ :\[])-?\d+(\.\d+)?(?=[\s,}\]])", text)))
    return text[: found.start()] + repr(rng.choice(NUMBERS)).encode() + text[found.end() :]


def _with_links(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    """A run folder made by a stranger: nothing may be written to where its links point."""
    outside = folder.parent / f"{folder.name}-outside"
    atexit.register(shutil.rmtree, outside, ignore_errors=True)
    (outside / "tables").mkdir(parents=True, exist_ok=True)
    names = ["tables", "figures", "models", "log.txt", "lock", "lock.holder", "report.html"]
    name = rng.choice([*names, "report.json", "standings.txt", "results.sqlite-wal"])
    place = folder / "run" / name
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.symlink_to(outside / ("tables" if "." not in name else name))
    return [command("report", "run"), command("run", "run")]


def _change_a_value(file: Path, rng: random.Random) -> None:
    """Another value of another type, often with checksums that fit it: as a forger would."""
    connection = sqlite3.connect(file)
    table = rng.choice(("units", "deals", "pairings"))
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    values = (None, -1, 10**15, 1.5, float("inf"), "", "x", "1 2 3", "H7", b"", b"\xff" * 40,
              2**63 - 1, -(2**63), 1e308, 5e-324, b"\x7f" * 10_000, "9" * 5000)  # fmt: skip
    with connection:
        where = " WHERE rowid % 2 = 0" if table == "pairings" else ""
        with contextlib.suppress(sqlite3.IntegrityError):
            column = rng.choice(columns)
            (old,) = connection.execute(f"SELECT {column} FROM {table}").fetchone()
            damaged = isinstance(old, bytes) and rng.random() < 0.6
            value = mutated(old, rng) if damaged else rng.choice(values)
            if isinstance(old, bytes) and old and rng.random() < 0.3:  # numbers of the same length
                value = rng.choice((b"\x7f", b"\xff", b"\x80", b"\0", b"\x01")) * len(old)
            connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ?{where}", (value,))
        if rng.random() < 0.7:
            with contextlib.suppress(TypeError, ValueError):  # no checksum fits such a value
                _forge_checksums(connection, table)
    connection.close()


def _forge_checksums(connection: sqlite3.Connection, table: str) -> None:
    if table == "deals":
        for row in connection.execute("SELECT id, cards FROM deals").fetchall():
            change = "UPDATE deals SET checksum = ? WHERE id = ?"
            connection.execute(change, (checksum(row), row[0]))
    elif table == "units":
        numbers = "pairing, unit, numbers, flags, deals, faults"
        plays = "plays, times"
        for row in connection.execute(f"SELECT {numbers}, {plays} FROM units").fetchall():
            change = (
                "UPDATE units SET checksum = ?, plays_checksum = ? WHERE (pairing, unit) = (?, ?)"
            )
            found = numbers_checksum(*row[:6]), plays_checksum(*row[6:])
            connection.execute(change, (*found, *row[:2]))


# --- gates -------------------------------------------------------------------------------


def gates(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    """A gate, its baseline and its ledger, each as a merge or a full disk would leave it."""
    file = rng.choice(sorted((ROOT / "configs" / "gates").glob("*.gate.yaml")))
    stored = rng.choice(sorted((ROOT / "configs" / "gates" / "baselines").glob("*.json")))
    row = {"gate": "g", "deals_sha256": "0" * 64, "verdict": "pass"}
    ledger = b"".join(json.dumps({**row, "n": n}).encode() + b"\n" for n in range(3))
    (folder / "g.gate.yaml").write_bytes(mutated(_another_kind(file.read_bytes(), rng), rng))
    (folder / "baseline.json").write_bytes(mutated(stored.read_bytes(), rng))
    odd = b"".join(
        rng.choice((b"[]\n", b"3\n", b'{"gate": []}\n', b"null\n", b"")) for _ in range(2)
    )
    (folder / "ledger.jsonl").write_bytes(mutated(ledger + odd, rng))
    return [
        refused(lambda: load_gate(folder / "g.gate.yaml")),
        refused(lambda: read_baseline(folder / "baseline.json")),
        refused(lambda: attempts(folder / "ledger.jsonl", "g", "0" * 64)),
    ]


def refused(call: Callable[[], object]) -> Callable[[], int]:
    """A call that may refuse its input in words of ours."""

    def tried() -> int:
        with contextlib.suppress(ArenaError):
            call()
        return 0

    return tried


# --- the command line --------------------------------------------------------------------

NAMED = ("status", "verify", "ratings", "compare", "replay", "export", "report", "deals", "plan",
         "validate", "explain", "list", "schema", "solve", "new")  # fmt: skip
WORDS = ("run", "x.yaml", "a", "b", "agent", "show", "check", "make", "--game", "klaverjas",
         "--out", "--jobs", "--seed", "--json", "--", "-1", "0" * 5000, "9" * 40, "x" * 300, "a\0b",
         "\udcff", "../x", "/dev/null", ".", "", "=", "--option", "a=b", "\x1b[2J")  # fmt: skip


def words(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    return [command(rng.choice(NAMED), *rng.choices(WORDS, k=rng.randrange(5))) for _ in range(3)]


# --- the protocol ------------------------------------------------------------------------


@cache
def said_to_an_agent() -> list[bytes]:
    return (CORPUS / "protocol" / "to-agent.jsonl").read_bytes().splitlines()


@cache
def said_by_an_agent() -> list[bytes]:
    return (CORPUS / "protocol" / "from-agent.jsonl").read_bytes().splitlines()


def protocol(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    lines = [mutated(line, rng).replace(b"\n", b" ") if rng.random() < 0.5 else line
             for line in said_to_an_agent()]  # fmt: skip
    if rng.random() < 0.7:
        lines[0] = hello(Klaverjas()).encode()

    def serves() -> int:
        answers = os.open(os.devnull, os.O_WRONLY)
        try:
            build = lambda rules: Player(AGENTS.get("random")())  # noqa: E731
            serve(build, io.BytesIO(b"\n".join(lines)), answers)
        finally:
            os.close(answers)
        return 0

    return [serves, lambda: _heard(mutated(rng.choice(said_by_an_agent()), rng))]


class _Says:
    """A process that has said one line."""

    has_said_more, half_a_line = False, b""

    def __init__(self, line: bytes) -> None:
        self.line = line

    def send(self, data: bytes, until: float | None) -> None: ...

    def receive(self, until: float | None) -> bytes:
        return self.line

    def end(self, *words: bytes) -> None: ...


def _heard(line: bytes) -> int:
    """What arena makes of a line: an action, or a fault of the agent's."""
    from arena.core.codec import ViewCodec
    from arena.core.seeds import Rng, rng_for
    from arena.process.client import Seated
    from arena.process.limits import Limits

    rules = Klaverjas()
    state = rules.start(rules.random_deal(rng_for(1), 0))
    seated = Seated(None, Limits())  # type: ignore[arg-type]
    seated.child, seated._codec = _Says(line), ViewCodec(rules)  # type: ignore[assignment]
    seated._fresh = False
    with contextlib.suppress(AgentFault, ArenaError):
        seated.act(rules.view(state, state.turn or 0), Rng(1))
    return 0


TARGETS: dict[str, Target] = {
    "configs": configs,
    "deals": deals,
    "models": models,
    "runs": runs,
    "gates": gates,
    "words": words,
    "protocol": protocol,
}

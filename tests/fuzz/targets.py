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
from zlib import crc32

import numpy as np
from mutate import mutated
from options import options
from positions import advise, play, solve, suites
from results import boards, merges, results
from samples import (
    CORPUS,
    ROOT,
    Target,
    a_run,
    add_a_program,
    command,
    corpus,
    damage,
    deal_sets,
    records,
)
from tables import tables
from talks import talks

from arena.cli.commands.train import TRAINERS
from arena.config.recipe import read_recipe
from arena.config.strict_yaml import read
from arena.core.agent import Player
from arena.core.errors import ArenaError
from arena.core.registry import AGENTS
from arena.games.klaverjas import Klaverjas
from arena.gate.baseline import read_baseline
from arena.gate.config import load_gate
from arena.gate.ledger import attempts
from arena.process.faults import AgentFault
from arena.process.messages import hello
from arena.process.serve import serve

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


# --- recipes -----------------------------------------------------------------------------


def recipes(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    """A recipe for training, read and not trained."""
    files = [
        *(ROOT / "agents" / "policies").glob("*.yaml"),
        *(ROOT / "agents/models").glob("*.yaml"),
    ]
    text = rng.choice(sorted(files)).read_bytes()
    text = _another_kind(text, rng) if rng.random() < 0.5 else text
    (folder / "x.yaml").write_bytes(mutated(text, rng) if rng.random() < 0.8 else text)
    family = TRAINERS.get(rng.choice(("policy", "policy", "forest", "value", "seat", "trump")))
    return [refused(lambda: read_recipe(family, read(folder / "x.yaml")))]


# --- deals and records -------------------------------------------------------------------


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


def runs(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    shutil.copytree(a_run(), folder / "run")
    if rng.random() < 0.15:
        return _with_links(folder, rng)
    if rng.random() < 0.15:
        return _with_an_audit(folder / "run" / "audit.sqlite", rng)
    damage(folder / "run", rng)
    read = (
        *(("status",), ("verify",), ("ratings",), ("compare", "a", "b")),
        *(("replay", "klaverjas-given-0001"), ("export", "--output", "x.csv")),
        ("export", "--format", "jsonl", "--output", "x.jsonl"),
        *(("compare-runs", "run"), ("luck", "a", "b"), ("compare", "a", "b", "--next", "10")),
    )
    chosen = rng.sample(read, 2)
    if rng.random() < 0.05:
        chosen[0] = rng.choice((("report",), AUDIT, ("plan", "--detect", "5")))
    return [command(name, "run", *more) for name, *more in chosen]


AUDIT = ("audit", "--deals", "1", "--worlds", "4", "--jobs", "1")


def _with_an_audit(file: Path, rng: random.Random) -> list[Callable[[], int]]:
    """A stored audit of which something is changed, often with a checksum that fits it."""
    if rng.random() < 0.3:
        file.write_bytes(mutated(file.read_bytes(), rng))
    elif rng.random() < 0.1:
        add_a_program(file, rng)
    else:
        with contextlib.closing(sqlite3.connect(file)) as database, database:
            (key, text) = database.execute("SELECT key, audit FROM rounds").fetchone()
            audit = mutated(text.encode(), rng).decode(errors="surrogateescape")
            audit = audit.encode(errors="replace").decode()
            row = audit, crc32(f"{key}{audit}".encode()), key
            database.execute("UPDATE rounds SET audit = ?, checksum = ? WHERE key = ?", row)
    last = (AUDIT, AUDIT, AUDIT, ("suite", "make"), ("report",))
    name, *more = rng.choices(last, (6, 6, 6, 1, 1))[0]
    words = ("suite", "make", "run", "--size", "1") if name == "suite" else (name, "run", *more)
    return [command(*words)]


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
         "validate", "explain", "list", "schema", "solve", "new", "luck", "audit", "suite", "merge",
         "compare-runs", "completion", "board", "record", "train", "gate")  # fmt: skip
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

    half_a_line = b""

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
    "suites": suites,
    "solve": solve,
    "play": play,
    "results": results,
    "merges": merges,
    "options": options,
    "advise": advise,
    "recipes": recipes,
    "boards": boards,
    "talks": talks,
    "tables": tables,
}

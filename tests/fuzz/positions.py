"""Inputs about positions: suites, pasted records, sets that are half solved, what people type."""

from __future__ import annotations

import io
import json
import random
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from mutate import mutated
from samples import ROOT, command, deal_sets, records

from arena.cli import main

__all__ = ["advise", "play", "solve", "suites"]


@cache
def bundled_suites() -> list[list[bytes]]:
    """The first lines of each, after the one that says what it is."""
    files = sorted((ROOT / "deals" / "suites").glob("*.jsonl"))
    return [file.read_bytes().splitlines()[:9] for file in files]


def suites(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    head, *lines = rng.choice(bundled_suites())
    text = b"\n".join([head, *rng.sample(lines, 3), b""])
    if rng.random() < 0.4:
        text = _other_values(text, rng)
    (folder / "x.suite.jsonl").write_bytes(mutated(text, rng) if rng.random() < 0.8 else text)
    (folder / "x.json").write_bytes(mutated(rng.choice(records()), rng))
    links = ("run/report.html#deal=x&step=1", "#", "x.html#deal=&step=" + "9" * 30, "run#step=0")
    added = rng.choice(
        (
            ("--record", "x.json", "--at", rng.choice(("30", "31", "-1", "99"))),
            ("--replay", rng.choice(links)),
            ("--deal", "klaverjas-given-1000", "17", "--after", _cards(rng)),
        )
    )
    return [
        command("suite", "show", "x.suite.jsonl"),
        command("suite", "run", "x.suite.jsonl", "random", "semi-random"),
        *([command("suite", "add", "x.suite.jsonl", *added)] if rng.random() < 0.1 else []),
    ]


def _other_values(text: bytes, rng: random.Random) -> bytes:
    """A value of another type for some key, at any depth."""
    lines = text.splitlines()
    at = rng.randrange(len(lines))
    try:
        record = json.loads(lines[at])
    except ValueError:
        return text
    place = record
    while True:
        key = rng.choice(list(place))
        if not (isinstance(place[key], dict) and place[key] and rng.random() < 0.7):
            break
        place = place[key]
    values = (None, 1, -1.5, 1e308, float("nan"), "x", "", [], {}, [1], ["H7"], {"H7": "x"}, True)
    place[key] = rng.choice(values)
    lines[at] = json.dumps(record).encode()
    return b"\n".join([*lines, b""])


def _cards(rng: random.Random) -> str:
    words = ("H7", "SA", "DJ", "CT", "h7", "pass", "X1", "", "\0x"[1:], "♥7", "H7H7", "9" * 300)
    return " ".join(rng.choices(words, k=rng.randrange(5)))


def solve(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    """A pasted record, changed; and a set of which a part is solved and stored."""
    line = rng.choice(records())
    (folder / "x.json").write_bytes(mutated(line, rng) if rng.random() < 0.8 else line)
    options = rng.choice(
        (
            *((), ("--after", _cards(rng)), ("--trump", rng.choice(("H", "x", "", "none")))),
            *(("--declarer", rng.choice(("N", "Q"))), ("--game", "hearts"), ("--seconds", "1e-9")),
            ("--option", rng.choice(("bidding=classical", "x", "=", "variant=amsterdam"))),
        )
    )
    runs = [command("solve", "x.json", "--nodes", "20", *options)]
    if rng.random() < 0.5:
        csv, meta = rng.choice(deal_sets())
        csv = b"\n".join(csv.split(b"\n")[:2]) + b"\n"
        (folder / "set.csv").write_bytes(csv)
        (folder / "set.json").write_text(json.dumps(meta))
        import hashlib

        (folder / "set.json").write_text(
            json.dumps({**meta, "sha256": hashlib.sha256(csv).hexdigest(), "count": 1})
        )
        words = ("solve", "--set", "set.csv", "--out", "v.csv", "--nodes", "5", "--jobs", "1")
        runs += [lambda: _half_solved(folder, words, rng), command(*words)]
    return runs


def _half_solved(folder: Path, words: tuple[str, ...], rng: random.Random) -> int:
    """Solve, then leave a damaged file such as a killed call leaves."""
    from arena.api import solved_sets

    before = solved_sets.write_atomically
    solved_sets.write_atomically = _full_disk
    try:
        code = main(list(words))
    finally:
        solved_sets.write_atomically = before
    part = folder / "v.csv.part"
    if part.exists():
        head, _, rest = part.read_bytes().partition(b"\n")
        whole = mutated(rest or b"x", rng) if rng.random() < 0.8 else mutated(head, rng)
        part.write_bytes(head + b"\n" + whole)
    return code


def _full_disk(path: Path, data: str | bytes) -> None:
    raise OSError(28, "No space left on device", str(path))


TYPED = ("1", "2", "3", "9", "h7", "pass", "", "h", "u", "s", "?", "q", "x" * 500, "\x1b[2J", "-1",
         "0", "♥7", "99999999999999999999", "H7 SA", "\udcff", "n")  # fmt: skip


def play(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    """A person who types anything, at tables of all games."""
    seldom = ("c",) if rng.random() < 0.03 else ()
    likely = rng.choice((0, 4, 40))
    typed = rng.choices((*TYPED, *seldom, *("1",) * likely), k=rng.choice((5, 20, 60)))
    game = rng.choice(("klaverjas", "schieber", "hearts"))
    words = ["play", game, "--seed", str(rng.randrange(100)), "--with", "random"]
    words += rng.choice(
        (
            *([], ["--seat", rng.choice(("N", "e", "X", ""))]),
            *(["--option", rng.choice(("bidding=classical", "x=1", "variant=amsterdam"))],),
            *(["--adviser", rng.choice(("rule", "rul", "{family: [", "{}"))],),
        )
    )

    return [lambda: typing(words, typed)]


def typing(words: list[str], typed: list[str]) -> int:
    """A command of a person who types these lines."""
    before, sys.stdin = sys.stdin, io.StringIO("".join(f"{line}\n" for line in typed))
    try:
        return main(words)
    finally:
        sys.stdin = before


HANDS = {
    "klaverjas": "CJ C9 CA H7 H8 D7 S7 ST",
    "schieber": "CJ C9 CA H7 H8 D7 S7 ST S6",
    "hearts": "C2 C9 CA H7 H8 D7 S7 ST SQ S2 D2 D3 D4",
}


def advise(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    """A round at a real table as somebody types it, often cards of the game, often anything."""
    game = rng.choice(list(HANDS))
    words = ["advise", game, "--agent", "random"]
    if rng.random() < 0.8:
        words += ["--hand", HANDS[game] if rng.random() < 0.8 else _cards(rng)]
    facts = {"--trump": "H", "--declarer": "N", "--leader": "N", "--dealer": "W", "--seat": "E"}
    for option, value in facts.items():
        if rng.random() < 0.4:
            words += [option, value if rng.random() < 0.8 else rng.choice(TYPED)]
    more = ("bidding=classical", "passing=left", "passing=across", "weis=true", "variant=amsterdam")
    words += ["--option", rng.choice(more)] if rng.random() < 0.4 else []
    cards = [suit + rank for suit in "CDHS" for rank in "23456789TJQKA"]
    others = (*TYPED, "a", "trump-H", "N H6 H7 H8", "C D H S", "clubs", "U", "N")
    likely = rng.choice((0, 3, 30))
    return [lambda: typing(words, rng.choices([*others, *cards * likely], k=80))]

"""Inputs about results: tables of scores from elsewhere, and parts of runs to merge."""

from __future__ import annotations

import contextlib
import io
import random
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from mutate import mutated
from samples import a_run, command, damage

from arena.cli import main

__all__ = ["boards", "merges", "results"]


@cache
def tables() -> list[bytes]:
    """A long file, one of pairs, and a wide one."""
    rng = random.Random(1)
    agents = ("small", "large", "other")
    scores = {(unit, agent): rng.gauss(0, 1) for unit in range(12) for agent in agents}
    long = [f"{unit},{agent},{score:.3f}" for (unit, agent), score in scores.items()]
    repeated = [f"{line},{seed}" for line in long for seed in (1, 2)]
    pairs = [
        f"{unit},{one},{other},{scores[unit, one] - scores[unit, other]:.3f}"
        for unit in range(12)
        for one, other in (("small", "large"), ("large", "other"))
    ]
    wide = [",".join([str(u), *(f"{scores[u, a]:.3f}" for a in agents)]) for u in range(12)]
    heads = "unit,agent,score", "unit,agent,score,seed", "unit,agent,opponent,score"
    bodies = (long, repeated, pairs, wide)
    return [
        "\n".join([head, *body, ""]).encode()
        for head, body in zip((*heads, ",".join(("unit", *agents))), bodies, strict=True)
    ]


CELLS = (b"nan", b"inf", b"-inf", b"1e308", b"-1e308", b"", b'"a,b"', b"1e-320", b"true", b"50%",
         b"1,5", b"=1+1", b"<b>x</b>", b"0", b"large", b"\xff", b"small ")  # fmt: skip


def results(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    text = rng.choice(tables())
    rows = [line.split(b",") for line in text.splitlines()]
    for _ in range(rng.choice((0, 1, 3, 40))):
        row = rng.choice(rows)
        row[rng.randrange(len(row))] = rng.choice(CELLS)
    text = b"\n".join(b",".join(row) for row in rows[: rng.choice((2, 3, 6, 99))]) + b"\n"
    text = mutated(text, rng) if rng.random() < 0.6 else text
    name = "x.csv"
    if rng.random() < 0.1:
        name, text = "x.parquet", _as_parquet(text, rng)
    (folder / name).write_bytes(text)
    columns = ("unit", "agent", "score", "opponent", "seed", "odd", "")
    options: list[str] = []
    for option in ("--unit", "--agent", "--score", "--opponent", "--repeat"):
        if rng.random() < 0.25:
            options += [option, rng.choice(columns)]
    options += [flag for flag in ("--percent", "--lower-is-better") if rng.random() < 0.2]
    pair = rng.choice(((), ("large", "small"), ("large", "nobody")))
    runs = [command("compare", name, *pair, *options)]
    if rng.random() < 0.01:
        runs.append(command("report", name, "--out", "r", *options))
    return runs


def _as_parquet(text: bytes, rng: random.Random) -> bytes:
    import pandas as pd

    try:
        table = pd.read_csv(io.BytesIO(text))
        out = io.BytesIO()
        table.to_parquet(out)
    except Exception:  # no table at all
        return text
    return mutated(out.getvalue(), rng) if rng.random() < 0.7 else out.getvalue()


def merges(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    """Two parts of a run, one of them damaged or of another experiment; and what they make."""
    for part in (1, 2):
        shutil.copytree(a_run(f"{part}/2"), folder / f"part-{part}")
    chosen = folder / f"part-{rng.choice((1, 2))}"
    if rng.random() < 0.1:
        shutil.rmtree(chosen)
        shutil.copytree(a_run("1/2", seed=2), chosen)
    else:
        damage(chosen, rng)
    parts = ["part-1", "part-2"]
    rng.shuffle(parts)
    parts = rng.choice((parts, parts[:1], [*parts, parts[0]]))
    again = ["merge", *parts, "--out", "whole", "--no-report"]
    last = rng.choice((["status", "whole"], ["verify", "whole"], again))
    out = rng.choice(("whole", "whole", "whole", parts[0]))
    return [command("merge", *parts, "--out", out, "--no-report"), command(*last)]


@cache
def a_site() -> Path:
    """The leaderboard of a run as a site, with what is kept of it."""
    site = a_run().parent / "site"
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["board", "build", str(site), "--runs", str(a_run().parent)]) == 0
    return site


def boards(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    """Two runs, one of them damaged, and a site that knows one of them, damaged as well."""
    shutil.copytree(a_run(), folder / "runs" / "one")
    shutil.copytree(a_run(seed=2), folder / "runs" / "two")
    if rng.random() < 0.7:
        damage(folder / "runs" / rng.choice(("one", "two")), rng)
    kept = folder / "site" / "ratings.json"
    if rng.random() > 0.1:
        return [command("board", "--runs", "runs", *rng.choice(((), ("--game", "klaverjas"))))]
    shutil.copytree(a_site(), folder / "site")
    text = kept.read_bytes()
    deep = b'{"format": ' + b"[" * 100_000
    kept.write_bytes(rng.choice((mutated(text, rng), mutated(text, rng), mutated(text, rng), deep)))
    return [command("board", "build", "site", "--runs", "runs")]

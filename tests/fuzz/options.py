"""Inputs on the command line: every option of the commands that neither serve nor measure."""

from __future__ import annotations

import argparse
import random
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from positions import typing
from samples import EXPERIMENT, ROOT, a_run

from arena.cli import Parser, command

__all__ = ["options"]

RUN = ("run",)
ASKED: dict[str, tuple[tuple[str, ...], ...]] = {
    "advise": (("klaverjas",), ("schieber",), ("hearts",)),
    "audit": (("run", "--deals", "1", "--worlds", "4", "--jobs", "1"),),
    "board": (("--runs", "."), ("build", "site", "--runs", ".")),
    "compare": (("run", "a", "b"), ("run", "a"), RUN),
    "compare-runs": (RUN, ("run", "run")),
    "deals": (
        *(("make",), ("make", "--game", "hearts", "--out", "y.csv", "--seed", "1")),
        *(("show", "set.csv"), ("check", "set.csv"), ("import", "set.csv", "--out", "y.csv")),
    ),
    "demo": (("klaverjas",), ("schieber",), ("hearts",), ()),
    "explain": (("run", "klaverjas-given-0001"),),
    "export": (RUN,),
    "list": (("agents",), ("games",), ("deals",)),
    "luck": (("run", "a", "b"),),
    "merge": (("run", "--out", "whole"),),
    "plan": (("x.yaml", "--detect", "5", "--from", "run"), ("x.yaml", "--from", "run")),
    "ratings": (RUN,),
    "replay": (RUN, ("run", "klaverjas-given-0001")),
    "schema": (("experiment",), ("view",), ()),
    "solve": (("--set", "set.csv", "--nodes", "5", "--jobs", "1"), ("set.csv", "--nodes", "5")),
    "status": (RUN,),
    "suite": (
        *(("make", "run", "--size", "1"), ("show", "x.jsonl"), ("run", "x.jsonl", "random")),
        *(("add", "x.jsonl", "--deal", "set.csv", "1"), ("export", "x.jsonl", "--tasks")),
    ),
    "validate": (("x.yaml",),),
    "verify": (RUN,),
}
"""The commands, and ways to give them what they need."""
HEAVY = ("--jobs", "--backend", "--seconds", "--rounds", "--count", "--pilot", "--html")
ODD = ("0", "-1", "1", "2", "1e400", "nan", "inf", "-0.0", "1e-320", "9" * 30, "9" * 5000, "0x1",
       "1_000", "٣", "", " ", "x", "a", "b", "N", "H7", "all", "x" * 300, "../x", "/dev/null", ".",
       "run", "x.yaml", "set.csv", "a=b", "=", "bidding=classical", "agents.a.family=rule",
       "deals.limit=-1", "deals.limit=[", "seed=1e9", "{family: ismcts, c: 0.5}", "{", "[]",
       "\udcff", "\x1b[2J", "klaverjas-given-0001", "hearts", "20%", "0.5", "1/2",
       "3/2")  # fmt: skip


@cache
def flags(name: str, words: tuple[str, ...]) -> list[tuple[str, int]]:
    """The options of a command (of its subcommand), each with how many words follow it."""
    parser: argparse.ArgumentParser = Parser(f"arena {name}")
    command(name).add_arguments(parser)
    for action in parser._actions:
        if (
            isinstance(action, argparse._SubParsersAction)
            and words[:1]
            and words[0] in action.choices
        ):
            parser = action.choices[words[0]]
    found = []
    for action in parser._actions:
        for flag in action.option_strings[-1:]:
            if flag not in ("--help", *HEAVY):
                many = {"+": 2, "*": 2, "?": 1, None: 1}.get(action.nargs, action.nargs)
                found.append((flag, many if isinstance(many, int) else 1))
    return found


def options(folder: Path, rng: random.Random) -> list[Callable[[], int]]:
    shutil.copytree(a_run(), folder / "run")
    (folder / "x.yaml").write_text(EXPERIMENT.replace("SEED", "1"))
    for ending in ("csv", "json"):
        shutil.copy(ROOT / "deals" / f"klaverjas-given-1000.{ending}", folder / f"set.{ending}")
    suite = (ROOT / "deals" / "suites" / "klaverjas.suite.jsonl").read_bytes().split(b"\n")[:4]
    (folder / "x.jsonl").write_bytes(b"\n".join([*suite, b""]))
    name = rng.choice(list(ASKED))
    begin = rng.choice(ASKED[name])
    words = list(begin)
    known = flags(name, begin)
    for flag, count in rng.sample(known, min(len(known), rng.choice((1, 1, 2, 3)))):
        words += [flag, *rng.choices(ODD, k=count)]
    if words and rng.random() < 0.15:
        words[rng.randrange(len(words))] = rng.choice(ODD)

    return [lambda: typing([name, *words], rng.choices(ODD, k=9))]

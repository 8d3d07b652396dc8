"""Measure how fast things are on this machine.

Topics: arena, flat-mc, kernel, search. Each prints its figures; what they mean and
what is aimed at stands at the top of `arena/bench/<topic>.py`. With --against (kernel),
a command that prints the rounds per second of another kernel is run in turns with ours.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Callable

from arena.errors import ArenaError, did_you_mean

__all__ = ["TOPICS", "add_arguments", "run"]

TOPICS = {
    "arena": "arena.bench.arena_",
    "flat-mc": "arena.bench.flat_mc",
    "kernel": "arena.bench.kernel",
    "search": "arena.bench.search",
}
"""Each topic's module, which has a function `measure(...) -> dict[str, float]`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The topic, the form of the output, and what to compare with."""
    parser.add_argument("topic", help=", ".join(TOPICS))
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--against", metavar="CMD", help="kernel: a command that prints another kernel's rounds/s"
    )


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    if args.topic not in TOPICS:
        raise ArenaError(f"unknown topic {args.topic!r}; {did_you_mean(args.topic, TOPICS)}")
    if args.against is not None and args.topic != "kernel":
        raise ArenaError("--against goes with the topic kernel only")
    measure: Callable[..., dict[str, float]] = importlib.import_module(TOPICS[args.topic]).measure
    figures = measure() if args.against is None else measure(against=args.against)
    if args.json:
        print(json.dumps({name: round(value, 4) for name, value in figures.items()}, indent=2))
    else:
        width = max(map(len, figures))
        for name, value in figures.items():
            print(f"{name:{width}}  {_for_people(value):>14}")
    return 0


def _for_people(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.2f}"

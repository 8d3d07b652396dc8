"""Measure how fast things are on this machine.

Each topic prints its figures; what they mean and what is aimed at stands at the top of
its module in `arena/bench`. With --against (topic kernel), a command that prints the
rounds per second of another kernel is run in turns with ours.

Examples:
  arena bench kernel
  arena bench search --json
"""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
from collections.abc import Callable
from types import ModuleType

from arena import bench
from arena.errors import ArenaError, did_you_mean

__all__ = ["add_arguments", "run", "topics"]


def topics() -> dict[str, str]:
    """The name of each topic and its module, which has `measure(...) -> dict[str, float]`."""
    modules = (found.name for found in pkgutil.iter_modules(bench.__path__))
    return {name.strip("_").replace("_", "-"): name for name in modules}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The topic, the form of the output, and what to compare with."""
    parser.add_argument(
        "topic", nargs="?", help=f"{', '.join(sorted(topics()))}; all of them if none is named"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--against", metavar="CMD", help="kernel: a command that prints another kernel's rounds/s"
    )


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    modules = topics()
    if args.topic is not None and args.topic not in modules:
        raise ArenaError(f"unknown topic {args.topic!r}; {did_you_mean(args.topic, modules)}")
    if args.against is not None and args.topic != "kernel":
        raise ArenaError("--against goes with the topic kernel only")
    figures: dict[str, float] = {}
    for topic in modules if args.topic is None else [args.topic]:
        module = importlib.import_module(f"{bench.__name__}.{modules[topic]}")
        measure: Callable[..., dict[str, float]] = module.measure
        found = measure() if args.against is None else measure(against=args.against)
        figures |= found
        if not args.json:
            _show(found)
            _say_what_is_left_out(module)
    if args.json:
        print(json.dumps({name: round(value, 4) for name, value in figures.items()}, indent=2))
    return 0


def _show(figures: dict[str, float]) -> None:
    width = max(map(len, figures))
    for name, value in figures.items():
        print(f"{name:{width}}  {_for_people(value):>14}", flush=True)


def _say_what_is_left_out(module: ModuleType) -> None:
    """A topic that cannot measure everything everywhere has `left_out() -> str | None`."""
    words = module.left_out() if hasattr(module, "left_out") else None
    if words:
        print(words, flush=True)


def _for_people(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.2f}"

"""Measure how fast things are on this machine.

Each topic prints its figures; what they mean and what is aimed at stands at the top of
its module, in `arena/measure/bench` or with the agents that it is about. With --against (topic
kernel), a command that prints the rounds per second of another kernel is run in turns with ours.

Examples:
  arena bench start
  arena bench search --json
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

from arena.cli.options import add_json, print_json
from arena.core.errors import ArenaError, did_you_mean
from arena.measure import bench
from arena.measure.bench import BENCHES


def topics() -> list[str]:
    """The names of all topics: modules of `arena.measure.bench`, and what plug-ins register."""
    return sorted({*_modules(), *BENCHES})


def _modules() -> dict[str, str]:
    modules = (found.name for found in pkgutil.iter_modules(bench.__path__))
    return {name.strip("_").replace("_", "-"): name for name in modules}


def _find(topic: str) -> Any:
    """The module or object with `measure(...) -> dict[str, float]` for a topic."""
    modules = _modules()
    if topic in modules:
        return importlib.import_module(f"{bench.__name__}.{modules[topic]}")
    return BENCHES.get(topic)()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "topic", nargs="?", help=f"{', '.join(topics())}; all of them if none is named"
    )
    add_json(parser)
    parser.add_argument(
        "--against", metavar="CMD", help="kernel: a command that prints another kernel's rounds/s"
    )


def run(args: argparse.Namespace) -> int:
    known = topics()
    if args.topic is not None and args.topic not in known:
        raise ArenaError(f"unknown topic {args.topic!r}; {did_you_mean(args.topic, known)}")
    if args.against is not None and args.topic != "kernel":
        raise ArenaError("--against goes with the topic kernel only")
    figures: dict[str, float] = {}
    for name in known if args.topic is None else [args.topic]:
        topic = _find(name)
        measure: Callable[..., dict[str, float]] = topic.measure
        found = measure() if args.against is None else measure(against=args.against)
        figures |= found
        if not args.json:
            _show(found)
            _say_what_is_left_out(topic)
    if args.json:
        print_json({name: _to_print(value) for name, value in figures.items()})
    return 0


def _show(figures: dict[str, float]) -> None:
    width = max(map(len, figures))
    for name, value in figures.items():
        print(f"{name:{width}}  {_for_people(value):>14}", flush=True)


def _say_what_is_left_out(topic: Any) -> None:
    """A topic that cannot measure everything everywhere has `left_out() -> str | None`."""
    words = topic.left_out() if hasattr(topic, "left_out") else None
    if words:
        print(words, flush=True)


def _to_print(value: float) -> float:
    """Four decimals, but no small number becomes nothing."""
    return round(value, 4) if abs(value) >= 0.001 else float(f"{value:.2g}")


def _for_people(value: float) -> str:
    if 0 < abs(value) < 0.005:
        return f"{value:.1e}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.2f}"

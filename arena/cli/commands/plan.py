"""Compute how many deals an experiment needs to see a difference.

The spread of a deal's margin comes from stored results of the same experiment (its folder
in reports/, or --from RUN), else from a pilot of a few deals that is played now and thrown
away. The plan is for the comparisons that the report makes: all pairs of agents, also those
that meet only through others, two-sided and adjusted for their number. For each: the deals
that find --detect points with the wanted probability. They are planned with an upper limit of
the spread, which a pilot knows only roughly, so that four plans in five keep their promise.
For pairs that meet, the expected length of a one-sided sequential test of 0 against that many
points, each pair on its own.

Examples:
  arena plan quickstart --detect 5
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict, replace
from math import inf
from pathlib import Path
from typing import Any

from arena.analysis.played import played_results
from arena.analysis.results import Results, read
from arena.api.progress import Progress
from arena.cli.options import add_json, number, print_json
from arena.config.experiment import ResolvedExperiment
from arena.config.loader import load
from arena.core.errors import ArenaError
from arena.core.files import run_folder
from arena.core.rules import deals_per_unit
from arena.core.tables import text_table
from arena.report.words import count, interval, percent, plain
from arena.stats import (
    FieldPlan,
    SequentialPlan,
    SprtDesign,
    StatsError,
    field_plan,
    pilot_sequence,
)
from arena.store import Run
from arena.store.folder import RESULTS

PILOT = 60
CURVE_DEALS = (50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG", help="an experiment in YAML")
    parser.add_argument(
        "--detect",
        type=number(float, between=(0, inf)),
        required=True,
        metavar="POINTS",
        help="the margin to see",
    )
    parser.add_argument(
        "--power", type=number(float, between=(0, 1)), default=0.8, help="default: 0.8"
    )
    parser.add_argument(
        "--alpha", type=number(float, between=(0, 1)), default=0.05, help="default: 0.05"
    )
    parser.add_argument(
        "--from", type=run_folder, dest="source", metavar="RUN", help="stored results"
    )
    parser.add_argument(
        "--pilot",
        type=number(int, 4),
        default=PILOT,
        metavar="N",
        help="deals of a pilot (default: %(default)s)",
    )
    add_json(parser)


Sequential = dict[frozenset[str], SequentialPlan]


def run(args: argparse.Namespace) -> int:
    experiment = load(args.config)
    source, results = _spread(experiment, args)
    try:
        plan = field_plan(results.for_statistics, args.detect, args.power, args.alpha)
    except StatsError as error:
        raise ArenaError(f"{args.config}: {error}") from error
    sequential = _sequential(results, args)
    if args.json:
        print_json(_as_json(plan, sequential, source))
    else:
        rounds = deals_per_unit(experiment.match)
        print("\n".join(_lines(plan, sequential, source, len(experiment.deals) // rounds)))
    return 0


def _spread(experiment: ResolvedExperiment, args: argparse.Namespace) -> tuple[str, Results]:
    """Where the spread comes from, and the results."""
    stored = args.source or Path("reports") / experiment.name
    if args.source is not None or (stored / RESULTS).is_file():
        with Run(stored) as results:
            found = read([results])
            if found.game != experiment.rules.name:
                raise ArenaError(
                    f"{stored}: holds results of {found.game}, not {experiment.rules.name}"
                )
            return f"stored results in {stored}", found
    return _pilot(experiment, args.pilot)


def _pilot(experiment: ResolvedExperiment, deals: int) -> tuple[str, Results]:
    rounds = deals_per_unit(experiment.match)
    few = replace(experiment, deals=experiment.deals[: deals * rounds])
    with Progress("deals", quiet=True) as progress:
        results = played_results(few, "the pilot", progress)
    return f"a pilot of {len(results.units)} {'matches' if rounds > 1 else 'deals'}", results


def _sequential(results: Results, args: argparse.Namespace) -> Sequential:
    design = SprtDesign(0.0, args.detect, min(args.alpha, 0.49), min(1 - args.power, 0.49))
    found = {}
    for pair in results.pairs:
        plan = pilot_sequence(pair.margins, design)
        if plan is not None:
            found[frozenset((pair.first, pair.second))] = plan
    return found


def _as_json(plan: FieldPlan, sequential: Sequential, source: str) -> dict[str, Any]:
    widest = plan.widest
    margins = (plan.detect / 2, plan.detect, 2 * plan.detect)
    return {
        "detect": plan.detect,
        "power": plan.power,
        "alpha": plan.alpha,
        "tests": plan.tests,
        "level": plan.level,
        "sides": 2,
        "source": source,
        "pairs": [
            {
                "first": contrast.a,
                "second": contrast.b,
                "sd": asdict(contrast.sd),
                "needed": asdict(contrast.needed) if contrast.needed else None,
                "least": asdict(contrast.least) if contrast.least else None,
                "sequential": asdict(found) if found else None,
            }
            for contrast in plan.contrasts
            for found in [sequential.get(frozenset((contrast.a, contrast.b)))]
        ],
        "curve": None
        if widest is None
        else {
            "deals": CURVE_DEALS,
            "margins": margins,
            "power": [[plan.chance(widest, n, m) for m in margins] for n in CURVE_DEALS],
        },
    }


def _lines(plan: FieldPlan, sequential: Sequential, source: str, deals: int) -> Iterator[str]:
    adjusted = (
        f"two-sided, adjusted for {plan.tests} pairs (each at level {plan.level:.2g})"
        if plan.tests > 1
        else "two-sided"
    )
    yield (
        f"to see {plain(plan.detect)} points between any two agents with {percent(plan.power, 0)} "
        f"probability at level {plan.alpha:g}, {adjusted}, from {source}:"
    )
    yield ""
    rows = []
    for contrast in plan.contrasts:
        lengths = sequential.get(frozenset((contrast.a, contrast.b)))
        rows.append(
            (
                f"{contrast.a} - {contrast.b}",
                f"{plain(contrast.sd.sd)} ({interval(contrast.sd.low, contrast.sd.high)})",
                count(contrast.needed.deals if contrast.needed else None),
                count(contrast.least.deals if contrast.least else None),
                plain(lengths.at_h0.expected_deals if lengths else None, 0),
                plain(lengths.at_h1.expected_deals if lengths else None, 0),
            )
        )
    head = ("pair", "sd of a deal", "deals", "at least", "sequential if 0")
    yield text_table((*head, f"if {plain(plan.detect)}"), rows)
    yield (
        "deals, sequential: with the upper 80% limit of the spread, which the pilot knows only "
        "roughly; at least: if the spread is as measured"
    )
    yield "sequential: mean length, one-sided, for this pair alone, not adjusted"
    for contrast in plan.contrasts:
        if contrast.sd.note:
            yield f"{contrast.a} - {contrast.b}: {contrast.sd.note}"
    widest = plan.widest
    if widest is not None:
        margins = (plan.detect / 2, plan.detect, 2 * plan.detect)
        yield ""
        yield f"probability of finding it ({widest.a} - {widest.b}, the widest spread):"
        yield text_table(
            ("deals", *(f"{plain(margin)} points" for margin in margins)),
            [
                (f"{n:,}", *(percent(plan.chance(widest, n, m), 0) for m in margins))
                for n in CURVE_DEALS
            ],
        )
    most = max((c.least.deals for c in plan.contrasts if c.least), default=0)
    safe = max((c.needed.deals for c in plan.contrasts if c.needed), default=0)
    enough = "enough" if deals >= safe else "enough if the spread is as measured"
    yield ""
    yield f"the experiment has {deals:,} per pair: {enough if deals >= most else 'too few'}"

"""Correct the margin of two agents for the luck of their own draws.

For agents that report how likely each of their cards was (random, semi-random, policy): the value
of the card drawn, less the mean over these chances, is luck, and has mean 0. Taken off, the margin
has the same mean and less spread. Values come from playouts with all cards open. Agents that search
do not report chances: nothing is taken off for them.

Examples:
  arena luck quickstart semi-random random
"""

from __future__ import annotations

import argparse
from dataclasses import asdict

from arena.analysis.luck import known_luck
from arena.cli.options import add_json, add_run, print_json
from arena.core.tables import text_table
from arena.report.words import count, interval, percent, plain, plural, signed
from arena.store import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    parser.add_argument("first", metavar="A", help="the agent that margins are in favour of")
    parser.add_argument("second", metavar="B", help="its opponent")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    with Run(args.run) as results:
        found = known_luck(results, args.first, args.second)
    if args.json:
        print_json(asdict(found))
        return 0
    statistics = found.statistics
    rows = [
        (name, count(each.n), signed(each.mean), interval(each.low, each.high, show=signed))
        for name, each in (("as played", statistics.plain), ("corrected", statistics.corrected))
    ]
    units = plural(found.unit)
    print(f"{found.first} – {found.second}, points per {found.unit}")
    print(text_table(("margin", units, "mean", "95% interval"), rows))
    if statistics.variance_ratio is not None:
        print(
            f"variance {plain(statistics.variance_ratio, 2)} of that as played: worth "
            f"{count(statistics.worth_deals)} {units}; probabilities are known of "
            f"{percent(found.known / found.decisions, 0)} of the decisions"
        )
    return 0

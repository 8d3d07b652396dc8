"""Correct the margin of two agents for luck: that of the cards, or that of their own draws.

The cards (where people played, in one seat each): what a deal was worth is the margin
of the rule player that sits in all its seats. Its expectation is 0, so the margin less a part of it
has the same mean and less spread.

Draws (elsewhere), for agents that report how likely each of their cards was (random, semi-random,
policy): the value of the card drawn, less the mean over these chances, has mean 0 too. Values come
from playouts with all cards open. Agents that search do not report chances: nothing is taken off.

Examples:
  arena luck quickstart semi-random random
  arena luck evening Ann+rule rule
"""

from __future__ import annotations

import argparse
from dataclasses import asdict

from arena.analysis.card_luck import card_luck
from arena.analysis.luck import known_luck
from arena.cli.options import add_json, add_run, print_json
from arena.core.rules import plural
from arena.core.tables import text_table
from arena.report.words import count, interval, percent, plain, signed
from arena.store import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    parser.add_argument("first", metavar="A", help="the agent that margins are in favour of")
    parser.add_argument("second", metavar="B", help="its opponent")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    with Run(args.run) as results:
        if {args.first, args.second} & set(results.people):
            of_cards = card_luck(results, args.first, args.second)
            found, statistics = asdict(of_cards), of_cards.statistics
            unit, source = of_cards.unit, f"the cards were valued by {of_cards.reference}"
        else:
            of_draws = known_luck(results, args.first, args.second)
            found, statistics = asdict(of_draws), of_draws.statistics
            known = percent(of_draws.known / of_draws.decisions, 0)
            unit, source = of_draws.unit, f"probabilities are known of {known} of the decisions"
    if args.json:
        print_json(found)
        return 0
    rows = [
        (name, count(each.n), signed(each.mean), interval(each.low, each.high, show=signed))
        for name, each in (("as played", statistics.plain), ("corrected", statistics.corrected))
    ]
    units = plural(unit)
    print(f"{args.first} – {args.second}, points per {unit}")
    print(text_table(("margin", units, "mean", "95% interval"), rows))
    if statistics.variance_ratio is not None:
        print(
            f"variance {plain(statistics.variance_ratio, 2)} of that as played: worth "
            f"{count(statistics.worth_deals)} {units}; {source}"
        )
    return 0

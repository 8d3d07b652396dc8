"""Measure how well agents foresee the end of a round, by the cards played so far.

One player of the experiment plays all seats of each deal. At the beginning of every trick each
agent that searches says what the position is worth to the side on lead, and that is compared
with the margin with which the round ends. Printed is the mean squared error in points, with its
standard error over deals; --figure draws it. How agents get on with each other is not asked:
that is what 'arena run' is for.

Examples:
  arena estimate-values quickstart --set deals.limit=20 --figure errors.svg
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from arena.analysis.decisions import Explains
from arena.analysis.value_error import ValueErrors, measure_value_errors
from arena.cli.options import add_json, add_overrides, print_json
from arena.config.experiment import ResolvedExperiment
from arena.config.loader import load
from arena.core.agent import Player
from arena.core.errors import ArenaError
from arena.core.tables import text_table
from arena.report.words import count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG", help="an experiment in YAML")
    add_overrides(parser, "deals.limit=50")
    parser.add_argument(
        "--player", metavar="AGENT", help="who plays all seats (default: the first agent)"
    )
    parser.add_argument("--figure", type=Path, metavar="FILE", help="a .png, .svg or .pdf")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    experiment = load(args.config, args.overrides)
    players = _players(experiment)
    name = args.player or next(iter(players))
    experiment.entrant(name)
    searching = {
        agent: player for agent, player in players.items() if isinstance(player.cards, Explains)
    }
    if not searching:
        raise ArenaError(f"{experiment.name}: no agent explains its search")
    found = measure_value_errors(
        experiment.rules, experiment.deals, players[name], searching, experiment.seed
    )
    if args.json:
        print_json([asdict(one) for one in found])
    else:
        print(f"{name} plays all seats, {count(len(experiment.deals))} deals")
        print("mean squared error of the margin in points², ± one standard error\n")
        print(_table(found, list(searching)))
    if args.figure is not None:
        from arena.report.figures.value_error import save_value_errors

        save_value_errors(found, args.figure)
        print(f"\nfigure in {args.figure}")
    return 0


def _players(experiment: ResolvedExperiment) -> dict[str, Player]:
    teams = [entrant.name for entrant in experiment.entrants if len(entrant.members) > 1]
    if teams:
        raise ArenaError(f"{teams[0]}: a team has no values of its own; name its members")
    return {entrant.name: entrant.members[0].build() for entrant in experiment.entrants}


def _table(found: list[ValueErrors], names: list[str]) -> str:
    by_place = {(one.agent, one.cards_played): one for one in found}
    rows = []
    for cards in sorted({one.cards_played for one in found}):
        row = [str(cards)]
        for name in names:
            one = by_place.get((name, cards))
            row.append("–" if one is None else _cell(one))
        rows.append(row)
    return text_table(("cards played", *names), rows)


def _cell(one: ValueErrors) -> str:
    error = "" if one.standard_error is None else f" ± {one.standard_error:,.0f}"
    return f"{one.mean_squared_error:,.0f}{error}"

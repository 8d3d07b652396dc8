"""Check experiment files without playing: what would be played, or all that is wrong.

A file may also be the name of an experiment that comes with arena. Code that a file names
(family: ./bot.py:Greedy) is not imported unless --trust is given. Exit code 2 if anything
is wrong with any of them.

Examples:
  arena validate mine.yaml
  arena validate mine.yaml --set agents.mc.playouts=500
  arena validate quickstart papers/kiele-2024-table1
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from arena.cli.options import add_experiment_options
from arena.config.entrants import Entrant
from arena.config.experiment import ResolvedExperiment
from arena.config.loader import load
from arena.config.own_code import is_trusted
from arena.config.parameters import plain
from arena.core.agent import sees_all_cards
from arena.core.errors import ArenaError
from arena.tournament.schedule import Schedule, seatings, seatings_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", nargs="+", metavar="CONFIG", help="an experiment in YAML")
    add_experiment_options(parser, trust="import code that CONFIG names, and check that too")


def run(args: argparse.Namespace) -> int:
    code = 0
    for config in args.config:
        try:
            print(_summary(load(config, args.overrides, trust=args.trust)))
        except ArenaError as error:
            print(error, file=sys.stderr)
            code = 2
    return code


def _summary(experiment: ResolvedExperiment) -> str:
    rules, schedule = experiment.rules, Schedule(experiment)
    seeds = f" × {experiment.seeds_per_deal} seeds" if experiment.seeds_per_deal > 1 else ""
    options = ", ".join(f"{key} {_word(value)}" for key, value in plain(rules).items())
    placements = len(seatings(rules, experiment.placements))
    lines = [
        f"{experiment.name}: {rules.name} ({options})" if options else experiment.name,
        f"  agents    {', '.join(_agent(each, experiment.folder) for each in experiment.entrants)}",
        f"  pairings  {len(experiment.pairings)}",
        f"  deals     {len(experiment.deals)} of {experiment.deal_set}",
        f"  to play   {len(schedule)} {experiment.units} × {placements} seatings{seeds} = "
        f"{_rounds(experiment)}",
    ]
    return "\n".join(lines)


def _agent(entrant: Entrant, folder: Path) -> str:
    families = " + ".join(
        member.family if member.bidder is None else f"{member.family}, bids {member.bidder.family}"
        for member in entrant.members
    )
    if any(member.names_code and not is_trusted(folder) for member in entrant.members):
        return f"{entrant.name} ({families}, not imported)"
    open_handed = any(
        member.source is None and sees_all_cards(member.build(folder)) for member in entrant.members
    )
    return f"{entrant.name} ({families}{', sees all cards' if open_handed else ''})"


def _rounds(experiment: ResolvedExperiment) -> str:
    schedule = Schedule(experiment)
    count = len(schedule) * len(seatings_of(experiment))
    match = experiment.match
    if match is None:
        return f"{count} rounds"
    if match.rounds is None:
        return f"{count} matches to {match.target} points"
    left_over = len(experiment.deals) - schedule.units_per_pairing * match.rounds
    note = f" ({left_over} deals are left over)" if left_over else ""
    most = "at most " if match.target is not None else ""
    return f"{most}{count * match.rounds} rounds{note}"


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

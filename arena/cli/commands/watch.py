"""Watch agents play, in the browser: the rounds of a run as they were, or of an experiment now.

All hands are open. The page has buttons to pause, to go on card by card and to set the pace. Rounds
of an experiment are those that 'arena run' would play and store; nothing is stored here.

Examples:
  arena watch quickstart --pair rule random --deal 17
  arena watch configs/quickstart.yaml
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path

from arena.cli.options import add_experiment_options, deal_named, number
from arena.core.agent import Player
from arena.core.errors import ArenaError
from arena.core.files import run_folder
from arena.store import Run
from arena.store.manifest import MANIFEST
from arena.table.browser.serving import add_serving_options, open_tables
from arena.table.session import FirstLegal
from arena.table.watching import WatchedRounds, rounds_of_experiment, rounds_of_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="RUN|CONFIG", help="a run, or an experiment")
    parser.add_argument("--pair", nargs=2, metavar=("A", "B"), help="default: all pairs")
    parser.add_argument("--deal", metavar="DEAL", help="such as 17 (default: all)")
    parser.add_argument("--pace", type=number(float, 0), default=0.8, metavar="SECONDS",
                        help="for a card (default: 0.8)")  # fmt: skip
    add_serving_options(parser)
    add_experiment_options(
        parser, trust="import code that CONFIG names although it lies outside the current folder"
    )


def run(args: argparse.Namespace) -> int:
    from arena.table.browser.host import Manners, TableHost

    def stand_in() -> Player:
        return Player(FirstLegal())

    with ExitStack() as stack:
        rounds = _rounds(args, stack)
        host = TableHost(rounds, stand_in, stand_in, Manners(pace_s=args.pace))
        open_tables([host], args)
    return 0


def _rounds(args: argparse.Namespace, stack: ExitStack) -> WatchedRounds:
    folder = run_folder(args.what)
    if (folder / MANIFEST).exists():
        if args.overrides or args.trust:
            raise ArenaError(f"{args.what} is a run: --set and --trust are for experiments")
        results = stack.enter_context(Run(folder))
        deal = args.deal and deal_named(args.deal, results.database.deal_names())
        return rounds_of_run(results, args.pair, deal)
    if Path(args.what).is_dir():
        raise ArenaError(f"{args.what}: no run here ({MANIFEST} is missing)")
    from arena.config.loader import load

    experiment = load(args.what, args.overrides, trust=args.trust or None)
    deal = args.deal and deal_named(args.deal, (each.id for each in experiment.deals))
    return rounds_of_experiment(experiment, args.pair, deal)

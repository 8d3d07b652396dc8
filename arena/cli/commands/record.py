"""Store the games of an experiment as training data: Parquet, one row per decision.

Each row has what the seat knew, its legal cards, the card played, what a search found out about
every card (visits and values), and the outcome of the round. A recording that was stopped
goes on where it was; the same experiment gives the same rows.

Examples:
  arena record quickstart --out games
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG", help="an experiment file, or a shipped one")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="for the parts")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="workers (default: 1)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", dest="overrides")


def run(args: argparse.Namespace) -> int:
    from arena.config.loader import load
    from arena.tournament.record import record

    experiment = load(args.config, args.overrides)
    count = 0
    for part in record(experiment, args.out, args.jobs):
        count += 1
        print(part, file=sys.stderr)
    print(f"{count} parts written to {args.out}")
    return 0

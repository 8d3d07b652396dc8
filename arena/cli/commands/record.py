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

from arena.cli.options import add_jobs, add_overrides
from arena.config.loader import load
from arena.tournament.record import record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG", help="an experiment file, or a shipped one")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="for the parts")
    add_jobs(parser, default=1)
    add_overrides(parser, "deals.limit=50")


def run(args: argparse.Namespace) -> int:
    experiment = load(args.config, args.overrides)
    count = 0
    for part in record(experiment, args.out, args.jobs):
        count += 1
        print(part, file=sys.stderr)
    print(f"{count} parts written to {args.out}")
    return 0

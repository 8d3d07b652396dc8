"""Write the rounds of a run as CSV, Parquet or JSONL.

JSONL has the recorded rounds that 'arena verify' replays: deal, bids, plays with their
legal cards, and what the round came to. Rounds that a fault cut short are only in CSV
and Parquet. Rows are ordered by pairing, deal, seating and round.

Examples:
  arena export quickstart --out rounds.csv
  arena export quickstart --format jsonl --out rounds.jsonl
"""

from __future__ import annotations

import argparse
import sys

from arena.cli.options import add_out, add_run
from arena.core.errors import ArenaError
from arena.core.files import replacing
from arena.store import Run
from arena.store.export import FORMATS, export


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    parser.add_argument("--format", choices=tuple(FORMATS), default="csv", help="default: csv")
    parser.add_argument(
        "--no-times", action="store_true", help="leave out what differs when a run is repeated"
    )
    add_out(parser, "FILE", "default: standard output")


def run(args: argparse.Namespace) -> int:
    with Run(args.run) as results:
        if args.out is not None:
            with replacing(args.out) as out:
                left_out = export(results, args.format, out, not args.no_times)
        elif args.format == "parquet" and sys.stdout.isatty():
            raise ArenaError("parquet is not for reading: give --out FILE")
        else:
            left_out = export(results, args.format, sys.stdout.buffer, not args.no_times)
            sys.stdout.buffer.flush()
    if left_out:
        print(f"{left_out} rounds that a fault cut short were left out", file=sys.stderr)
    return 0

"""Replay recorded rounds through the rules and compare every legal set, trick
winner, points, bonus, total and final score, each under the record's own rules.

Exit code 0 if everything agrees, 1 if anything does not.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from arena.verify import check_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `arena verify`."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="JSONL, plain or gzip")
    parser.add_argument(
        "--show", type=int, default=10, metavar="N", help="mismatches to name (default 10)"
    )


def run(args: argparse.Namespace) -> int:
    """Check the files; 0 if all agree."""
    rounds = plays = mismatches = 0
    for path in args.files:
        for checked in check_file(path):
            rounds += 1
            plays += checked.plays
            for mismatch in checked.mismatches:
                if mismatches < args.show:
                    print(f"{checked.place}: {mismatch}")
                mismatches += 1
    if mismatches > args.show:
        print(f"... and {mismatches - args.show} more (--show N names more)")
    print(f"{rounds} rounds, {plays} plays checked, {mismatches} mismatches")
    return 1 if mismatches else 0

"""Replay recorded rounds, or all rounds of a run, through the rules and compare everything:
legal sets, trick winners, points, bonus and scores, each under the record's own rules; of a
run's folder also deals, seats, margins, forfeits and the course of matches.

What cannot be checked is named. Exit code 0 if everything agrees, 1 if anything does not.

Examples:
  arena verify reports/quickstart
  arena verify rounds.jsonl.gz
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from arena.report import HTML, is_current
from arena.store import Run
from arena.verify import check_file, check_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="+", type=Path, metavar="RUN|FILE", help="a run's folder, or JSONL"
    )
    parser.add_argument(
        "--show", type=int, default=10, metavar="N", help="mismatches to name (default 10)"
    )


def run(args: argparse.Namespace) -> int:
    rounds = plays = mismatches = 0
    unchecked: Counter[str] = Counter()
    for path in args.paths:
        for checked in check_run(path) if path.is_dir() else check_file(path):
            rounds += checked.rounds
            plays += checked.plays
            unchecked.update(checked.unchecked)
            for mismatch in checked.mismatches:
                if mismatches < args.show:
                    print(f"{checked.place}: {mismatch}")
                mismatches += 1
        if (path / HTML).is_file() and not _has_report(path):
            print(f"{path / HTML}: is of other results; 'arena report {path}' writes it again")
    if mismatches > args.show:
        print(f"... and {mismatches - args.show} more (--show N names more)")
    print(f"{rounds} rounds, {plays} plays checked, {mismatches} mismatches")
    if unchecked:
        named = (
            what if n == rounds or n == 1 else f"{what} ({n})" for what, n in unchecked.items()
        )
        print(f"not checked: {'; '.join(named)}")
    return 1 if mismatches else 0


def _has_report(path: Path) -> bool:
    """Whether the page in a run's folder is of what is stored."""
    with Run(path) as run:
        return is_current(run)

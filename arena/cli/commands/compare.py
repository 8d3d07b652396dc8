"""Compare two agents on the deals that both played, deal by deal.

The deal is the unit: its seatings are averaged first. The main answer is the mean margin
with its t interval and the paired t-test; the other tests ask less of the margins and are
there to be checked against it. Several runs are pooled if their rules, deals and the two
agents match; else the command names the difference. A deal in several runs is still one deal.

Agents of a sweep do not meet, but they play the same deals against the same opponent:
--through OPPONENT compares how much better the one does there than the other.

Results from elsewhere, in a CSV or Parquet file, are compared in the same way; without names,
all agents are rated together (docs/other-results.md).

Examples:
  arena compare quickstart rule random
  arena compare quickstart rule random --json
  arena compare results.csv --unit task --agent model --score accuracy
"""

from __future__ import annotations

import argparse
from pathlib import Path

from arena.analysis.standings import make_standings
from arena.api.comparing import compare
from arena.cli.commands.ratings import show_standings
from arena.cli.options import add_json, add_result_columns, number, print_json, result_file
from arena.core.errors import ArenaError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names",
        nargs="+",
        metavar="RUN A B",
        help="runs (folders, or names in reports/) or a file, then the agent that margins are in "
        "favour of, and its opponent",
    )
    parser.add_argument(
        "--through",
        metavar="C",
        help="compare A and B by what each did against C on the same deals",
    )
    parser.add_argument(
        "--equal-within",
        type=float,
        metavar="POINTS",
        help="also test whether they are equal up to so many points",
    )
    parser.add_argument(
        "--next",
        type=number(int, 1),
        dest="next_deals",
        metavar="N",
        help="predict the mean margin of the next N deals (default: as many as were played)",
    )
    add_json(parser)
    add_result_columns(parser)


def run(args: argparse.Namespace) -> int:
    file = result_file(Path(args.names[0]), args)
    if file is not None and len(args.names) == 1:
        show_standings(make_standings(file.results), as_json=args.json, notes=file.notes)
        return 0
    if len(args.names) < 3:
        raise ArenaError("a run and two agents are needed, as in: arena compare RUN A B")
    *runs, first, second = args.names
    if file is not None and len(runs) > 1:
        raise ArenaError(f"{file.path}: one file at a time")
    found = compare(
        runs if file is None else file,
        first,
        second,
        through=args.through,
        equal_within=args.equal_within,
        next_deals=args.next_deals,
    )
    if args.json:
        print_json(found.to_json())
    else:
        print(found)
    return 0

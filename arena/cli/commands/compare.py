"""Compare two agents on the deals that both played, deal by deal.

The deal is the unit: its seatings are averaged first. The main answer is the mean margin
with its t interval and the paired t-test; the other tests ask less of the margins and are
there to be checked against it. Several runs are pooled if their rules, deals and the two
agents match; else the command names the difference. A deal in several runs is still one deal.

Agents of a sweep do not meet, but they play the same deals against the same opponent:
--through OPPONENT compares how much better the one does there than the other.

Examples:
  arena compare quickstart rule random
  arena compare quickstart rule random --json
"""

from __future__ import annotations

import argparse
import json

from arena.api.comparing import compare
from arena.cli.options import add_json, add_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run(parser, "+")
    parser.add_argument("first", metavar="A", help="the agent that margins are in favour of")
    parser.add_argument("second", metavar="B", help="its opponent")
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
        type=_deals,
        dest="next_deals",
        metavar="N",
        help="predict the mean margin of the next N deals (default: as many as were played)",
    )
    add_json(parser)


def _deals(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError("a whole number of deals is needed, at least 1")
    return int(text)


def run(args: argparse.Namespace) -> int:
    found = compare(
        args.runs,
        args.first,
        args.second,
        through=args.through,
        equal_within=args.equal_within,
        next_deals=args.next_deals,
    )
    if args.json:
        print(json.dumps(found.to_json(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print(found)
    return 0

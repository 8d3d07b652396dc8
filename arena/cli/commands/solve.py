"""The exact value of a deal or position with all cards open, for every legal card.

Both sides see everything and make no mistake. Values are margins of the side to move at the end of
the round, under the full score: nat, pit and roem in Klaverjas; match, Weis and Stöck in
Schieber. SET is a file, or a bundled set (see 'arena list deals'); DEAL is an id or a number.
Instead of a set: a record as JSON, its file, or - to read it from standard input; its 'plays' are
made first unless the round is over.

--after plays cards first, in the order in which they fell. --trump and --declarer
solve the deal with others, or with all of them: a table as bridge has it.

--set writes a row for every deal of a set and every legal first card. It goes on after a kill, and
the file does not depend on the number of workers.

Examples:
  arena solve klaverjas-given-1000 17
  arena solve klaverjas-given-1000 17 --after "SA S7 S8 ST"
  arena solve klaverjas-given-1000 17 --trump all
  arena solve --set klaverjas-given-1000 --out values.parquet
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.api.progress import Progress
from arena.api.solved_sets import solve_set
from arena.api.solving import play_cards, read_position, solve_trumps, with_trump
from arena.cli.options import add_game_options, add_out, deal_of, find_set, number, rules_from_args
from arena.core.cards import SEATS, mask_of, trump_name
from arena.core.deals import Deal, DealSet
from arena.core.errors import ArenaError
from arena.core.files import read_bytes
from arena.core.rules import Action, Rules, action_name, side_name
from arena.core.transcript import diagram, position_diagram
from arena.solver.solution import Solution, Solver
from arena.verify.records import RecordedPosition


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "position", metavar="SET", nargs="?", help="a set, a record (JSON or its file), or -"
    )
    parser.add_argument("deal", metavar="DEAL", nargs="?", help="default: the first")
    parser.add_argument("--after", metavar="CARDS", default="", help="cards played first")
    parser.add_argument("--trump", metavar="SUIT", help="a trump such as H, or all")
    parser.add_argument("--declarer", metavar="SEAT", help="who declares: N, E, S, W or all")
    parser.add_argument(
        "--nodes", type=number(int, 1), metavar="N", help="stop after N positions and print bounds"
    )
    parser.add_argument(
        "--seconds",
        type=number(float, 0.0),
        metavar="S",
        help="stop after about S seconds likewise",
    )
    parser.add_argument("--set", dest="whole", metavar="SET", help="solve all deals of a set")
    add_out(parser, "FILE", "with --set: where the values go, .csv or .parquet")
    parser.add_argument(
        "--jobs", type=number(int, 1), metavar="N", help="with --set: workers (default: all cores)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_game_options(parser, required=False)


def run(args: argparse.Namespace) -> int:
    if args.whole is not None:
        return _solve_whole_set(args)
    if args.position is None:
        raise ArenaError("what is to be solved? say SET and DEAL, a record, or --set SET")
    rules, deal, actions, standing = _given(args)
    if "all" in (args.trump, args.declarer):
        _show_trumps(rules, deal, actions, args)
        return 0
    if args.trump is not None or args.declarer is not None:
        rules, deal = with_trump(rules, deal, args.trump, args.declarer)
    state = play_cards(rules, deal, actions, args.after, standing)
    solution = Solver().solve(rules, state, nodes=args.nodes, seconds=args.seconds)
    if args.json:
        print(json.dumps(_as_json(deal, state, solution)))
        return 0
    print(position_diagram(state, colour=sys.stdout.isatty()))
    print()
    side = side_name(rules, rules.side_of(solution.seat))
    print(f"margins of {side} at the end of the round; {solution}")
    return 0


def _solve_whole_set(args: argparse.Namespace) -> int:
    for name, given in (("SET", args.position), ("--after", args.after), ("--json", args.json)):
        if given:
            raise ArenaError(f"{name} does not go with --set")
    if args.seconds is not None:
        raise ArenaError(
            "--seconds does not go with --set: values would depend on the machine; say --nodes"
        )
    if args.out is None:
        raise ArenaError("--set: where do the values go? say --out FILE.csv or FILE.parquet")
    deals = DealSet.load(find_set(args.whole))
    rules = rules_from_args(args, deals)
    with Progress("solving") as progress:
        before = solve_set(
            deals,
            rules,
            args.out,
            trump=args.trump,
            declarer=args.declarer,
            nodes=args.nodes,
            jobs=args.jobs,
            progress=lambda done, total: progress.status(f"{done} of {total} deals solved"),
        )
    again = f", {before} of them by an earlier call" if before else ""
    print(f"{args.out}: {len(deals.deals)} deals{again}")
    return 0


def _given(args: argparse.Namespace) -> RecordedPosition:
    """The deal of a set, or the position that is pasted."""
    record = _record_text(args.position)
    if record is not None:
        return read_position(record, rules_from_args(args) if args.game else None)
    deals = DealSet.load(find_set(args.position))
    rules = rules_from_args(args, deals)
    return RecordedPosition(rules, deal_of(deals, args.deal))


def _record_text(position: str) -> str | None:
    """The JSON that is given, pasted, in a file or on standard input; None for a set of deals."""
    if position == "-":
        return sys.stdin.read()
    if position.lstrip().startswith(("{", "[")):
        return position
    path = Path(position)
    if path.suffix == ".json" and path.is_file():
        text = read_bytes(path).decode(errors="replace")
        return text if '"hands"' in text else None  # else what belongs to a set of deals
    return None


def _show_trumps(
    rules: Rules, deal: Deal, actions: Sequence[Action], args: argparse.Namespace
) -> None:
    """Every trump with every declarer, or one of them with all of the other."""
    if args.after or actions:
        raise ArenaError("a table by trump and declarer is one of a whole deal: no cards, no plays")
    table = solve_trumps(
        deal,
        game=rules,
        trump=args.trump or "all",
        declarer=args.declarer or "all",
        nodes=args.nodes,
        seconds=args.seconds,
    )
    if args.json:
        print(json.dumps(table.to_json()))
        return
    print(diagram([mask_of(hand) for hand in deal.hands], [deal.id], sys.stdout.isatty()))
    print()
    print("margin of the declarer's side, by trump and declarer")
    print()
    print(table)


def _as_json(deal: Deal, state: Any, solution: Solution) -> dict[str, Any]:
    return {
        "deal": deal.id,
        "seat": SEATS[solution.seat],
        "trump": trump_name(state.trump),
        "cards": {action_name(card): list(bounds) for card, bounds in solution.cards.items()},
        "nodes": solution.nodes,
        "remarks": list(solution.remarks),
        "means": None
        if solution.means is None
        else {action_name(card): list(mean) for card, mean in solution.means.items()},
    }

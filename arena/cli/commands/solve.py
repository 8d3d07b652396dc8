"""The exact value of a deal or position with all cards open, for every legal card.

Both sides see everything and make no mistake. Values are margins of the side to move at the end of
the round, under the full score: nat, pit and roem in Klaverjas; match, Weis and Stöck in
Schieber. SET is a file, or a bundled set (see 'arena list deals'); DEAL is an id or a number.

--after plays cards first, in the order in which they fell. --trump solves the deal with another
trump, or with all of them and every declarer: a table as bridge has it.

Examples:
  arena solve klaverjas-given-1000 17
  arena solve klaverjas-given-1000 17 --after "SA S7 S8 ST"
  arena solve klaverjas-given-1000 17 --trump all
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from arena.cli.options import add_game_options, deal_named, find_set, rules_from_args
from arena.core.cards import SEATS, mask_of, parse_cards, parse_trump, pretty, trump_name
from arena.core.deals import Deal, DealSet
from arena.core.errors import ArenaError
from arena.core.rules import Rules, action_name, side_name
from arena.core.tables import text_table
from arena.core.transcript import deal_notes, diagram
from arena.games.score_form import is_solvable, trumps_of
from arena.solver.solution import Solution, Solver


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The position, and how far to search."""
    parser.add_argument("set", metavar="SET", help="a set of deals")
    parser.add_argument("deal", metavar="DEAL", nargs="?", help="default: the first")
    parser.add_argument("--after", metavar="CARDS", default="", help="cards played first")
    parser.add_argument("--trump", metavar="SUIT", help="a trump such as H, or all")
    parser.add_argument(
        "--nodes", type=int, metavar="N", help="stop after N positions and print bounds"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_game_options(parser, required=False)


def run(args: argparse.Namespace) -> int:
    """Solve and print."""
    deals = DealSet.load(find_set(args.set))
    rules = rules_from_args(args, deals)
    deal = deals.deals[0]
    if args.deal:
        deal = deals.find(deal_named(args.deal, (each.id for each in deals.deals)))
    if not is_solvable(rules):
        raise ArenaError(f"{rules.name} cannot be solved with these rules: no open-card score")
    if args.nodes is not None and args.nodes < 1:
        raise ArenaError(f"--nodes {args.nodes}: at least 1")
    if args.trump == "all":
        _show_all_trumps(rules, deal, args)
        return 0
    if args.trump is not None:
        rules, deal = _given(rules, deal, parse_trump(args.trump))
    state = _position(rules, deal, args.after)
    solution = Solver().solve(rules, state, nodes=args.nodes)
    if args.json:
        print(json.dumps(_as_json(deal, state, solution)))
        return 0
    print(diagram(state.hands, _notes(rules, state), colour=sys.stdout.isatty()))
    print()
    for line in _shown(rules, solution):
        print(line)
    return 0


def _position(rules: Rules, deal: Deal, cards: str) -> Any:
    """The round after some cards; what cannot be played is an error that names the legal cards."""
    state = rules.start(deal)
    if state.phase != "play":
        raise ArenaError(
            f"deal {deal.id}: the trump is not fixed (phase {state.phase!r}); say --trump"
        )
    for card in parse_cards(cards):
        if state.turn is None:
            raise ArenaError(f"--after: the round is over before {pretty(card)}")
        if card not in state.legal:
            legal = " ".join(action_name(each) for each in state.legal)
            raise ArenaError(
                f"--after: {SEATS[state.turn]} cannot play {action_name(card)}; legal: {legal}"
            )
        rules.apply(state, card)
    if state.turn is None:
        raise ArenaError("--after: the round is over, nothing is left to solve")
    return state


def _given(rules: Any, deal: Deal, trump: int, declarer: int | None = None) -> tuple[Rules, Deal]:
    """The deal with a trump that is fixed, and the rules without bidding."""
    leader = rules.start(deal).leader
    if declarer is None:
        declarer = leader if deal.declarer is None else deal.declarer
    fixed = replace(deal, trump=trump, leader=leader, declarer=declarer)
    return replace(rules, bidding="given"), fixed


def _notes(rules: Rules, state: Any) -> list[str]:
    notes = deal_notes(state.deal)
    if state.table:
        notes.append("on the table: " + " ".join(map(pretty, state.table)))
    return notes


def _shown(rules: Rules, solution: Solution) -> Iterator[str]:
    side = side_name(rules, rules.side_of(solution.seat))
    yield f"{SEATS[solution.seat]} to move; margins of {side} at the end of the round"
    yield ""
    rows = sorted(solution.cards.items(), key=lambda item: (-item[1].low, -item[1].high, item[0]))
    best = solution.value.low
    yield from text_table(
        ("card", "value", "loses"),
        [
            (pretty(card), str(bounds), f"{best - bounds.low}" if bounds.solved else "?")
            for card, bounds in rows
        ],
    ).splitlines()
    yield ""
    yield f"{solution.nodes:,} positions searched"


def _show_all_trumps(rules: Rules, deal: Deal, args: argparse.Namespace) -> None:
    """Every trump with every declarer, as bridge has it."""
    if args.after:
        raise ArenaError("--after does not go with --trump all: cards fall in one round only")
    solver = Solver()
    rows = []
    for trump in trumps_of(rules):
        values = []
        for declarer in range(4):
            fixed_rules, fixed = _given(rules, deal, trump, declarer)
            state = fixed_rules.start(fixed)
            bounds = solver.solve(fixed_rules, state, nodes=args.nodes).value
            ours = rules.side_of(state.turn) == rules.side_of(declarer)
            values.append(str(bounds if ours else type(bounds)(-bounds.high, -bounds.low)))
        rows.append((trump_name(trump), *values))
    print(diagram([mask_of(hand) for hand in deal.hands], [deal.id], sys.stdout.isatty()))
    print()
    print("margin of the declarer's side, by trump and declarer")
    print()
    print(text_table(("trump", *SEATS), rows))


def _as_json(deal: Deal, state: Any, solution: Solution) -> dict[str, Any]:
    return {
        "deal": deal.id,
        "seat": SEATS[solution.seat],
        "trump": trump_name(state.trump),
        "cards": {action_name(card): list(bounds) for card, bounds in solution.cards.items()},
        "nodes": solution.nodes,
    }

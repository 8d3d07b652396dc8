"""Why a player did what it did: the decision made again, with what its search found out.

Shows what the player knew before action N of a round (from 0), then the search repeated
with the same random numbers: for each card how often it was tried (visits), what it came
to on average for the player's side (value) and how often it could have been chosen
(available), best first; then how likely each player is to hold each hidden card, as the
search sees it. Families that search explain themselves; a family takes part by a method
`explain(view, rng)` that gives named tuples of numbers by action, and by a method
`believes(view, rng)` that gives an `arena.core.agent.Belief`. Of an agent that remembers something
from its earlier decisions, or thinks by the clock, the numbers may differ from those it had.

--by AGENT asks another agent what it would have played there, and why. Agents that are code in a
file are imported from the copy that the run keeps: if the run lies outside the current folder, only
with --trust.

Examples:
  arena explain quickstart 17 --pair ismcts rule --at 9
  arena explain quickstart 17 --pair ismcts rule --at 9 --by champion
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.analysis.decisions import decide_again
from arena.cli.agent_text import agent_from_text
from arena.cli.commands import replay as replay_
from arena.config.own_code import trust
from arena.core.agent import Belief, Player
from arena.core.cards import SEATS
from arena.core.errors import ArenaError
from arena.core.rules import Action, pretty_action
from arena.core.tables import text_table
from arena.games.needs import why_not
from arena.store import Replay, Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    replay_.add_round(parser)
    parser.add_argument("--at", type=int, required=True, metavar="N", help="action N (from 0)")
    parser.add_argument(
        "--by", metavar="AGENT", help="let this agent decide: champion, or {family: ismcts, c: 0.5}"
    )
    parser.add_argument(
        "--trust", action="store_true", help="import code of a run outside the current folder"
    )


def run(args: argparse.Namespace) -> int:
    if args.trust or args.run.resolve().is_relative_to(Path.cwd()):
        trust(args.run)
    with Run(args.run) as results:
        replay = replay_.find_round(results, args)
        if not 0 <= args.at < len(replay.record.actions):
            last = len(replay.record.actions) - 1
            raise ArenaError(f"--at {args.at}: the round has actions 0 to {last}")
        replay_.run(args)
        print()
        for line in _explanation(results, replay, args.at, args.by):
            print(line)
    return 0


def _explanation(results: Run, replay: Replay, at: int, by: str | None) -> list[str]:
    other = None if by is None else _player(results, by)
    decision = decide_again(results, replay, at, by=other)
    seat, did, name = decision.seat, decision.did, by or replay.seats[decision.seat]
    if decision.bids:
        return [f"{name} bids by its bidder, which does not explain itself"]
    if len(decision.legal) == 1:
        return [f"{pretty_action(did, results.rules.bids)} was the only legal card"]
    if decision.phase != "play":
        return [f"{name} does not explain itself in the phase {decision.phase!r}"]
    if decision.chosen is None:
        return [f"{name} has no method explain(view, rng): it does not say why"]
    chosen = decision.chosen
    another = f"{pretty_action(chosen)}, another card than in the run"
    same = "the same card" if chosen == did else another
    searches = "decides again and" if by is None else "in its place"
    lines = [f"{SEATS[seat]} {name} {searches} plays {same}{':' if decision.values else ''}"]
    if decision.values:
        lines += ["", *_table(decision.values, did)]
    if decision.belief is not None and decision.belief.holders:
        lines += ["", *_beliefs(decision.belief, seat)]
    return lines


def _player(results: Run, by: str) -> Player:
    """An agent of the run by its name, or any other as experiments write it."""
    if by in results.manifest.entrants:
        return results.manifest.entrants[by].members[0].build(results.path)
    player = agent_from_text(by).build()
    if (why := why_not(player.cards, results.rules)) is not None:
        raise ArenaError(f"--by {by}: {why}")
    return player


def _table(found: Mapping[Action, Any], did: Action) -> list[str]:
    columns = next(iter(found.values()))._fields
    rows = []
    for action in sorted(found, key=lambda a: tuple(found[a]), reverse=True):
        numbers = [f"{x:,}" if isinstance(x, int) else f"{x:,.2f}" for x in found[action]]
        rows.append([f"{pretty_action(action)}{' *' if action == did else ''}", *numbers])
    return [*_indented(("", *columns), rows), "", "  * what was played in the run"]


def _beliefs(belief: Belief, seat: int) -> list[str]:
    """The probability of each seat to hold each hidden card."""
    others = [other for other in range(len(next(iter(belief.holders.values())))) if other != seat]
    rows = [
        [pretty_action(card), *(f"{chances[other]:.0%}" for other in others)]
        for card, chances in belief.holders.items()
    ]
    table = _indented(("", *(SEATS[other] for other in others)), rows)
    notes = [f"  {note}" for note in belief.notes]
    return ["who holds the hidden cards, as this player sees it:", "", *table, "", *notes]


def _indented(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"  {line}" for line in text_table(head, rows).splitlines()]

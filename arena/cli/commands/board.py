"""A leaderboard over runs: all agents that played a game under the same rules on the same deals.

All runs in reports/ (or --runs) count, in one joint rating for each game, rules and deals.
Agents are known by their fingerprints, so one that has changed since is another one, named
with its fingerprint. 'build DIR' writes it as a site of plain files, with a figure of each
agent's history; what was computed before is kept there and not computed again.

Examples:
  arena board
  arena board --game hearts
  arena board build site
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from pathlib import Path

from arena.board import Board, boards, build, find_runs
from arena.cli.options import report_left_out
from arena.core.errors import ArenaError
from arena.core.files import RUNS
from arena.core.registry import GAMES
from arena.core.tables import text_table
from arena.report.words import DASH, count, interval, rating_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=("show", "build"), default="show")
    parser.add_argument("out", nargs="?", type=Path, metavar="DIR", help="build: for the pages")
    parser.add_argument(
        "--runs", type=Path, default=RUNS, metavar="DIR", help="where the runs are (reports/)"
    )
    parser.add_argument("--game", metavar="NAME", help="only this game")


def run(args: argparse.Namespace) -> int:
    if (args.action == "build") != (args.out is not None):
        raise ArenaError("'arena board build DIR' writes pages; 'arena board' shows them here")
    if args.game is not None:
        GAMES.get(args.game)  # raises, with the near miss, if there is none
    with ExitStack() as stack:
        runs = [
            stack.enter_context(each)
            for each in find_runs(args.runs)
            if args.game in (None, each.manifest.rules.game)
        ]
        if not runs:
            raise ArenaError(f"{args.runs}: no runs here")
        for each in runs:
            if each.manifest.stops_early:
                report_left_out(f"{each.path}: its pairings stopped when their results decided")
        runs = [each for each in runs if not each.manifest.stops_early]
        if args.action == "build":
            found = build(runs, args.out)
            boards_made = f"{len(found)} board{'s' if len(found) != 1 else ''}"
            print(f"{boards_made} of {len(runs)} runs; open {args.out / 'index.html'}")
        else:
            print("\n\n".join(map(_shown, boards(runs))))
    return 0


def _shown(board: Board) -> str:
    lines = [
        f"{board.title}: {board.rules}",
        f"{board.deals}, {len(board.runs)} runs, the last one of {board.now.time[:10]}",
    ]
    for anchor, field in zip(board.now.anchors, board.now.fields, strict=True):
        rows = [
            (
                str(agent.rank),
                board.names.shown[agent.name],
                agent.letters,
                rating_text(agent.rating),
                interval(agent.rating.low, agent.rating.high) if agent.rating else DASH,
                rating_text(agent.elo, 0),
                count(agent.margin.n),
                board.names.settings[agent.name],
            )
            for agent in field
        ]
        rating = f"points per {board.unit} ahead of {board.names.shown[anchor]}"
        head = (
            "rank",
            "agent",
            "group",
            rating,
            "95% interval (alone)",
            "Elo",
            board.units,
            "settings",
        )
        lines += ["", text_table(head, rows, left=(0, 1, 2, len(head) - 1))]
    return "\n".join([*lines, *(f"\n{note}" for note in board.notes)])

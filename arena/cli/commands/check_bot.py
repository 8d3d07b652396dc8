"""Check that a program, or a server, speaks the protocol and plays by the rules.

Everything that is looked at is printed; the exit code is 1 if something is wrong.

Examples:
  arena check-bot ./my-bot
  arena check-bot --game hearts -- node bot.js
  arena check-bot http://127.0.0.1:8765
"""

from __future__ import annotations

import argparse
import os
import shutil
from pathlib import Path

from arena.cli.options import number
from arena.core.errors import ArenaError
from arena.core.registry import GAMES
from arena.games.needs import trick_games
from arena.process.check import check_bot
from arena.process.client import Launch, Program
from arena.process.limits import Limits
from arena.process.remote import Http
from arena.report.words import options
from arena.testing.rounds import rule_sets
from arena.tournament.describe import rules_used

_INTERPRETERS = {".py": "python3", ".js": "node", ".mjs": "node", ".sh": "sh", ".rb": "ruby"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", action="append", help="only this game (several times for more)")
    parser.add_argument(
        "--all-options", action="store_true", help="every option of the games, not the usual ones"
    )
    parser.add_argument("--deals", type=number(int, 1), default=4, help="of each (default: 4)")
    parser.add_argument("--seed", type=int, default=0, help="where the deals come from")
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="for one decision (default: 10)"
    )
    parser.add_argument(
        "--token", default="", help="the environment variable with the token of a server"
    )
    parser.add_argument(
        "program", nargs="+", help="the program and its arguments, or the URL of a server"
    )


def run(args: argparse.Namespace) -> int:
    launch = _launch(args)
    wrong = 0
    for name in args.game or trick_games():
        for rules in rule_sets(name) if args.all_options else [GAMES.get(name)()]:
            print(f"{name} ({options(rules_used(rules).options)})", flush=True)
            limits = Limits(args.seconds)
            for checked in check_bot(launch, rules, args.deals, args.seed, limits):
                print(f"  {'no' if checked.wrong else 'ok'}  {checked.what}", flush=True)
                if checked.wrong:
                    wrong += 1
                    print(f"      it {checked.wrong}", flush=True)
    print("all well" if not wrong else f"{wrong} thing{'s' if wrong > 1 else ''} wrong")
    return 1 if wrong else 0


def _launch(args: argparse.Namespace) -> Launch:
    if args.program[0].startswith(("http://", "https://")):
        if len(args.program) > 1:
            raise ArenaError(f"expected one URL, found {' '.join(args.program)}")
        return Http(args.program[0], args.token).launch
    program = Path(args.program[0])
    if program.is_file() and shutil.which(args.program[0]) is None:
        by = _INTERPRETERS.get(program.suffix)
        if by is None and os.access(program, os.X_OK):
            raise ArenaError(f"{program} is a file here, and no command: say ./{program}")
        how = f"say {by} {program}" if by else "make it executable (chmod +x)"
        raise ArenaError(f"{program} is a file that cannot be started by itself: {how}")
    return Program(args.program)

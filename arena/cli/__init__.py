"""The command line.

Each command is a module of `arena.cli.commands` with `add_arguments(parser)` and
`run(args) -> exit code`. Only the module of the command that was asked for is
imported, so that `arena --help` needs nothing heavy.

Exit codes: 0 all well, 1 the answer is no (a mismatch, a failed gate), 2 a
mistake in what was asked for.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from arena import __version__
from arena.core.errors import ArenaError, did_you_mean
from arena.core.printable import escaping_output
from arena.process.ending import leave

__all__ = ["COMMANDS", "command", "main", "script"]

COMMANDS: dict[str, str] = {
    "demo": "play one deal at random and show the table",
    "deals": "make, show, check and import sets of deals",
    "list": "what there is: games, agents, deal sets",
    "new": "start an agent, an experiment or a game of your own",
    "validate": "check experiment files without playing",
    "record": "store the games of an experiment as training data",
    "schema": "print the JSON Schema of experiment files, of views, or of the protocol",
    "run": "play an experiment, or go on with it",
    "status": "how far a run is",
    "export": "write the rounds of a run as CSV, Parquet or JSONL",
    "replay": "show a round of a run, trick by trick, as each player saw it",
    "explain": "why a player did what it did: its search, made again",
    "serve-agent": "let an agent play for another program, line by line",
    "check-bot": "check that a program plays by the protocol and by the rules",
    "train": "make a model that agents play with",
    "bench": "measure how fast things are on this machine",
    "report": "write the report of a run: page, text, tables, figures, JSON",
    "compare": "compare two agents of a run, deal by deal",
    "compare-runs": "what changed between two runs of one experiment",
    "ratings": "rate all agents of a run: points above the field, and Elo",
    "board": "a leaderboard over all runs, here or as a site",
    "gate": "did a change make an agent weaker? answered by the exit code",
    "plan": "how many deals an experiment needs to see a difference",
    "estimate-values": "how well agents foresee the end of a round, by cards played",
    "calibrate": "measure whether the statistics keep their promises",
    "verify": "replay recorded rounds through the rules and compare everything",
    "completion": "print what makes a shell complete arena's commands and options",
}
"""Name and one line of help; the module is `arena.cli.commands.<name>`."""


class Parser(argparse.ArgumentParser):
    """argparse, with the near miss for an unknown command and errors in one line."""

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with 2."""
        self.exit(2, f"{self.prog}: {message} (see '{self.prog} --help')\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    with escaping_output(sys.stdout, sys.stderr):
        try:
            return _dispatch(words)
        except ArenaError as error:
            print(f"arena: {error}", file=sys.stderr)
            return 2
        except BrokenPipeError:
            # The reader of our output has gone (as in `arena ... | head`): nothing is wrong.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except KeyboardInterrupt:
            print("arena: interrupted", file=sys.stderr)
            return 130


def script() -> NoReturn:
    """What is installed as `arena`: `main` in a process of its own."""
    leave(main())


def _dispatch(words: list[str]) -> int:
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    name = words[0] if words else ""
    if name.startswith("-") or not name:
        _top_level_parser().parse_args(words or ["--help"])
        return 0
    module = command(name)
    parser = Parser(prog=f"arena {name}", description=module.__doc__, formatter_class=_Formatter)
    module.add_arguments(parser)
    code: int = module.run(parser.parse_args(words[1:]))
    return code


def command(name: str) -> Any:
    """The module of a command."""
    if name not in COMMANDS:
        raise ArenaError(f"unknown command {name!r}; {did_you_mean(name, COMMANDS)}")
    return importlib.import_module(f"arena.cli.commands.{name.replace('-', '_')}")


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the paragraphs of a command's docstring."""


def _top_level_parser() -> Parser:
    width = max(map(len, COMMANDS))
    listing = "\n".join(f"  {name:{width}}  {text}" for name, text in COMMANDS.items())
    parser = Parser(
        prog="arena",
        usage="arena COMMAND ...",
        description="Tournaments and evaluation for trick-taking card-game AI.",
        epilog=f"commands:\n{listing}\n\n'arena help COMMAND' tells the rest.",
        formatter_class=_Formatter,
    )
    parser.add_argument("--version", action="version", version=f"arena {__version__}")
    return parser

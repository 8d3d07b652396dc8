"""The command line.

Each command is a module of `arena.cli.commands` with `add_arguments(parser)` and
`run(args) -> exit code`. Only the module of the requested command is imported, so that
`arena --help` starts fast.

Exit codes: 0 success, 1 the answer is no (a mismatch, a failed gate), 2 a user error.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

from arena import __version__
from arena.core.errors import ArenaError, did_you_mean
from arena.core.files import shortened
from arena.core.printable import escaping_output
from arena.process.ending import leave, leave_nothing_when_asked_to_end

GROUPS: dict[str, dict[str, str]] = {
    "play": {
        "run": "play an experiment, or go on with it",
        "play": "sit down at the table: play against the agents, and with them",
        "study": "a club evening or a user study: people against agents in a balanced design",
        "advise": "get an agent's advice at a real table, card by card",
        "watch": "watch agents play in the browser: a run as it was, or an experiment now",
        "demo": "play one deal at random and show every trick",
        "status": "show how far a run is",
        "merge": "put the parts together that several jobs have played",
        "serve": "let an agent play for others over HTTP",
        "serve-agent": "let an agent play for another program, line by line",
    },
    "look": {
        "report": "write the report of a run: page, text, tables, figures, JSON",
        "replay": "show a round of a run, trick by trick, as each player saw it",
        "explain": "repeat a decision and show what the agent's search found",
        "solve": "find the exact value of a deal with all cards open, card by card",
        "audit": "show where the points were lost, decision by decision",
        "list": "list games, agents, bidders, deal sets and experiments",
        "board": "show a leaderboard over all runs, here or as a site",
        "export": "write the rounds of a run as CSV, Parquet or JSONL",
    },
    "compare": {
        "compare": "compare two agents of a run, deal by deal",
        "ratings": "rate all agents of a run: points above the field, and Elo",
        "luck": "correct a margin for the luck of the cards or of the agents' own draws",
        "exploit": "measure how exploitable an agent is, at least",
        "compare-runs": "show what changed between two runs of one experiment",
        "plan": "compute how many deals an experiment needs to find a difference",
        "estimate-values": "measure how well agents predict the end of a round",
    },
    "make": {
        "new": "start an agent, an experiment or a game of your own",
        "deals": "make, show, check and import sets of deals",
        "train": "train a model that agents play with",
        "record": "store the games of an experiment as training data",
        "schema": "print the JSON Schema of experiment files, views or the protocol",
        "completion": "print the script that completes arena's commands in a shell",
    },
    "check": {
        "validate": "check experiment files without playing",
        "gate": "test whether a change made an agent weaker; the exit code says so",
        "suite": "positions as tests: make, add, run, show",
        "check-bot": "check that a program follows the protocol and the rules",
        "verify": "replay recorded rounds through the rules and compare everything",
        "bench": "measure the speed of everything on this machine",
        "calibrate": "measure the error rates of the statistics",
    },
}
"""Every command with one line of help, by what it is for; the most used ones come first."""

COMMANDS: dict[str, str] = {
    name: text for commands in GROUPS.values() for name, text in commands.items()
}
"""All commands; the module of one is `arena.cli.commands.<name>`."""


class Parser(argparse.ArgumentParser):
    """An argument parser that keeps the paragraphs of its texts and reports errors in one line."""

    def __init__(self, prog: str, **options: Any) -> None:
        keeping = argparse.RawDescriptionHelpFormatter
        super().__init__(prog, formatter_class=keeping, **options)

    def error(self, message: str) -> NoReturn:
        """Print one line and exit with 2."""
        choice = re.fullmatch(r"(.*)invalid choice: '(.*)' \(choose from (.*)\)", message)
        if choice:
            argument, word, listed = choice.groups()
            near = did_you_mean(word, re.findall(r"[^\s',]+", listed))
            message = f"{argument}unknown word '{word}'; {near}"
        self.exit(2, f"{self.prog}: {message} (see '{self.prog} --help')\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    with escaping_output(sys.stdout, sys.stderr):
        try:
            for word in words:
                if "\0" in word:
                    raise ArenaError(f"{word[:40]!r}: no argument can have a NUL in it")
            return _dispatch(words)
        except ArenaError as error:
            _complain(str(error))
            return 2
        except BrokenPipeError:
            # The reader of the output has exited (as in `arena ... | head`): no error.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except OSError as error:  # a name too long, a full disk, a folder that is read-only
            where = f"{shortened(str(error.filename))}: " if error.filename else ""
            _complain(f"{where}{error.strerror or error}")
            return 2
        except MemoryError:
            _complain("out of memory")
            return 2
        except KeyboardInterrupt:
            _complain("interrupted")
            return 130


def _complain(words: str) -> None:
    with suppress(OSError):  # no room for that either
        print(f"arena: {words}", file=sys.stderr)


def script() -> NoReturn:
    """The installed script `arena`: runs `main` and ends the process."""
    # Our matrices are small: threads of BLAS only wait, a tenth of the CPU time of `compare`.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _prepare_streams()
    leave_nothing_when_asked_to_end()
    leave(main())


def _prepare_streams() -> None:
    """Read and write nothing where a stream is closed; escape what its encoding does not have."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # The next file that is opened would get its number, and what libraries print.
            descriptor = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(descriptor, True)  # workers need one too
            setattr(sys, name, open(descriptor, mode))  # noqa: SIM115 - open until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _dispatch(words: list[str]) -> int:
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    name = words[0] if words else ""
    if name.startswith("-") or not name:
        _top_level_parser().parse_args(words or ["--help"])
        return 0
    module = command(name)
    parser = Parser(f"arena {name}", description=module.__doc__)
    module.add_arguments(parser)
    args = parser.parse_args(words[1:])
    for action in parser._actions:  # argparse gives [] for a positional argument that is '--'
        is_one = not action.option_strings and action.nargs is None
        if is_one and getattr(args, action.dest, None) == []:
            parser.error(f"{action.metavar or action.dest} is missing after '--'")
    code: int = module.run(args)
    return code


def command(name: str) -> Any:
    """The module of a command."""
    if name not in COMMANDS:
        raise ArenaError(
            f"unknown command {name!r}; {did_you_mean(name, COMMANDS, 'arena --help')}"
        )
    return importlib.import_module(f"arena.cli.commands.{name.replace('-', '_')}")


def _top_level_parser() -> Parser:
    width = max(map(len, COMMANDS))
    listing = "\n\n".join(
        "\n".join([f"{group}:", *(f"  {name:{width}}  {text}" for name, text in commands.items())])
        for group, commands in GROUPS.items()
    )
    parser = Parser(
        prog="arena",
        usage="arena COMMAND ...",
        description="Tournaments and evaluation for trick-taking card-game AI.",
        epilog=f"{listing}\n\n'arena help COMMAND' shows the options of a command.",
    )
    parser.add_argument("--version", action="version", version=f"arena {__version__}")
    return parser

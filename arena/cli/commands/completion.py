"""Print what makes a shell complete arena's commands and options.

Examples:
  arena completion bash > ~/.local/share/bash-completion/completions/arena
  arena completion zsh > "${fpath[1]}/_arena"
"""

from __future__ import annotations

import argparse

import shtab

from arena.cli import COMMANDS, command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=shtab.SUPPORTED_SHELLS, help="the shell to complete in")


def run(args: argparse.Namespace) -> int:
    print(shtab.complete(_whole_parser(), shell=args.shell))
    return 0


def _whole_parser() -> argparse.ArgumentParser:
    """All commands in one parser; to run one of them, only its own is ever made."""
    whole = argparse.ArgumentParser(prog="arena")
    whole.add_argument("--version", action="store_true", help="print the version")
    commands = whole.add_subparsers()
    for name, help_ in COMMANDS.items():
        parser = commands.add_parser(name, help=help_)
        command(name).add_arguments(parser)
        for action in parser._actions:
            if action.metavar in _FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]  # shtab's own
    return whole


_FILES = ("CONFIG", "RUN", "FILE", "DIR", "SET")
"""Names of arguments that take a file or a folder."""

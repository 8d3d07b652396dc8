"""Options that several commands share: which game, which options, which deals."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from arena.core.deals import DealSet
from arena.core.errors import ArenaError, did_you_mean
from arena.core.files import find_shipped
from arena.core.registry import GAMES

RUN_HELP = "a run: its folder, or its name in reports/"


def add_experiment_options(parser: argparse.ArgumentParser, trust: str) -> None:
    """`--set KEY=VALUE` and `--trust`; `trust` says what the latter does here."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="overrides",
        metavar="KEY=VALUE",
        help="change a key, such as agents.mc.playouts=500; may be repeated",
    )
    parser.add_argument("--trust", action="store_true", help=trust)


def add_game_options(parser: argparse.ArgumentParser, required: bool = True) -> None:
    """`--game NAME` and `--option KEY=VALUE`."""
    parser.add_argument("--game", required=required, metavar="NAME", help="see 'arena list games'")
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the game, such as bidding=classical; may be repeated",
    )


def rules_from_args(args: argparse.Namespace, deals: DealSet | None = None) -> Any:
    """The rules that the options ask for; without `--game`, those that the set was made for."""
    name, options = args.game, {}
    if deals is not None:
        if name is not None and name != deals.game:
            raise ArenaError(f"{deals.path}: these are deals for {deals.game}, not {name}")
        name = deals.game
        options = dict(deals.meta.get("options", {}))
    if name is None:
        raise ArenaError(f"which game? say --game ({', '.join(GAMES.names())})")
    for text in args.option:
        key, sign, value = text.partition("=")
        if not sign:
            raise ArenaError(f"--option {text!r}: expected KEY=VALUE")
        options[key] = _typed(GAMES.get(name), key, value)
    return make_rules(name, options)


def make_rules(name: str, options: dict[str, Any]) -> Any:
    """The game `name` with these options; errors name the option and the near miss."""
    game = GAMES.get(name)
    allowed = {field.name for field in dataclasses.fields(game)}
    for key in options:
        if key not in allowed:
            raise ArenaError(f"{name} has no option {key!r}; {did_you_mean(key, allowed)}")
    return game(**options)


def _typed(game: Any, key: str, text: str) -> Any:
    """Text from the command line as the type that the option has."""
    hint = get_type_hints(game).get(key, str)
    choices = get_args(hint) if get_origin(hint) is Literal else ()
    for choice in choices:
        if str(choice).lower() == text.lower():
            return choice
    members = {hint, *get_args(hint)}
    if bool in members and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.removeprefix("-").isdigit() and (int in members or choices):
        return int(text)
    if hint is bool or hint is int:
        expected = "true or false" if hint is bool else "a whole number"
        raise ArenaError(f"--option {key}={text}: expected {expected}")
    return text


def find_set(name: str) -> Path:
    """The CSV that `name` means: a file if there is one, else a set that we ship."""
    path = Path(name)
    if path.suffix == ".csv" or path.exists():
        return path
    return find_shipped("deals", name, ".csv")


def tell_left_out(line: str) -> None:
    """Say that a plug-in is left out of a listing, where it does not disturb the listing."""
    print(f"arena: left out: {line}", file=sys.stderr)


def add_out(parser: argparse.ArgumentParser, metavar: str, help: str) -> None:
    """`--out`, where the result goes; `--output`, as some commands called it, still does."""
    parser.add_argument("--out", type=Path, metavar=metavar, help=help)
    parser.add_argument("--output", type=Path, dest="out", help=argparse.SUPPRESS)


def deal_named(text: str, ids: Iterable[str]) -> str:
    """The deal that DEAL means: an id, or the number at the end of one.

    >>> deal_named("17", ["given-0016", "given-0017", "given-0117"])
    'given-0017'
    """
    if not text.isdigit():
        return text
    found = [each for each in ids if each == text or _number_of(each) == int(text)]
    return found[0] if len(found) == 1 else text


def _number_of(deal: str) -> int | None:
    digits = deal[len(deal.rstrip("0123456789")) :]
    return int(digits) if digits else None

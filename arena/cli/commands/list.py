"""What there is: games, agents, bidders, deal sets and experiments.

A line for each; with NAME, or with --all, everything about it: the rules and options of a game,
the parameters of an agent or a bidder.

Examples:
  arena list agents --game hearts     the families that play Hearts
  arena list agents ismcts            its parameters
  arena list experiments              names for 'arena run'
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import sys
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

from arena.cli.options import print_json, report_left_out
from arena.core.deals import DealSet
from arena.core.errors import ArenaError, did_you_mean
from arena.core.files import find_shipped, shipped_names
from arena.core.registry import AGENTS, BIDDERS, GAMES, Registry
from arena.core.rules import RulesError
from arena.games.needs import games_of

Row: TypeAlias = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", nargs="?", choices=sorted(_LISTINGS), help="what to list; all kinds if not given"
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="only this one, with everything")
    parser.add_argument("--game", metavar="NAME", help="only what is for this game")
    parser.add_argument("--all", action="store_true", help="everything about each of them")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: argparse.Namespace) -> int:
    if args.what is None:
        for kind, each in _LISTINGS.items():
            names = [row["name"] for row in each.rows()]
            shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" * (len(names) > 8))
            print(f"{kind:<12}{shown}")
        print("\n'arena list KIND' lists one kind, 'arena list KIND NAME' shows one of it")
        return 0
    listing = _LISTINGS[args.what]
    found = _chosen(listing, args)
    if args.json:
        print_json(found)
    elif args.all or args.name:
        for row in found:
            print("\n".join(listing.details(row)))
    else:
        width = max((len(row["name"]) for row in found), default=0)
        for row in found:
            print(f"{row['name']:{width}}  {listing.line(row)}")
        print(f"\n{len(found)} in all; 'arena list {args.what} NAME' shows one")
    return 0


def _chosen(listing: _Listing, args: argparse.Namespace) -> list[Row]:
    found = listing.rows()
    if args.game is not None:
        GAMES.get(args.game)  # raises, with the near miss, if there is none
        found = [row for row in found if args.game in row["games"]]
    if args.name is None:
        return found
    names = [row["name"] for row in found]
    if args.name not in names:
        near = did_you_mean(args.name, names, f"arena list {args.what}")
        raise ArenaError(f"{args.what}: nothing is called {args.name!r}; {near}")
    return [row for row in found if row["name"] == args.name]


# --- games -------------------------------------------------------------------------------


def _games() -> list[Row]:
    found = []
    for name, game in GAMES.loaded(report_left_out).items():
        try:
            found.append(_game(name, game))
        except RulesError as error:  # it needs a package that is not installed
            report_left_out(str(error))
    return found


def _game(name: str, game: Any) -> Row:
    hints = get_type_hints(game)
    options = []
    for field in dataclasses.fields(game):
        hint = hints[field.name]
        allowed = list(get_args(hint)) if get_origin(hint) is Literal else []
        options.append(
            {
                "name": field.name,
                "default": field.default,
                "allowed": [True, False] if hint is bool else allowed,
                "help": game.options_help.get(field.name, ""),
            }
        )
    rules = game()
    return {
        "name": name,
        "games": [name],
        "version": game.version,
        "players": rules.players,
        "cards": rules.deck.bit_count(),
        "summary": _first_line(game),
        "filters": sorted(game.measures),
        "options": options,
        "rules": inspect.cleandoc(sys.modules[game.__module__].__doc__ or ""),
    }


def _game_line(game: Row) -> str:
    options = ", ".join(option["name"] for option in game["options"])
    return f"{_size(game)}; options: {options}"


def _size(game: Row) -> str:
    cards = f", {game['cards']} cards" if game["cards"] else ""
    return f"{game['players']} players{cards}"


def _game_details(game: Row) -> list[str]:
    lines = [f"{game['name']}: {_size(game)}", ""]
    lines += [*game["rules"].splitlines(), "", "Options:"]
    for option in game["options"]:
        allowed = " | ".join(_yaml(value) for value in option["allowed"])
        lines.append(f"  {option['name']}: {_yaml(option['default'])}   {option['help']}")
        if allowed:
            lines.append(f"      {allowed}")
    if game["filters"]:
        lines.append(f"  deals can be filtered by: {', '.join(game['filters'])}")
    return lines


# --- agents and bidders ------------------------------------------------------------------


def _families(registry: Registry[Any]) -> list[Row]:
    from arena.config.parameters import parameters_of  # pydantic: only where it is needed

    found = []
    for name, family in registry.loaded(report_left_out).items():
        sees = getattr(family, "sees_all_cards", False)
        found.append(
            {
                "name": name,
                "games": games_of(family),
                # A property: it depends on the parameters.
                "sees_hidden_cards": sees if isinstance(sees, bool) else "depends",
                "summary": _first_line(family),
                "parameters": [dataclasses.asdict(p) for p in parameters_of(family)],
            }
        )
    return found


def _family_line(family: Row) -> str:
    text = str(family["summary"])
    return text + ("  SEES HIDDEN CARDS" if family["sees_hidden_cards"] is True else "")


def _family_details(family: Row) -> list[str]:
    lines = [
        f"{family['name']}: {family['summary']}",
        f"  plays {', '.join(family['games'])}{_SEES[family['sees_hidden_cards']]}",
    ]
    for item in family["parameters"]:
        default = "must be given" if item["required"] else _usual(item)
        lines.append(f"  {item['name']}: {default}   {item['help']}")
        lines.append(f"      {item['type']}")
        for kind, parameters in (item["kinds"] or {}).items():
            for inner in parameters:
                usual = "must be given" if inner["required"] else _yaml(inner["default"])
                lines.append(f"      {kind}.{inner['name']}: {usual}   {inner['help']}")
    return lines


def _usual(item: Row) -> str:
    default = item["default"]
    return str(default["kind"]) if item["kinds"] else _yaml(default)


_SEES = {
    False: "",
    True: "; SEES HIDDEN CARDS",
    "depends": "; sees hidden cards with some parameters",
}


# --- deals and experiments ---------------------------------------------------------------


def _deals() -> list[Row]:
    found = []
    for name in shipped_names("deals", ".csv"):
        deals = DealSet.load(find_shipped("deals", name, ".csv"))
        found.append({"name": name, "games": [deals.game], **deals.meta})
    return found


def _deals_line(deals: Row) -> str:
    conditions = " and ".join(deals["filter"]) or "no filter"
    return f"{deals['count']} deals of {deals['game']}, {conditions}"


def _deals_details(deals: Row) -> list[str]:
    facts = {key: value for key, value in deals.items() if key not in ("name", "games")}
    return [deals["name"], *(f"  {key}: {_yaml(value)}" for key, value in facts.items())]


def _experiments() -> list[Row]:
    from arena.config.strict_yaml import read  # PyYAML: only where it is needed

    found = []
    for name in shipped_names("configs", ".yaml"):
        path = find_shipped("configs", name, ".yaml")
        data = read(path).data
        game = data.get("game", {})
        found.append(
            {
                "name": name,
                "games": [game if isinstance(game, str) else game.get("name", "")],
                "summary": _first_comment(path.read_text(encoding="utf-8")),
                "agents": list(data.get("agents", {})),
                "file": str(path),
            }
        )
    return found


def _first_comment(text: str) -> str:
    """The first line of a file's heading that is for people."""
    for line in text.splitlines():
        if not line.startswith("#"):
            return ""
        if "yaml-language-server" not in line and line.strip("# "):
            return line.strip("# ")
    return ""


def _experiment_details(experiment: Row) -> list[str]:
    return [
        f"{experiment['name']}: {experiment['summary']}",
        f"  game: {', '.join(experiment['games'])}",
        f"  agents: {', '.join(experiment['agents'])}",
        f"  file: {experiment['file']}",
    ]


def _summary(row: Row) -> str:
    return str(row["summary"])


def _first_line(thing: Any) -> str:
    return (thing.__doc__ or "").strip().partition("\n")[0]


def _yaml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class _Listing(NamedTuple):
    rows: Callable[[], list[Row]]
    line: Callable[[Row], str]
    details: Callable[[Row], list[str]]


_LISTINGS: dict[str, _Listing] = {
    "agents": _Listing(lambda: _families(AGENTS), _family_line, _family_details),
    "bidders": _Listing(lambda: _families(BIDDERS), _family_line, _family_details),
    "games": _Listing(_games, _game_line, _game_details),
    "deals": _Listing(_deals, _deals_line, _deals_details),
    "experiments": _Listing(_experiments, _summary, _experiment_details),
}

"""What there is: games with their options, agents with their parameters, deal sets."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin, get_type_hints

from arena.deals import DealSet
from arena.files import find_shipped, shipped_names
from arena.registry import AGENTS, BIDDERS, GAMES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What can be listed."""
    parser.add_argument("what", choices=sorted(_LISTINGS), help="what to list")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: argparse.Namespace) -> int:
    """Print one of the listings."""
    rows, show = _LISTINGS[args.what]
    found = rows()
    if args.json:
        print(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        show(found)
    return 0


def _games() -> list[dict[str, Any]]:
    return [_game(name) for name in GAMES]


def _game(name: str) -> dict[str, Any]:
    game = GAMES.get(name)
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
        "version": game.version,
        "players": rules.players,
        "cards": rules.deck.bit_count(),
        "summary": (game.__doc__ or "").strip().splitlines()[0],
        "filters": sorted(game.measures),
        "options": options,
    }


def _show_games(games: list[dict[str, Any]]) -> None:
    for game in games:
        print(f"{game['name']}: {game['players']} players, {game['cards']} cards")
        for option in game["options"]:
            allowed = " | ".join(_yaml(value) for value in option["allowed"])
            print(f"  {option['name']}: {_yaml(option['default'])}   {option['help']}")
            if allowed:
                print(f"      {allowed}")
        if game["filters"]:
            print(f"  deals can be filtered by: {', '.join(game['filters'])}")


def _yaml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _deals() -> list[dict[str, Any]]:
    found = []
    for name in shipped_names("deals", ".csv"):
        deals = DealSet.load(find_shipped("deals", name, ".csv"))
        found.append({"name": name, **deals.meta})
    return found


def _show_deals(found: list[dict[str, Any]]) -> None:
    for deals in found:
        conditions = " and ".join(deals["filter"]) or "no filter"
        print(f"{deals['name']}: {deals['count']} deals of {deals['game']}, {conditions}")


def _agents() -> list[dict[str, Any]]:
    from arena.config.parameters import parameters_of  # pydantic: only where it is needed

    found = []
    for kind, registry in (("agent", AGENTS), ("bidder", BIDDERS)):
        for name in registry:
            family = registry.get(name)
            sees = getattr(family, "sees_all_cards", False)
            found.append(
                {
                    "family": name,
                    "kind": kind,
                    "games": list(getattr(family, "games", GAMES)),
                    # A property: it depends on the parameters.
                    "sees_hidden_cards": sees if isinstance(sees, bool) else "depends",
                    "summary": (family.__doc__ or "").strip().partition("\n")[0],
                    "parameters": [dataclasses.asdict(p) for p in parameters_of(family)],
                }
            )
    return found


def _show_agents(found: list[dict[str, Any]]) -> None:
    for agent in found:
        kind = " (bidder)" if agent["kind"] == "bidder" else ""
        print(f"{agent['family']}{kind}: {agent['summary']}")
        print(f"  plays {', '.join(agent['games'])}{_SEES[agent['sees_hidden_cards']]}")
        for item in agent["parameters"]:
            default = "must be given" if item["required"] else _usual(item)
            print(f"  {item['name']}: {default}   {item['help']}")
            print(f"      {item['type']}")
            for kind, parameters in (item["kinds"] or {}).items():
                for inner in parameters:
                    usual = "must be given" if inner["required"] else _yaml(inner["default"])
                    print(f"      {kind}.{inner['name']}: {usual}   {inner['help']}")


def _usual(item: dict[str, Any]) -> str:
    default = item["default"]
    return str(default["kind"]) if item["kinds"] else _yaml(default)


_SEES = {
    False: "",
    True: "; SEES HIDDEN CARDS",
    "depends": "; sees hidden cards with some parameters",
}


_LISTINGS: dict[
    str,
    tuple[Callable[[], list[dict[str, Any]]], Callable[[list[dict[str, Any]]], None]],
] = {
    "agents": (_agents, _show_agents),
    "games": (_games, _show_games),
    "deals": (_deals, _show_deals),
}

"""Every registered family and bidder passes the conformance suite that plug-ins must pass.

Nothing is listed here: what is registered is tested, in every game that it plays, at small sizes.
"""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any

import pytest
from helpers.together import Together

from agents.champion import Champion
from agents.policy import PolicyPlayer
from agents.random_ import Random
from agents.rule import Rule
from agents.semi_random import SemiRandom
from arena.core.agent import Player, sees_all_cards
from arena.core.registry import AGENTS, BIDDERS, GAMES
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.needs import games_of
from arena.games.schieber import Schieber
from arena.testing import check_agent

ELSEWHERE = ("command", "http", "jass-kit", "llm")
"""Programs and servers of others: tested in tests/process, tests/servers and tests/llm."""
LARGE = 20
"""Counts from here on cost time and are made small."""


def small(family: Any) -> Any:
    """A family with its numbers of playouts, simulations and worlds as small as they may be."""
    counts = {
        item.name: max(2, int(item.metadata.get("at_least", 2)))
        for item in (fields(family) if is_dataclass(family) else ())
        if isinstance(item.default, int)
        and not isinstance(item.default, bool)
        and item.default >= LARGE
    }
    return family(**counts)


def must_be_configured(family: Any) -> bool:
    """Whether a family has a parameter without a default."""
    return is_dataclass(family) and any(
        item.default is MISSING and item.default_factory is MISSING for item in fields(family)
    )


def installed(registry: Any) -> list[str]:
    """Every name that a package registers; what other tests add for themselves is theirs."""
    return sorted({entry.name for entry in entry_points(group=registry.group)})


@cache
def of(registry: Any) -> list[tuple[str, str]]:
    """Every name with every game that it says it plays."""
    return [
        (name, game)
        for name in installed(registry)
        if not must_be_configured(registry.get(name))
        for game in games_of(registry.get(name))
    ]


def test_what_cannot_be_made_without_parameters_is_tested_elsewhere():
    assert [name for name in installed(AGENTS) if must_be_configured(AGENTS.get(name))] == [
        *ELSEWHERE
    ]
    assert not [name for name in installed(BIDDERS) if must_be_configured(BIDDERS.get(name))]


@pytest.mark.parametrize(("name", "game"), of(AGENTS))
def test_family(name, game):
    rules = GAMES.get(game)()
    check_agent(lambda: small(AGENTS.get(name)), game=rules, deals=1, other_process=False)


def families_by_game() -> dict[tuple[str, bool], list[Any]]:
    """Every family in its first game, apart those that see all cards."""
    found: dict[tuple[str, bool], list[Any]] = {}
    for name in sorted({name for name, _ in of(AGENTS)}):
        game = next(game for family, game in of(AGENTS) if family == name)
        agent = small(AGENTS.get(name))
        found.setdefault((game, sees_all_cards(agent)), []).append(agent)
    return found


@pytest.mark.parametrize("group", families_by_game(), ids=str)
def test_families_in_another_process(group):
    """Many in one process: starting it and loading compiled code takes most of the time."""
    agents = tuple(families_by_game()[group])
    check_agent(lambda: Together(agents, group[1]), game=GAMES.get(group[0])(), deals=1)


BIDS = {"klaverjas": {"bidding": "classical"}, "schieber": {"bidding": "schieben"}}


@pytest.mark.parametrize(("name", "game"), [pair for pair in of(BIDDERS) if pair[1] in BIDS])
def test_bidder(name, game):
    rules = GAMES.get(game)(**BIDS[game])
    check_agent(
        lambda: Player(Random(), small(BIDDERS.get(name))), game=rules, deals=1, other_process=False
    )


@pytest.mark.parametrize(
    "agent",
    [Rule("as-written"), SemiRandom(protect_tens=False, better=False), Random()],
)
def test_other_parameters(agent):
    check_agent(lambda: agent, game=Klaverjas(variant="amsterdam"), deals=4, other_process=False)


@pytest.mark.parametrize("rules", [Klaverjas(), Schieber(), Hearts()], ids=lambda each: each.name)
def test_policies_and_champions_of_some_size(rules):
    agents = PolicyPlayer(temperature=1.0), Champion(simulations=20, worlds=20)
    check_agent(lambda: Together(agents, False), game=rules, deals=2)


def test_nothing_is_left_out():
    assert {name for name, _ in of(AGENTS)} == set(installed(AGENTS)) - set(ELSEWHERE)
    assert {name for name, _ in of(BIDDERS)} == set(installed(BIDDERS))

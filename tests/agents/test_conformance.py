"""Every registered family and bidder passes the conformance suite that plug-ins must pass.

Nothing is listed here: what is registered is tested, in every game that it plays, at small sizes.
"""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any

import pytest

from agents.random_ import Random
from agents.rule import Rule
from agents.semi_random import SemiRandom
from arena.core.agent import Player
from arena.core.registry import AGENTS, BIDDERS, GAMES
from arena.games.klaverjas import Klaverjas
from arena.games.needs import games_of
from arena.testing import check_agent

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


def must_be_told(family: Any) -> bool:
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
        if not must_be_told(registry.get(name))
        for game in games_of(registry.get(name))
    ]


def test_what_cannot_be_made_without_parameters_is_tested_elsewhere():
    """Programs of other people's, by `check-bot` and in tests/process."""
    assert [name for name in installed(AGENTS) if must_be_told(AGENTS.get(name))] == ["command"]
    assert not [name for name in installed(BIDDERS) if must_be_told(BIDDERS.get(name))]


@pytest.mark.parametrize(("name", "game"), of(AGENTS))
def test_family(name, game):
    rules = GAMES.get(game)()
    check_agent(lambda: small(AGENTS.get(name)), game=rules, deals=1, other_process=False)


@pytest.mark.parametrize("name", sorted({name for name, _ in of(AGENTS)}))
def test_family_in_another_process(name):
    game = next(game for family, game in of(AGENTS) if family == name)
    check_agent(lambda: small(AGENTS.get(name)), game=GAMES.get(game)(), deals=1)


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
    check_agent(lambda: agent, game=Klaverjas(variant="amsterdam"), deals=4)


def test_nothing_is_left_out():
    assert {name for name, _ in of(AGENTS)} == set(installed(AGENTS)) - {"command"}
    assert {name for name, _ in of(BIDDERS)} == set(installed(BIDDERS))

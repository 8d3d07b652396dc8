"""All our agents pass the conformance suite that plug-ins must pass."""

from __future__ import annotations

import pytest

from agents.random_ import Random
from agents.rule import Rule
from agents.semi_random import SemiRandom
from arena.games.klaverjas import Klaverjas
from arena.registry import AGENTS
from arena.testing import check_agent


@pytest.mark.parametrize("family", ["random", "rule", "semi-random"])
def test_family(family):
    check_agent(family)


@pytest.mark.parametrize(
    "agent",
    [Rule("as-written"), SemiRandom(protect_tens=False, better=False), Random()],
)
def test_other_parameters(agent):
    check_agent(lambda: agent, game=Klaverjas(variant="amsterdam"), deals=4)


def test_they_are_registered_as_any_plug_in_is():
    assert AGENTS.get("random") is Random
    assert AGENTS.get("semi-random") is SemiRandom
    assert AGENTS.get("rule") is Rule

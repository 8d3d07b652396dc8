"""The champion and the policy players pass the suite that plug-ins must pass."""

from __future__ import annotations

import pytest

from agents.champion import Champion
from agents.policy import PolicyPlayer
from arena.core.rules import Rules
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.testing import check_agent


@pytest.mark.parametrize("rules", [Klaverjas(), Schieber(), Hearts()], ids=lambda each: each.name)
def test_conformance(rules: Rules) -> None:
    check_agent(lambda: PolicyPlayer(temperature=1.0), game=rules, deals=2)
    check_agent(lambda: Champion(simulations=20, worlds=20), game=rules, deals=2)

"""The conformance suite: what every agent and every game must do, those of plug-ins included.

In a test of a plug-in:

    from arena.testing import check_agent, check_game

    def test_my_agent() -> None:
        check_agent(MyAgent)

Each check raises `NotConformant`, an `AssertionError` that says what was done where.
"""

from arena.testing.agents import check_agent
from arena.testing.games import check_game
from arena.testing.rounds import NotConformant, rule_sets

__all__ = ["NotConformant", "check_agent", "check_game", "rule_sets"]

"""Cards that are passed on before the first trick, for agents that search only while playing."""

from __future__ import annotations

from agents.rule import Rule
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.parts import has_part


def pass_card(view: View, rng: Rng) -> Action:
    """The card that the rule player of the game would pass on; any, if there is no such player."""
    if has_part(type(view.rules), "rule_player"):
        return Rule().act(view, rng)
    return rng.choice(view.legal)

"""Weaker on purpose: the better a card seems, the likelier it is played.

A card is drawn with a chance proportional to exp(value / temperature), where its value is the margin in
points that the search expects. So small mistakes are frequent, large ones rare, and none is a blunder out of
nothing. What a temperature costs was measured with `ismcts` 800 (docs/play.md; `arena run strength-klaverjas`,
`strength-schieber` and `strength-hearts` measure it again).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp

import numpy as np

from agents.search.decision import CardStatistics
from arena.core.agent import parameter
from arena.core.errors import ArenaError
from arena.core.rules import Action, View
from arena.core.seeds import Rng

TEMPERATURES = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
LOSSES: dict[str, tuple[float, ...]] = {}
"""Points per deal that each of the temperatures costs, by game."""


@dataclass(frozen=True, kw_only=True)
class Strength:
    """The parameters of a search that can play below its strength."""

    strength: float = parameter(
        0.0, help="points per deal below full strength, such as -15", at_most=0
    )
    temperature: float = parameter(
        0.0, help="draw cards by exp(value / temperature); 0 plays the best card", at_least=0
    )

    def __post_init__(self) -> None:
        if self.strength and self.temperature:
            raise ArenaError("give either strength or temperature, not both")
        if self.is_weak and getattr(self, "value", "difference") not in ("difference", "own-points"):
            raise ArenaError("strength and temperature need values in points")

    @property
    def is_weak(self) -> bool:
        """Whether it plays below its strength."""
        return self.strength < 0.0 or self.temperature > 0.0

    def measured(self, games: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Those of the games in which it can be that weak."""
        if not self.strength:
            return games
        known = [game for game, losses in LOSSES.items() if losses[-1] >= -self.strength]
        return tuple(game for game in known if games is None or game in games)

    def drawn(self, view: View, cards: Mapping[Action, CardStatistics], rng: Rng) -> Action:
        """A card, with a chance by its value."""
        temperature = self.temperature or self._temperature_in(view.rules.name)
        if getattr(self, "value", "difference") == "own-points" and len(view.rules.sides) == 2:
            temperature /= 2.0  # what one side makes more, the other makes less
        tried = {card: found.value for card, found in cards.items() if found.visits}
        best = max(tried.values())
        weights = {card: exp((value - best) / temperature) for card, value in tried.items()}
        goal = rng.random() * sum(weights.values())
        for card, weight in weights.items():
            goal -= weight
            if goal < 0.0:
                break
        return card

    def _temperature_in(self, game: str) -> float:
        """The temperature that costs so many points, between those that were measured."""
        return float(np.interp(-self.strength, LOSSES[game], TEMPERATURES))

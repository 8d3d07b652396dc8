"""Weaker on purpose: the better a card seems, the likelier it is played.

A card is drawn with a chance proportional to exp(value / temperature), where its value is the
margin in points that the search expects. So small mistakes are frequent, large ones rare, and
none is a blunder out of nothing.

What a temperature costs was measured with `ismcts` against itself at full strength, on random
deals: Klaverjas 500 deals with 800 simulations and 250 with 400 (standard errors 2 to 4 points),
Schieber 300 deals with 800 (1 to 2 points), Hearts 80 deals with 400 (0.3 points). What the
champion loses is in docs/play.md.
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

LOSSES: dict[str, dict[float, float]] = {
    "klaverjas": {4: 2.4, 8: 8.7, 16: 20.5, 32: 33.9, 64: 46.6, 128: 57.9, 256: 66.9},
    "schieber": {1: 1.7, 2: 3.1, 4: 8.5, 8: 19.4, 16: 31.7, 32: 41.2},
    "hearts": {0.5: 0.7, 1: 1.4, 2: 2.5, 4: 3.7, 8: 5.6},
}
"""By game: points per deal that temperatures cost, both ascending."""


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
        if self.is_weak and getattr(self, "value", "difference") not in (
            "difference",
            "own-points",
        ):
            raise ArenaError("strength and temperature need values in points")

    @property
    def is_weak(self) -> bool:
        """Whether it plays below its strength."""
        return self.strength < 0.0 or self.temperature > 0.0

    def measured(self, games: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Those of the games in which it can be that weak."""
        if not self.strength:
            return games
        known = [game for game, losses in LOSSES.items() if max(losses.values()) >= -self.strength]
        return tuple(game for game in known if games is None or game in games)

    def drawn(self, view: View, cards: Mapping[Action, CardStatistics], rng: Rng) -> Action:
        """A card, with a chance by its value."""
        temperature = self.temperature or self.temperature_in(view.rules.name)
        if getattr(self, "value", "difference") == "own-points" and len(view.rules.sides) == 2:
            temperature /= 2.0  # what one side makes more, the other makes less
        tried = {card: found.value for card, found in cards.items() if found.visits}
        best = max(tried.values())
        weights = {card: exp((value - best) / temperature) for card, value in tried.items()}
        return rng.weighted(weights)

    def temperature_in(self, game: str) -> float:
        """The temperature that costs so many points, between those that were measured."""
        losses = {0.0: 0.0, **LOSSES[game]}
        return float(np.interp(-self.strength, [*losses.values()], [*losses]))

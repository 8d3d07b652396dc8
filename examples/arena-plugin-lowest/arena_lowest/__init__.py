"""Plays its lowest legal card."""

from __future__ import annotations

from dataclasses import dataclass

from arena.core.agent import parameter
from arena.core.cards import rank_of
from arena.core.rules import Action, View
from arena.core.seeds import Rng

__all__ = ["Lowest"]


@dataclass(frozen=True)
class Lowest:
    """Plays the legal card of the lowest rank; bids and passes cards at random.

    Source: the natural first try of every plug-in author.
    """

    lead_high: bool = parameter(False, help="whether to lead the highest card instead")

    def act(self, view: View, rng: Rng) -> Action:
        """The lowest card; ties go to the first suit."""
        if view.phase != "play":
            return rng.choice(view.legal)
        if self.lead_high and not view.table:
            return max(view.legal, key=rank_of)
        return min(view.legal, key=rank_of)

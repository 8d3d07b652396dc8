"""Plays at random: the floor that every other agent is measured from."""

from __future__ import annotations

from dataclasses import dataclass

from arena.core.rules import Action, View
from arena.core.seeds import Rng


@dataclass(frozen=True)
class Random:
    """Any legal bid, pass or card, all equally likely.

    Source: the random player of Hoogenboom 2017, Hordijk 2022 and Kiele 2024.
    Differs: it also bids at random unless the configuration names a bidder.
    """

    def act(self, view: View, rng: Rng) -> Action:
        """One of the legal actions."""
        return rng.choice(view.legal)

    def probabilities(self, view: View) -> dict[Action, float]:
        """How likely each legal action is."""
        return dict.fromkeys(view.legal, 1 / len(view.legal))

"""Plays at random, but not the cards that a beginner would not play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from arena.core.agent import parameter
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.parts import part_of


@dataclass(frozen=True)
class SemiRandom:
    """Avoids giving roem, aces and tens away, takes sure roem, and is random otherwise.

    Source: Hoogenboom 2017, section 6.1; each game's `semi_random` module says which
    cards are meant. The compiled playouts play the same cards. Differs: the program of
    the thesis often kept one of several bad cards by mistake, here none is kept; for
    Schieber and Hearts nothing is published. Bids and passed cards are random unless the
    configuration names a bidder.
    """

    needs: ClassVar[tuple[str, ...]] = ("semi-random",)

    protect_tens: bool = parameter(True, help="whether tens are protected like aces")
    better: bool = parameter(True, help="whether cards that are sure to bring a bonus go first")

    def act(self, view: View, rng: Rng) -> Action:
        """One of the candidates, all equally likely."""
        if view.phase != "play":
            return rng.choice(view.legal)
        cards = self._candidates(view)
        # As in the compiled playouts, a choice of one draws nothing.
        return cards[0] if len(cards) == 1 else rng.choice(cards)

    def probabilities(self, view: View) -> dict[Action, float]:
        """How likely each action is."""
        cards = self._candidates(view) if view.phase == "play" else view.legal
        return dict.fromkeys(cards, 1 / len(cards))

    def _candidates(self, view: View) -> Sequence[Action]:
        game = part_of(type(view.rules), "semi_random")
        found: list[int] = game.candidates(view, protect_tens=self.protect_tens, better=self.better)
        return found

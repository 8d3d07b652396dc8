"""Plays at random, but not the cards that a beginner would not play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from arena.agent import parameter
from arena.games.hearts import semi_random as hearts
from arena.games.klaverjas import semi_random as klaverjas
from arena.games.schieber import semi_random as schieber
from arena.rules import Action, View
from arena.seeds import Rng

__all__ = ["SemiRandom"]


class _Candidates(Protocol):
    """The cards that are left to choose from."""

    def __call__(self, view: View, *, protect_tens: bool, better: bool) -> list[int]: ...


_CANDIDATES: dict[str, _Candidates] = {
    "hearts": hearts.candidates,
    "klaverjas": klaverjas.candidates,
    "schieber": schieber.candidates,
}


@dataclass(frozen=True)
class SemiRandom:
    """Avoids giving roem, aces and tens away, takes sure roem, and is random otherwise.

    Source: Hoogenboom 2017, section 6.1; each game's `semi_random` module says which
    cards are meant. The compiled playouts play the same cards. Differs: the program of
    the thesis often kept one of several bad cards by mistake, here none is kept; for
    Schieber and Hearts nothing is published. Bids and passed cards are random unless a
    bidder is set beside it.
    """

    games: ClassVar[tuple[str, ...]] = tuple(_CANDIDATES)

    protect_tens: bool = parameter(True, help="whether tens are protected like aces")
    better: bool = parameter(True, help="whether cards that are sure to bring a bonus go first")

    def act(self, view: View, rng: Rng) -> Action:
        """One of the candidates, all equally likely."""
        if view.phase != "play":
            return rng.choice(view.legal)
        find = _CANDIDATES[view.rules.name]
        cards = find(view, protect_tens=self.protect_tens, better=self.better)
        # As in the compiled playouts, a choice of one draws nothing.
        return cards[0] if len(cards) == 1 else rng.choice(cards)

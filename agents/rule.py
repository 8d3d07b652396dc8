"""Simple rules of thumb: one family, one book of rules per game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from agents import rule_klaverjas
from agents.rule_klaverjas import Mode
from arena.agent import parameter
from arena.rules import Action, View
from arena.seeds import Rng

__all__ = ["Rule"]

_BOOKS: dict[str, Callable[[View, Mode], Action]] = {
    "klaverjas": rule_klaverjas.choose_card,
}


@dataclass(frozen=True)
class Rule:
    """Follows a few simple rules; plays winners, else the card with the fewest points.

    Source: Hordijk 2022, figure 2, and its program as corrected by Aaldering 2023.
    Differs: bids are legal calls at random unless a bidder is set beside it.
    """

    games: ClassVar[tuple[str, ...]] = tuple(_BOOKS)

    mode: Mode = parameter(
        "as-published",
        help="the agent of the published comparisons with its quirks, or what the text means",
    )

    def act(self, view: View, rng: Rng) -> Action:
        """The card by the book of this game."""
        if view.phase != "play":
            return rng.choice(view.legal)
        return _BOOKS[view.rules.name](view, self.mode)

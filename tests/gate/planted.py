"""Agents with a regression planted in them, all of one family, so that code "changes" under it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from agents.semi_random import SemiRandom
from arena.rules import Action, View
from arena.seeds import Rng


@dataclass(frozen=True)
class Planted:
    """Semi-random play, unless `FLAW` says otherwise."""

    FLAW: ClassVar[str] = ""

    def act(self, view: View, rng: Rng) -> Action:
        if self.FLAW == "refactored":
            cards = SemiRandom()
            return cards.act(view=view, rng=rng)
        if self.FLAW == "worst card":
            return max(view.legal)
        if self.FLAW == "illegal" and rng.random() < 0.002 and view.phase == "play":
            return _other_card(view)
        return SemiRandom().act(view, rng)


def _other_card(view: Any) -> int:
    return next(card for card in range(52) if not view.hand >> card & 1)

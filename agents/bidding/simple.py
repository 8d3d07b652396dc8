"""Bidders that do not look at their cards: what the others are measured from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.bidding.calls import call_for, pass_call, trumps_on_offer
from arena.core.rules import Action, View
from arena.core.seeds import Rng


@dataclass(frozen=True)
class Always:
    """Never passes: plays on any suit turned up, or names any trump, all equally likely.

    Source: none; the end of the scale.
    """

    needs: ClassVar[tuple[str, ...]] = ("usual-bids",)

    def bid(self, view: View, rng: Rng) -> Action:
        """A call that declares."""
        return call_for(view, rng.choice(trumps_on_offer(view)))


@dataclass(frozen=True)
class Never:
    """Passes as long as it may; who must declare names any trump, all equally likely.

    Source: none; the other end of the scale.
    """

    needs: ClassVar[tuple[str, ...]] = ("usual-bids",)

    def bid(self, view: View, rng: Rng) -> Action:
        """A pass, if there is one."""
        passing = pass_call(view)
        return call_for(view, rng.choice(trumps_on_offer(view))) if passing is None else passing


@dataclass(frozen=True)
class RandomBidder:
    """Any legal call, all equally likely.

    Source: none.
    """

    def bid(self, view: View, rng: Rng) -> Action:
        """One of the legal calls."""
        return rng.choice(view.legal)

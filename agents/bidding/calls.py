"""What can be called in an auction, the same for all of its forms.

In a classical auction one suit is turned up, and the calls are play and pass. In other auctions a
call names a trump, and passing is called pass or push, or is not allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.core.rules import PASS, PLAY, PUSH, Action, View, choose_trump, chosen_trump


def trumps_on_offer(view: View) -> tuple[int, ...]:
    """The trumps that this seat could make now: the suit turned up, or those it may name."""
    if PLAY in view.legal:
        return view.turn_ups[-1:]
    return tuple(trump for call in view.legal if (trump := chosen_trump(call)) is not None)


def call_for(view: View, trump: int) -> Action:
    """The call that makes one of the trumps on offer trump."""
    return PLAY if PLAY in view.legal else choose_trump(trump)


def pass_call(view: View) -> Action | None:
    """The call that leaves trump to others; None if this seat must declare."""
    return next((call for call in (PASS, PUSH) if call in view.legal), None)


def best_or_pass(view: View, ratings: Mapping[int, Any], more_than: Any) -> Action:
    """Declare the trump with the highest rating, or pass if it is not `more_than` so much.

    Trumps of the same rating go in the order of `ratings`.
    """
    best = max(ratings, key=ratings.__getitem__)
    passing = pass_call(view)
    if passing is None or ratings[best] > more_than:
        return call_for(view, best)
    return passing

"""Semi-random play: who can take a trick that was led, takes it (`better`)."""

from __future__ import annotations

from arena.core.rules import View
from arena.games.kernel.order import in_kernel_order, kernel_bits

from .rules import DECK, STRENGTH

__all__ = ["candidates"]


def candidates(view: View, *, protect_tens: bool = True, better: bool = True) -> list[int]:
    """The cards to choose from, in the kernel's order."""
    place = len(view.table)
    taking = [
        card
        for card in view.legal
        if place and better and view.rules.trick_winner((*view.table, card), None) == place
    ]
    return in_kernel_order(taking or view.legal, kernel_bits(DECK, None, STRENGTH))

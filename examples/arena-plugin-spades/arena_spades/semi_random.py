"""Semi-random play: any card, but not the ones that a beginner would not play.

* Who bid nil stays below if it can.
* Any other seat does not beat partner (`protect_tens`, in want of tens to protect), unless partner
  bid nil and must be saved (`better`); and if the other side holds the trick and this is its
  last card, takes it (`better`).

Among the candidates all are equally likely. Any card may be led.

Deviations: there is no published definition for Spades.
"""

from __future__ import annotations

from arena.core.rules import View
from arena.games.kernel.order import in_kernel_order, kernel_bits
from arena_spades.rules import tricks_bid
from arena_spades.tables import DECK, STRENGTH, TRUMP

__all__ = ["candidates"]


def candidates(view: View, *, protect_tens: bool = True, better: bool = True) -> list[int]:
    """The cards to choose from, in the kernel's order (see `arena.games.kernel.order`)."""
    chosen = _wanted(view, protect_tens, better) if view.table else []
    return in_kernel_order(chosen or list(view.legal), kernel_bits(DECK, TRUMP, STRENGTH))


def _wanted(view: View, protect_tens: bool, better: bool) -> list[int]:
    rules, place = view.rules, len(view.table)
    taking = [
        card for card in view.legal if rules.trick_winner((*view.table, card), TRUMP) == place
    ]
    below = [card for card in view.legal if card not in taking]
    bids = {call.seat: tricks_bid(call) for call in view.bids}
    if bids[view.seat] == 0:
        return below
    holder = view.seat_at(rules.trick_winner(view.table, TRUMP))
    if rules.side_of(holder) == rules.side_of(view.seat):
        if bids[holder] == 0:
            return taking if better else []
        return below if protect_tens else []
    return taking if better and place == rules.players - 1 else []

"""Semi-random play: any card except those that even a beginner would avoid.

The three ideas of Hoogenboom 2017, section 6.1 (Klaverjas), turned round, because here
points are bad and it is the low cards that win: don't take points, don't throw low cards
away, take a sure bonus. For each legal card look who holds the trick after it.

* We: the card is *bad* if there are points in the trick, its own included.
* Another seat, and then we cannot take the trick any more: the card is *better* if it is
  the queen of spades, or if that cannot be given away, a heart. If we are last and could
  take a trick without points, staying below is *bad*: the low card will be needed.

A better card is played if there is one (`better`), else one that is not bad, else any;
among the candidates all are equally likely. `protect_tens` means nothing here.

Deviations: there is no published definition for Hearts. The moon is not considered.
"""

from __future__ import annotations

from arena.core.cards import DECK, suit_of
from arena.core.rules import View
from arena.games.hearts.tables import POINT_CARDS, QUEEN
from arena.games.kernel.order import in_kernel_order, kernel_bits

STRENGTH = tuple(range(DECK.bit_count()))


def bad_cards(view: View, *, protect_tens: bool = True) -> list[int]:
    """The legal cards that take points, or waste a low card."""
    points_on_table = any(POINT_CARDS >> card & 1 for card in view.table)
    taking = [card for card in view.legal if _takes(view, card)]
    costly = [card for card in taking if points_on_table or POINT_CARDS >> card & 1]
    could_take_for_nothing = len(costly) < len(taking)
    if len(view.table) == view.rules.players - 1 and could_take_for_nothing:
        return costly + [card for card in view.legal if card not in taking]
    return costly


def better_cards(view: View) -> list[int]:
    """The legal cards that give points away for sure."""
    given = [c for c in view.legal if POINT_CARDS >> c & 1 and not _takes(view, c)]
    return [c for c in given if QUEEN >> c & 1] or given


def candidates(view: View, *, protect_tens: bool = True, better: bool = True) -> list[int]:
    """The cards to choose from, in the kernel's order (see `arena.games.kernel.order`)."""
    chosen = better_cards(view) if better else []
    if not chosen:
        bad = bad_cards(view)
        chosen = [card for card in view.legal if card not in bad] or list(view.legal)
    return in_kernel_order(chosen, kernel_bits(DECK, None, STRENGTH))


def _takes(view: View, card: int) -> bool:
    """Whether we hold the trick once `card` is on the table."""
    if not view.table:
        return True
    led = suit_of(view.table[0])
    best = max(c for c in view.table if suit_of(c) == led)
    return suit_of(card) == led and card > best

"""Semi-random play: any card except those that even a beginner would avoid.

Source: Hoogenboom 2017, section 6.1. For each legal card look who holds the trick after it.

* The opponents: the card is *bad* if we are third or fourth and it raises the roem on the
  table, or if it is an ace or ten (`protect_tens`) neither of the suit led nor trump.
* We or partner: the card is *better* if we are last and it raises the roem (`better`).

A better card is played if there is one, else one that is not bad, else any; among the
candidates all are equally likely.

Deviations: the published program deletes bad cards in a loop that skips some; here they
are all deleted.
"""

from __future__ import annotations

from arena.core.cards import RANKS, rank_of, suit_of
from arena.core.rules import View
from arena.games.kernel.order import in_kernel_order, kernel_bits
from arena.games.klaverjas.rules import Klaverjas, roem
from arena.games.klaverjas.tables import DECK, STRENGTH

_ACE, _TEN = RANKS.index("A"), RANKS.index("T")


def bad_cards(view: View, *, protect_tens: bool = True) -> list[int]:
    """The legal cards that give something away."""
    protected = (_ACE, _TEN) if protect_tens else (_ACE,)
    return [
        card
        for card in view.legal
        if not _ours_after(view, card)
        and (
            (len(view.table) >= 2 and _raises_roem(view, card))
            or (
                rank_of(card) in protected
                and suit_of(card) not in (suit_of(view.table[0]), view.trump)
            )
        )
    ]


def better_cards(view: View) -> list[int]:
    """The legal cards that bring roem for sure."""
    if len(view.table) < 3:
        return []
    return [card for card in view.legal if _ours_after(view, card) and _raises_roem(view, card)]


def candidates(view: View, *, protect_tens: bool = True, better: bool = True) -> list[int]:
    """The cards to choose from, in the kernel's order (see `arena.games.kernel.order`)."""
    chosen = better_cards(view) if better else []
    if not chosen:
        bad = bad_cards(view, protect_tens=protect_tens)
        chosen = [card for card in view.legal if card not in bad] or list(view.legal)
    assert view.trump is not None  # cards are played once trump is known
    return in_kernel_order(chosen, kernel_bits(DECK, view.trump, STRENGTH[view.trump]))


def _ours_after(view: View, card: int) -> bool:
    """Whether our side holds the trick once `card` is on the table."""
    table = (*view.table, card)
    places_before_us = len(view.table) - _rules(view).trick_winner(table, view.trump)
    return places_before_us % 2 == 0


def _raises_roem(view: View, card: int) -> bool:
    assert view.trump is not None  # cards are played once trump is known
    four_jacks = _rules(view).four_jacks
    return roem((*view.table, card), view.trump, four_jacks) > roem(
        view.table, view.trump, four_jacks
    )


def _rules(view: View) -> Klaverjas:
    rules = view.rules
    assert isinstance(rules, Klaverjas)
    return rules

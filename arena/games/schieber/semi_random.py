"""Semi-random play: any card except those that even a beginner would avoid.

The three ideas of Hoogenboom 2017, section 6.1 (Klaverjas): don't give points, don't throw
winners away, take a sure bonus. For each legal card look who holds the trick after it.

* The opponents: the card is *bad* if it is worth 8 points or more and we are third or
  fourth, or, in any place, if it is neither of the suit led nor trump. So points are not
  given to a trick that is probably lost, and aces and tens are not discarded.
* We or partner: the card is *better* if we are last and it is *fat*: worth 8 points or more
  but neither trump nor the strongest of its suit. That is the ten, and without a trump
  suit the eight too. It brings points that it would hardly win by itself.

A better card is played if there is one (`better`), else one that is not bad, else any;
among the candidates all are equally likely. Without `protect_tens` no fat card is bad.

Deviations: there is no published definition for Schieber.
"""

from __future__ import annotations

from arena.core.cards import cards_of, suit_of
from arena.core.rules import View
from arena.games.kernel.order import in_kernel_order, kernel_bits
from arena.games.schieber.rules import Schieber
from arena.games.schieber.tables import DECK, POINTS, STRENGTH, SUIT_MASK

RICH = 8
"""Points from which on a card is worth protecting."""


def rich_cards(trump: int) -> set[int]:
    """The cards that are worth protecting."""
    return {card for card in cards_of(DECK) if POINTS[trump][card] >= RICH}


def fat_cards(trump: int) -> set[int]:
    """The rich cards that are neither trump nor the strongest of their suit."""
    strongest = {max(cards_of(suit), key=STRENGTH[trump].__getitem__) for suit in SUIT_MASK}
    return {card for card in rich_cards(trump) - strongest if suit_of(card) != trump}


def bad_cards(view: View, *, protect_tens: bool = True) -> list[int]:
    """The legal cards that give something away."""
    assert view.trump is not None  # cards are played once trump is known
    protected = rich_cards(view.trump)
    if not protect_tens:
        protected -= fat_cards(view.trump)
    return [
        card
        for card in view.legal
        if card in protected
        and not _ours_after(view, card)
        and (len(view.table) >= 2 or suit_of(card) not in (suit_of(view.table[0]), view.trump))
    ]


def better_cards(view: View) -> list[int]:
    """The legal cards that bring points for sure."""
    if len(view.table) < 3:
        return []
    assert view.trump is not None  # cards are played once trump is known
    fat = fat_cards(view.trump)
    return [card for card in view.legal if card in fat and _ours_after(view, card)]


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
    rules = view.rules
    assert isinstance(rules, Schieber)
    table = (*view.table, card)
    return (len(view.table) - rules.trick_winner(table, view.trump)) % 2 == 0

"""The rule agent of the Klaverjas theses.

Source: Hordijk 2022, figure 2 (pseudo code), and the program behind the figures of
Hordijk 2022 and Aaldering 2023. All published comparisons used the program, which
differs from the pseudo code, so there are modes:

* `as-published`: the program of 2023, which is that of 2022 with the team test made
  right in every seat. Second and fourth hand compare ranks and strengths without
  looking at the suit, and third hand has "can follow suit" the wrong way round.
* `as-published-2022`: the same with the team test of 2022, by which the seats E and W
  are always the own side: in N and S the last player helps the wrong one.
* `as-written`: what the pseudo code means.

In both, cards are looked through in the order dealt and the first that fits is played;
lowest and highest go by points, the first dealt on ties. The highest card left of a suit
is the best one that is in no finished trick: those on the table and one's own count.
Roem is never considered.

Differs: nothing from the program; where the pseudo code leaves open which of several
fitting cards is meant, `as-written` takes the first dealt, as the program does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from arena.core.cards import cards_of, rank_of, suit_of
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.klaverjas.tables import DECK, POINTS, STRENGTH, SUIT_MASK

Mode: TypeAlias = Literal["as-published", "as-published-2022", "as-written"]


_OWN_SIDE_IN_2022 = (1, 3)
"""E and W, whatever seat the player has."""


def act(view: View, rng: Rng, mode: Mode = "as-published") -> Action:
    """The card by the rules; a bid at random."""
    return rng.choice(view.legal) if view.phase == "bid" else choose_card(view, mode)


def choose_card(view: View, mode: Mode) -> int:
    """The card that the rule agent plays."""
    if len(view.legal) == 1:
        return view.legal[0]
    legal = [card for card in view.dealt_hand if card in view.legal]
    place = len(view.table)
    if place == 0:
        card = _first_winner(view, legal)
    elif place == 1:
        card = _second_hand(view, legal, mode)
    elif place == 2:
        card = _third_hand(view, legal, mode)
    else:
        card = _fourth_hand(view, legal, mode)
    return _lowest(view, legal) if card is None else card


# Each of these is a card, or None for the lowest.


def _first_winner(view: View, legal: Sequence[int]) -> int | None:
    for card in legal:
        if card == _highest_left(view, suit_of(card)):
            return card
    return None


def _second_hand(view: View, legal: Sequence[int], mode: Mode) -> int | None:
    best = _highest_left(view, suit_of(view.table[0]))
    if mode == "as-written":
        return best if best in legal else None
    return _first_of_rank(legal, rank_of(best))


def _third_hand(view: View, legal: Sequence[int], mode: Mode) -> int | None:
    led = view.table[0]
    can_follow = suit_of(legal[0]) == suit_of(led)  # if one card follows suit, all legal ones do
    best = _highest_left(view, suit_of(led))
    if mode == "as-written":
        return _highest(view, legal) if can_follow and led == best else None
    if can_follow:
        return None
    return _highest(view, legal) if led == best else _first_of_rank(legal, rank_of(best))


def _fourth_hand(view: View, legal: Sequence[int], mode: Mode) -> int | None:
    table, trump = view.table, _trump(view)
    strength = STRENGTH[trump]
    suits_that_win = (suit_of(table[0]), trump)
    holding = max(
        (card for card in table if suit_of(card) in suits_that_win), key=strength.__getitem__
    )
    own_side_holds = holding == table[1]
    if mode == "as-published-2022":
        own_side_holds = view.seat_at(table.index(holding)) in _OWN_SIDE_IN_2022
    if own_side_holds:
        return _highest(view, legal)
    for card in legal:
        takes_it = mode != "as-written" or suit_of(card) in suits_that_win
        if takes_it and strength[card] > strength[holding]:
            return card
    return None


def _highest_left(view: View, suit: int) -> int:
    gone = 0
    for trick in view.tricks:
        for card in trick.cards:
            gone |= 1 << card
    left = cards_of(DECK & SUIT_MASK[suit] & ~gone)
    return max(left, key=STRENGTH[_trump(view)].__getitem__)


def _first_of_rank(legal: Sequence[int], rank: int) -> int | None:
    return next((card for card in legal if rank_of(card) == rank), None)


def _lowest(view: View, legal: Sequence[int]) -> int:
    return min(legal, key=POINTS[_trump(view)].__getitem__)


def _highest(view: View, legal: Sequence[int]) -> int:
    return max(legal, key=POINTS[_trump(view)].__getitem__)


def _trump(view: View) -> int:
    assert view.trump is not None  # cards are played once trump is known
    return view.trump

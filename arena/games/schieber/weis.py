"""Weis and Stöck: what combinations of cards in a hand are worth.

Sources: the customary Swiss rules, with the older count of long runs; no published
program plays them.

* A run of three in a suit is worth 20, of four 50, of five or more 100; runs go by
  6 7 8 9 T J Q K A in every suit, trump or not. Four alike are worth 100, four nines
  150, four jacks 200, whatever is trump. A card may count in a run and in four alike.
* The side that holds the best single Weis scores all of its Weis, of both partners,
  even if it takes no trick; the other side scores none. The best is the one with the
  most points; among equals the one with the most cards (five in a row beat four
  aces); then the one with the higher top card (in une-ufe: the lower); then the one
  in trumps; then the one announced first, counting from the forehand.
* Stöck, king and queen of trump in one hand, is worth 20 to the holder's side,
  whichever side has the best Weis. There is none in obe-abe and une-ufe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.core.cards import LANE, RANKS
from arena.core.rules import UNE
from arena.games.schieber.tables import FOUR_ALIKE, NATURAL_ORDER, RUN, STOECK_CARDS, SUIT_MASK


class Weis(NamedTuple):
    """One combination. Of two, the greater one is better; equal ones go by order of play."""

    points: int
    size: int
    height: int
    """Of the top card; in une-ufe the top card is the lowest."""
    in_trumps: bool
    cards: int
    """The cards, as a mask. Never decides: see `better`."""

    def better(self, other: Weis) -> bool:
        """Whether this beats `other`, not counting who announced first."""
        return self[:4] > other[:4]


def weis_in(hand: int, trump: int) -> list[Weis]:
    """The combinations in a hand, runs first.

    >>> from arena.core.cards import CardSet
    >>> [weis.points for weis in weis_in(CardSet.parse("H6 H7 H8 C9 D9 H9 S9").mask, 2)]
    [50, 150]
    """
    return [*_runs(hand, trump), *_four_alike(hand, trump)]


def _runs(hand: int, trump: int) -> list[Weis]:
    found = []
    for suit, mask in enumerate(SUIT_MASK):
        rest = hand & mask
        while rest:
            low = rest & -rest
            # Adding the lowest bit carries through its run of ones and clears them all.
            run = rest & ~(rest + low)
            rest &= ~run
            size = run.bit_count()
            if size in RUN:
                lowest = (low.bit_length() - 1) % LANE
                height = -lowest if trump == UNE else lowest + size - 1
                found.append(Weis(RUN[size], size, height, suit == trump, run))
    return found


def _four_alike(hand: int, trump: int) -> list[Weis]:
    found = []
    for name in NATURAL_ORDER:
        rank = RANKS.index(name)
        four = sum(1 << LANE * suit + rank for suit in range(4))
        if hand & four == four:
            found.append(Weis(FOUR_ALIKE[name], 4, -rank if trump == UNE else rank, False, four))
    return found


def announced(hands: Sequence[int], trump: int, forehand: int) -> dict[int, list[Weis]]:
    """The Weis that count, by seat: those of the side that has the best one.

    `hands` are as dealt; the turn goes from the forehand counter-clockwise.
    """
    best: Weis | None = None
    winner = forehand
    of_seat = {}
    for place in range(4):
        seat = (forehand - place) % 4
        of_seat[seat] = weis_in(hands[seat], trump)
        for weis in of_seat[seat]:
            if best is None or weis.better(best):
                best, winner = weis, seat
    return {seat: of_seat[seat] for seat in (winner, (winner + 2) % 4) if of_seat[seat]}


def stoeck_holder(hands: Sequence[int], trump: int) -> int | None:
    """The seat that was dealt king and queen of trump, if one was."""
    if trump >= len(STOECK_CARDS):
        return None
    pair = STOECK_CARDS[trump]
    return next((seat for seat, hand in enumerate(hands) if hand & pair == pair), None)

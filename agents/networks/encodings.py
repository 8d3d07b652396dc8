"""What networks are shown: a position as numbers, by compiled code and without Python objects.

A *position* is what there is to say about a round, from the point of view of one seat: `SIZE`
words, sets of cards in kernel coordinates. Seats are *places*: 0 is the one who looks, 1 plays
after them, and so on. An encoding turns a position into the inputs of a network:

| encoding | inputs | what |
|---|---|---|
| `places` | 9 for each card + 11 | what one seat knows (Aaldering 2023, 3.2); Klaverjas has 299 |
| `world` | 579 or 581 | all hands, for a world that is known or drawn |
| `seat` | 581 or 583 | what one seat knows, as sets of cards; for beliefs and policies |

The larger numbers have two inputs more at the end: whether no suit is trump and the highest
(Obenabe) or the lowest (Undenufe) of a suit wins.

`places` is as published: a row for each card, trumps first and from 7 to ace in each suit, with
the chance that it is in each of nine places: own hand, the others' hands, the four places of the
trick in progress, and finished tricks. An unseen card is equally likely in every hand that may
hold it. Then the seat that led the round and the seat to act (four values each), whether the own
side declared, and the points of both sides so far, roem included. In games without a trump suit,
the suits are in the order of the kernel.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.core.cards import SUITS, suit_of
from arena.games.kernel.bits import ctz
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import (
    DECK,
    HANDS,
    ONE,
    S16,
    STEP,
    SUIT_WIDTH,
    TABLE,
    TAKEN,
    THREE,
    ZERO,
    Word,
    Words,
)
from arena.games.kernel.layout import DECLARER as STATE_DECLARER
from arena.games.kernel.layout import PLAYED as STATE_PLAYED
from arena.games.kernel.layout import TURN as STATE_TURN
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.step import side_of

VERSIONS = {"places": 1, "world": 1, "seat": 1, "cards": 1}
"""Of what networks are shown: models made for another version are refused. (`cards` is in
`agents.policies.card_inputs`.)"""

Rows: TypeAlias = NDArray[np.int64]
Values: TypeAlias = NDArray[np.float32]

# --- positions ---------------------------------------------------------------------------

HELD = 0
"""`position[HELD + place]`: the cards of a place; those of others are true, or drawn."""
PLAYED = 4
LYING = 8
"""The card of a place in the trick in progress."""
MAY = 12
"""The unseen cards that a place may hold; 0 for the one who looks."""
LEADER, TURN, DECLARER = 16, 17, 18
"""Places: who led the first trick, who is to play, who declared."""
OWN, THEIRS = 19, 20
"""Points and bonus of both sides so far."""
MODE = 21
LEGAL, CARD = 22, 23
"""The cards that may be played, and the one that was: only in positions to learn from."""
SIZE = 24

_PART = np.uint64(0xFFFF)
_TAIL = 11
WORLD = 9 * 64 + 3
SEAT = 9 * 64 + 5
MODES = 2
"""Inputs for what is trump if no suit is."""


def mode_of(game: KernelGame) -> int:
    """0 if a suit is trump or nothing can be, else which of the other trumps it is, from 1 on."""
    return 0 if game.trump is None else max(0, game.trump - len(SUITS) + 1)


@inlined
def look_from(
    viewer: Word, state: Words, game: Words, may: Words, leader: Word, mode: Word, position: Words
) -> None:
    """A state as a seat sees it; `may` are the cards that each seat may hold for all one knows."""
    step = game[STEP]
    played = ZERO
    for number in range(4):
        played |= state[STATE_PLAYED + np.uint64(number)]
    unseen = game[DECK] & ~(played | state[HANDS + viewer])
    seat = viewer
    for place in range(4):
        position[HELD + place] = state[HANDS + seat]
        position[PLAYED + place] = state[STATE_PLAYED + seat]
        position[LYING + place] = state[STATE_PLAYED + seat] & state[TABLE]
        position[MAY + place] = may[seat] & unseen if place else ZERO
        seat = (seat + step) & THREE
    position[LEADER] = (leader - viewer) * step & THREE
    position[TURN] = (state[STATE_TURN] - viewer) * step & THREE
    position[DECLARER] = (state[STATE_DECLARER] - viewer) * step & THREE
    side = side_of(game, viewer)
    position[OWN] = _taken(state[TAKEN + side])
    position[THEIRS] = _taken(state[TAKEN + (side ^ ONE)])
    position[MODE] = mode


@inlined
def _taken(taken: Word) -> Word:
    return Word((taken & _PART) + (taken >> S16 & _PART))


# --- encodings ---------------------------------------------------------------------------


def places_of(game: KernelGame) -> int:
    """How many inputs `places` has."""
    return 9 * len(game.cards) + _TAIL


@lru_cache(maxsize=64)
def rows_of(game: KernelGame) -> Rows:
    """For `places`: the row of each card, by its bit; trumps first."""
    rows = np.zeros(64, dtype=np.int64)

    def order(bit: int) -> tuple[int, int]:
        return (-(bit // SUIT_WIDTH), game.cards[bit])

    lanes: dict[int, set[int]] = {}
    for bit, card in game.cards.items():
        lanes.setdefault(bit // SUIT_WIDTH, set()).add(suit_of(card))
    assert all(len(suits) == 1 for suits in lanes.values())  # a lane is a suit
    for row, bit in enumerate(sorted(game.cards, key=order)):
        rows[bit] = row
    rows.flags.writeable = False
    return rows


@inlined
def enter_places(position: Words, rows: Rows, values: Values) -> None:
    """The encoding `places`."""
    values[:] = np.float32(0.0)
    _enter_cards(position[HELD], rows, 0, values)
    gone = ZERO
    for place in range(4):
        _enter_cards(position[LYING + place], rows, 4 + place, values)
        gone |= position[PLAYED + place] & ~position[LYING + place]
    _enter_cards(gone, rows, 8, values)
    left, across, right = position[MAY + 1], position[MAY + 2], position[MAY + 3]
    cards = left | across | right
    while cards != ZERO:
        card = cards & (~cards + ONE)
        cards ^= card
        first = 9 * rows[ctz(card)]
        is_left = np.float32(left & card != ZERO)
        is_across = np.float32(across & card != ZERO)
        is_right = np.float32(right & card != ZERO)
        share = np.float32(1.0) / (is_left + is_across + is_right)
        values[first + 1] = is_left * share
        values[first + 2] = is_across * share
        values[first + 3] = is_right * share
    tail = len(values) - _TAIL
    values[tail + np.int64(position[LEADER])] = np.float32(1.0)
    values[tail + 4 + np.int64(position[TURN])] = np.float32(1.0)
    values[tail + 8] = np.float32(position[DECLARER] & ONE == ZERO)
    values[tail + 9] = np.float32(position[OWN])
    values[tail + 10] = np.float32(position[THEIRS])


@inlined
def _enter_cards(cards: Any, rows: Rows, column: int, values: Values) -> None:
    while cards != ZERO:
        values[9 * rows[ctz(cards)] + column] = np.float32(1.0)
        cards &= cards - ONE


@inlined
def enter_world(position: Words, values: Values) -> None:
    """The encoding `world`: hands and cards played by place, the table; points in hundreds.

    The one who looks is the one to move.
    """
    values[:] = np.float32(0.0)
    table = ZERO
    for place in range(4):
        _spread(position[HELD + place], values, 64 * place)
        _spread(position[PLAYED + place], values, 64 * (4 + place))
        table |= position[LYING + place]
    _spread(table, values, 64 * 8)
    values[576] = np.float32(position[OWN]) / np.float32(100.0)
    values[577] = np.float32(position[THEIRS]) / np.float32(100.0)
    values[578] = np.float32(position[DECLARER] & ONE == ZERO)
    _enter_mode(position, values, WORLD)


@inlined
def enter_seat(position: Words, values: Values) -> None:
    """The encoding `seat`: own hand, cards played by place, the table, who may hold what.

    Then who declared. Whether they had to, the last input of the smaller form, is not known
    here, and stays 0.
    """
    values[:] = np.float32(0.0)
    _spread(position[HELD], values, 0)
    table = ZERO
    for place in range(4):
        _spread(position[PLAYED + place], values, 64 * (1 + place))
        table |= position[LYING + place]
    _spread(table, values, 64 * 5)
    for place in range(1, 4):
        _spread(position[MAY + place], values, 64 * (5 + place))
    values[576 + np.int64(position[DECLARER])] = np.float32(1.0)
    _enter_mode(position, values, SEAT)


@inlined
def _enter_mode(position: Words, values: Values, at: int) -> None:
    if len(values) > at and position[MODE] != ZERO:
        values[at + np.int64(position[MODE]) - 1] = np.float32(1.0)


@inlined
def _spread(cards: Any, values: Values, at: int) -> None:
    while cards != ZERO:
        values[at + np.int64(ctz(cards))] = np.float32(1.0)
        cards &= cards - ONE

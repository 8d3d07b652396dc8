"""A view as one string of bytes, for compiled code.

To make a state of a view in Python takes longer than a policy needs for its answer, and every
array that is handed to compiled code costs time as well. So Python only writes down what the
view says, the cards in the order in which they were played, and compiled code plays them again
(`observation`).
"""

from __future__ import annotations

from struct import Struct
from typing import TypeAlias

import numpy as np

from arena.core.rules import View
from arena.games.infoset import located
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import (
    DECLARER,
    HANDS,
    LEFT,
    LOW_HALF,
    OPENED,
    OWN_STATE,
    S16,
    STATE_WORDS,
    TAKEN,
    TRICKS,
    TURN,
    ZERO,
    Int,
    Word,
    Words,
)
from arena.games.kernel.spec import KernelGame, translate

ViewBytes: TypeAlias = bytes
"""First the numbers below, then a byte for each card that was played. Cards are as in
`arena.core.cards`."""

_SEATS = 4

_NUMBERS = Struct("<4Q4H4H4B")
_HANDS, _POINTS, _BONUS = 0, 32, 40
"""By seat, 0 if they are hidden; by side."""
_SEAT, _DECLARER, _LEADER = 48, 49, 50
_MORE = Struct("<4Q4QQ")
_SHOWN, _OWN, _OPENED = _NUMBERS.size, _NUMBERS.size + 32, _NUMBERS.size + 64
"""By seat, cards that it was seen to have; the game's own words; what has been opened."""
CARDS = _NUMBERS.size + _MORE.size
"""From here on, the cards that were played."""
_NO_MORE = tuple(_MORE.pack(*(0,) * 8, opened) for opened in (0, 1))
"""Most views have none of it."""
_PADDING = tuple((0,) * (_SEATS - count) for count in range(_SEATS + 1))


def encode_view(game: KernelGame, view: View) -> ViewBytes:
    """Encode the view of a seat that is to play a card."""
    seat, tricks, leader = view.seat, view.tricks, view.table_leader
    cards: list[int] = []
    if tricks:
        leader = tricks[0].leader
        for trick in tricks:
            cards += trick.cards
    cards += view.table
    hands = view.all_hands
    if hands is None:
        held = [0, 0, 0, 0]
        held[seat] = view.hand
    else:
        held = [*hands, *_PADDING[len(hands)]]
    missing = _PADDING[len(view.points)]
    more = _NO_MORE[view.opened]
    if view.shown or view.passed or game.fill_in is not None:
        more = _more(game, view)
    numbers = _NUMBERS.pack(
        *held, *view.points, *missing, *view.bonus, *missing,
        seat, view.declarer or 0, seat if leader is None else leader, 0,
    )  # fmt: skip
    return numbers + more + bytes(cards)


def _more(game: KernelGame, view: View) -> bytes:
    shown = [0] * _SEATS
    for seat, cards in located(view):
        shown[seat] |= cards
    state = [0] * STATE_WORDS
    state[OPENED] = int(view.opened)
    if game.fill_in is not None:
        game.fill_in(view, state)
    return _MORE.pack(*shown, *state[OWN_STATE:], state[OPENED])


# --- read by compiled code ---------------------------------------------------------------


@inlined
def _half(encoded: ViewBytes, at: Int) -> Word:
    return np.uint64(encoded[at]) | np.uint64(encoded[at + 1]) << np.uint64(8)


@inlined
def _word(encoded: ViewBytes, at: Int) -> Word:
    word = ZERO
    for i in range(4):
        word |= _half(encoded, at + 2 * i) << np.uint64(16 * i)
    return word


@inlined
def _mask(encoded: ViewBytes, at: Int, bits: np.ndarray) -> Word:
    """A set of cards, in kernel coordinates."""
    return Word(translate(_word(encoded, at), bits))


@inlined
def viewer_of(encoded: ViewBytes) -> Int:
    """The seat that has the view."""
    return np.int64(encoded[_SEAT])


@inlined
def shown_by(encoded: ViewBytes, seat: Int, bits: np.ndarray) -> Word:
    """The cards that a seat was seen to have, also those played since."""
    return Word(_mask(encoded, _SHOWN + 8 * seat, bits))


def leader_of(encoded: ViewBytes) -> int:
    """The seat that led the first trick; before that, the one that has the view."""
    return encoded[_LEADER]


@inlined
def begin(encoded: ViewBytes, game: Words, state: Words) -> None:
    """The round before its first card, with empty hands."""
    for i in range(STATE_WORDS):
        state[i] = ZERO
    state[TURN], state[LEFT] = np.uint64(encoded[_LEADER]), game[TRICKS]
    state[DECLARER] = np.uint64(encoded[_DECLARER])
    for i in range(_SEATS):
        state[OWN_STATE + i] = _word(encoded, _OWN + 8 * i)


@inlined
def finish(encoded: ViewBytes, bits: np.ndarray, state: Words) -> None:
    """What a seat knows besides the cards that were played: hands, points, the game's own words."""
    for i in range(_SEATS):
        seat = np.uint64(i)
        state[HANDS + seat] = _mask(encoded, _HANDS + 8 * i, bits)
        # Bonuses may depend on hidden hands, so they are read from the view, not counted.
        points, bonus = _half(encoded, _POINTS + 2 * i), _half(encoded, _BONUS + 2 * i)
        tricks = state[TAKEN + seat] & ~LOW_HALF
        state[TAKEN + seat] = tricks | bonus << S16 | points
        state[OWN_STATE + i] = _word(encoded, _OWN + 8 * i)
    state[OPENED] = _word(encoded, _OPENED)

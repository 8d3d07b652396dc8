"""A view as one string of bytes, for compiled code.

    encoded = encode_view(game, view)
    read_state(encoded, game.words, game.to_bits, state, voids)

To make a state of a view in Python takes longer than a policy needs for its answer, and every
array that is handed to compiled code costs time as well. So Python only writes down what the
view says, the cards in the order in which they were played, and compiled code plays them again.
What comes out is what `KernelGame.view_state` and `InfoSet` say, which the tests compare.
"""

from __future__ import annotations

from struct import Struct
from typing import TypeAlias

import numpy as np

from arena.core.rules import View
from arena.games.infoset import located
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import (
    DECK,
    DECLARER,
    HANDS,
    LED,
    LEFT,
    LOW_HALF,
    LOW_SUIT,
    ONE,
    OPENED,
    OWN_STATE,
    PLAYED,
    PLAYERS,
    S16,
    STATE_WORDS,
    TABLE,
    TAKEN,
    TRICKS,
    TURN,
    ZERO,
    Int,
    Numbers,
    Word,
    Words,
)
from arena.games.kernel.spec import KernelGame, translate
from arena.games.kernel.step import legal, play

ViewBytes: TypeAlias = bytes
"""First the numbers below, then a byte for each card that was played. Cards are as in
`arena.core.cards`."""

_SEATS = 4
HOLDERS = 5
"""Who may hold a card: the seats, and the stock."""

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


def decode_state(game: KernelGame, encoded: ViewBytes) -> tuple[Words, Words]:
    """What `read_state` reads: the state, and the lanes that each seat did not follow."""
    state, voids = np.empty(STATE_WORDS, np.uint64), np.empty(_SEATS, np.uint64)
    read_state(encoded, game.words, game.to_bits, state, voids)
    return state, voids


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


@uncounted
def read_state(
    encoded: ViewBytes, game: Words, bits: np.ndarray, state: Words, voids: Words
) -> None:
    """The round as its seat knows it, hands that it does not see empty; and `voids[seat]`, the
    lanes that a seat did not follow.

    `game` and `bits` are `words` and `to_bits` of the game.
    """
    begin(encoded, game, state)
    voids[:] = ZERO
    for at in range(CARDS, len(encoded)):
        card = ONE << np.uint64(bits[encoded[at]])
        if card & state[LED] == ZERO:
            voids[state[TURN]] |= state[LED]
        play(state, game, card)
    finish(encoded, bits, state)


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


@inlined
def begin(encoded: ViewBytes, game: Words, state: Words) -> None:
    """The round before its first card, with empty hands."""
    for i in range(STATE_WORDS):
        state[i] = ZERO
    state[TURN], state[LEFT] = np.uint64(encoded[_LEADER]), game[TRICKS]
    state[DECLARER] = np.uint64(encoded[_DECLARER])


@uncounted
def read_holders(
    encoded: ViewBytes, game: Words, bits: np.ndarray, state: Words, may: Words, sizes: Numbers
) -> Word:
    """The unseen cards; `may` says who may hold which, the stock after the seats, and `sizes` how
    many each of them has, the one who thinks none.

    It is what `InfoSet` says; `state` is room.
    """
    begin(encoded, game, state)
    for i in range(HOLDERS):
        may[i] = game[DECK]
    for at in range(CARDS, len(encoded)):
        card = ONE << np.uint64(bits[encoded[at]])
        may[state[TURN]] &= ~impossible(state, game, card, may[state[TURN]])
        play(state, game, card)
        for i in range(HOLDERS):
            may[i] &= ~card
    return Word(_divide(encoded, game, bits, state, may, sizes))


@inlined
def impossible(state: Words, game: Words, card: Word, among: Word) -> Word:
    """Those cards of `among` that the seat to act cannot hold if it plays `card`; see `infoset`."""
    hand = HANDS + state[TURN]
    among &= ~card
    impossible = ZERO
    state[hand] = card | among
    if legal(state, game) & card == ZERO:
        for lane in range(4):
            others = among & LOW_SUIT << np.uint64(16 * lane)
            state[hand] = card | others
            if legal(state, game) & card != ZERO:
                continue
            while others != ZERO:
                other = others & (~others + ONE)
                others ^= other
                state[hand] = card | other
                if legal(state, game) & card == ZERO:
                    impossible |= other
    return impossible


@inlined
def _divide(
    encoded: ViewBytes, game: Words, bits: np.ndarray, state: Words, may: Words, sizes: Numbers
) -> Word:
    """What else is known of the unseen cards, and how many of them each has."""
    players, viewer = np.int64(game[PLAYERS]), np.int64(encoded[_SEAT])
    unseen = may[_SEATS] & ~_mask(encoded, _HANDS + 8 * viewer, bits)
    left = np.int64(state[LEFT])
    sure = ZERO
    for holder in range(HOLDERS):
        may[holder] &= unseen
        sizes[holder] = 0
    for seat in range(players):
        shown = _mask(encoded, _SHOWN + 8 * seat, bits)
        for other in range(players):
            if other != seat:
                may[other] &= ~shown
        # A seat with a card on the table has one card less.
        on_table = state[PLAYED + np.uint64(seat)] & state[TABLE] != ZERO
        sizes[seat] = left - 1 if on_table else left
    for seat in range(players):
        if seat != viewer:
            sure |= _mask(encoded, _SHOWN + 8 * seat, bits) & may[seat]
    for holder in range(players, HOLDERS):
        may[holder] = ZERO
    stock = players  # directly after the seats
    sizes[stock] = np.int64(popcount(game[DECK])) - players * np.int64(game[TRICKS])
    may[stock] = unseen & ~sure
    may[viewer], sizes[viewer] = ZERO, 0
    return Word(unseen)

"""What a seat has seen of a round, read once for each decision.

    observed = observe(game, view)

Compiled code plays the cards of a view again and finds the state of the round, the suits that
each seat did not follow and the cards that each seat may still hold. Policies, beliefs, samplers
and searches take all this from one `Observation`. It is what `KernelGame.view_state` and `InfoSet`
say, which the tests compare.

Code that plays on from there, card by card, keeps the same up to date by `watch` and `notice`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arena.core.rules import View
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import (
    DECK,
    HANDS,
    LED,
    LEFT,
    LOW_SUIT,
    ONE,
    PLAYED,
    PLAYERS,
    STATE_WORDS,
    TABLE,
    TRICKS,
    TURN,
    ZERO,
    Int,
    Numbers,
    Word,
    Words,
)
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.step import copy_state, legal, play
from arena.games.view_bytes import (
    CARDS,
    ViewBytes,
    begin,
    encode_view,
    finish,
    shown_by,
    viewer_of,
)

_SEATS = 4
HOLDERS = 5
"""Possible holders of a card: the seats, and the stock directly after them."""

# What is known of the cards, public first.
LEADS = 4
"""`seen[LEADS]`: the cards that tricks were led with; before it, what each seat may hold."""
SEEN_WORDS = 5
MAY, SIZES = SEEN_WORDS, SEEN_WORDS + HOLDERS
"""From there on, for the seat of the view: the unseen cards that each holder may have, and how many
each has, the seat itself none."""
UNSEEN = SIZES + HOLDERS
_KNOWN_WORDS = UNSEEN + 1


class Ledger(NamedTuple):
    """The plays of the other seats, with what was public before each."""

    states: Words
    """A row for each play; all hands are empty."""
    voids: Words
    seen: Words
    later: Words
    """The cards that the seat has played since, this one included."""
    cards: Words
    seats: Numbers
    """The seat that played."""

    @classmethod
    def empty(cls, plays: int) -> Ledger:
        """Room for a number of plays."""
        return cls(
            np.empty((plays, STATE_WORDS), np.uint64),
            np.empty((plays, _SEATS), np.uint64),
            np.empty((plays, SEEN_WORDS), np.uint64),
            np.zeros(plays, np.uint64),
            np.zeros(plays, np.uint64),
            np.zeros(plays, np.int64),
        )


class Observation(NamedTuple):
    """What a seat has seen of a round, in kernel coordinates."""

    game: KernelGame
    view: View
    encoded: ViewBytes
    state: Words
    """The state of the round; hands that the view does not show are empty."""
    voids: Words
    """`voids[seat]`: the suits that a seat did not follow, whole lanes."""
    known: Words
    """`known[seat]`: the cards that a seat may hold by public knowledge; then `LEADS`,
    and for this seat `MAY`, `SIZES` and `UNSEEN`."""
    ledger: Ledger | None = None
    plays: int = 0
    """How many plays there are in the ledger."""

    def hidden(self) -> tuple[Word, Words, Numbers]:
        """The unseen cards, which of them each holder may have, and how many each has."""
        known = self.known
        return known[UNSEEN], known[MAY:SIZES], known[SIZES:UNSEEN].view(np.int64)


def observe(game: KernelGame, view: View, with_ledger: bool = False) -> Observation:
    """Read the view of a seat that is to play a card; the ledger only on demand."""
    encoded = encode_view(game, view)
    state, voids = np.empty(STATE_WORDS, np.uint64), np.empty(_SEATS, np.uint64)
    known = np.empty(_KNOWN_WORDS, np.uint64)
    if not with_ledger:
        _read_all(encoded, game.words, game.to_bits, state, voids, known)
        return Observation(game, view, encoded, state, voids, known)
    ledger = Ledger.empty(len(encoded) - CARDS)
    plays = _read_with_ledger(encoded, game.words, game.to_bits, state, voids, known, ledger)
    return Observation(game, view, encoded, state, voids, known, ledger, plays)


# --- what a card tells -------------------------------------------------------------------


@inlined
def new_seen(game: Words, seen: Words) -> None:
    """Nothing was played yet."""
    for seat in range(_SEATS):
        seen[seat] = game[DECK]
    seen[LEADS] = ZERO


@inlined
def watch(state: Words, voids: Words, card: Word) -> None:
    """Record the suit not followed when the seat to act plays a card. Call it before `play`."""
    if card & state[LED] == ZERO:
        voids[state[TURN]] |= state[LED]


@inlined
def notice(state: Words, game: Words, seen: Words, card: Word) -> None:
    """Record in `seen` that the seat to act plays a card. Call it before `play`."""
    if state[TABLE] == ZERO:
        seen[LEADS] |= card
    learn(state, game, seen, card)


@uncounted
def learn(state: Words, game: Words, may: Words, card: Word) -> None:
    """Take from `may` what the seat to act cannot hold if it plays `card` now; and `card` itself.

    These are the cards X for which `card` is not legal from the hand {card, X}; see `infoset`.
    """
    turn = state[TURN]
    held = state[HANDS + turn]
    may[turn] &= ~_impossible(state, game, card, may[turn])
    state[HANDS + turn] = held
    for seat in range(_SEATS):
        may[seat] &= ~card


@inlined
def _impossible(state: Words, game: Words, card: Word, among: Word) -> Word:
    """Those cards of `among` that the seat to act cannot hold; its hand is used as room."""
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


# --- reading a view ----------------------------------------------------------------------


@inlined
def _read(
    encoded: ViewBytes,
    game: Words,
    bits: np.ndarray,
    state: Words,
    voids: Words,
    seen: Words | None,
    ledger: Ledger | None,
) -> Int:
    """Play the cards of a view again; what is None is left out. How many plays of others are in
    the ledger."""
    begin(encoded, game, state)
    viewer = np.uint64(viewer_of(encoded))
    voids[:] = ZERO
    if seen is not None:
        new_seen(game, seen)
    plays = 0
    for at in range(CARDS, len(encoded)):
        card = ONE << np.uint64(bits[encoded[at]])
        if ledger is not None and state[TURN] != viewer:
            enter_play(ledger, plays, state, voids, seen, card)
            plays += 1
        watch(state, voids, card)
        if seen is not None:
            notice(state, game, seen, card)
        state[HANDS + state[TURN]] = card
        play(state, game, card)
    finish(encoded, bits, state)
    return plays


@inlined
def enter_play(
    ledger: Ledger, number: Int, state: Words, voids: Words, seen: Words | None, card: Word
) -> None:
    """Enter the play of the seat to act into a ledger. Call it before `play`."""
    seat = np.int64(state[TURN])
    copy_state(state, ledger.states[number])
    for i in range(_SEATS):
        ledger.voids[number, i] = voids[i]
    if seen is not None:
        for i in range(SEEN_WORDS):
            ledger.seen[number, i] = seen[i]
    ledger.cards[number] = card
    ledger.seats[number] = seat
    ledger.later[number] = ZERO
    for earlier in range(number + 1):
        if ledger.seats[earlier] == seat:
            ledger.later[earlier] |= card


@uncounted
def read_state(
    encoded: ViewBytes, game: Words, bits: np.ndarray, state: Words, voids: Words
) -> None:
    """Only the state of a view and the suits not followed."""
    _read(encoded, game, bits, state, voids, None, None)


@uncounted
def read_seen(
    encoded: ViewBytes, game: Words, bits: np.ndarray, state: Words, voids: Words, seen: Words
) -> None:
    """As `read_state`, and what is public of the cards."""
    _read(encoded, game, bits, state, voids, seen, None)


@uncounted
def _read_all(
    encoded: ViewBytes, game: Words, bits: np.ndarray, state: Words, voids: Words, known: Words
) -> None:
    _read(encoded, game, bits, state, voids, known, None)
    _hide(encoded, game, bits, state, known)


@uncounted
def _read_with_ledger(
    encoded: ViewBytes,
    game: Words,
    bits: np.ndarray,
    state: Words,
    voids: Words,
    known: Words,
    ledger: Ledger,
) -> Int:
    plays = _read(encoded, game, bits, state, voids, known, ledger)
    _hide(encoded, game, bits, state, known)
    return plays


@inlined
def _hide(encoded: ViewBytes, game: Words, bits: np.ndarray, state: Words, known: Words) -> None:
    """Enter what the seat of the view knows of the hidden cards."""
    players, viewer = np.int64(game[PLAYERS]), viewer_of(encoded)
    unseen = game[DECK] & ~state[HANDS + np.uint64(viewer)]
    for seat in range(players):
        unseen &= ~state[PLAYED + np.uint64(seat)]
    sure = ZERO
    for holder in range(HOLDERS):
        known[MAY + holder] = known[holder] & unseen if holder < players else ZERO
        known[SIZES + holder] = ZERO
    for seat in range(players):
        shown = shown_by(encoded, seat, bits)
        for other in range(players):
            if other != seat:
                known[MAY + other] &= ~shown
        # A seat with a card on the table has one card less.
        on_table = state[PLAYED + np.uint64(seat)] & state[TABLE] != ZERO
        known[SIZES + seat] = state[LEFT] - ONE if on_table else state[LEFT]
    for seat in range(players):
        if seat != viewer:
            sure |= shown_by(encoded, seat, bits) & known[MAY + seat]
    known[SIZES + players] = popcount(game[DECK]) - game[PLAYERS] * game[TRICKS]
    known[MAY + players] = unseen & ~sure
    known[MAY + viewer] = known[SIZES + viewer] = ZERO
    known[UNSEEN] = unseen

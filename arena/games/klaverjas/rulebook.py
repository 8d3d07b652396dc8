"""`arena.games.klaverjas.rule_player`, compiled, in kernel coordinates."""

from __future__ import annotations

import numpy as np

from arena.games.kernel.bits import ctz, popcount
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import (
    BEST,
    DECK,
    HOLDER,
    LED,
    LOW_SUIT,
    ONE,
    PLAYED,
    SUIT_WIDTH,
    TABLE,
    THREE,
    TOP_SUIT,
    TURN,
    TWO,
    ZERO,
    Int,
    Word,
    Words,
)
from arena.games.kernel.spec import KernelGame
from arena.games.klaverjas.kernel import trick_value
from arena.games.rulebook import ALIKE, Book, above, first_of, highest

_LOW = np.uint64(0xFFFF)


def fill(game: KernelGame, book: Book) -> None:
    """No words of its own."""


@uncounted
def choose(state: Words, game: Words, book: Book, legal: Word) -> Word:
    """The card that the rule player plays `as-published`; several are legal."""
    return _choose(state, game, book, legal, False)


@uncounted
def choose_as_written(state: Words, game: Words, book: Book, legal: Word) -> Word:
    """The card that the rule player plays `as-written`; several are legal."""
    return _choose(state, game, book, legal, True)


RULES = {"rule": choose, "as-written": choose_as_written}


@inlined
def _choose(state: Words, game: Words, book: Book, legal: Word, as_written: bool) -> Word:
    turn, table, led = state[TURN], state[TABLE], state[LED]
    played = state[PLAYED] | state[PLAYED + ONE] | state[PLAYED + TWO] | state[PLAYED + THREE]
    left = game[DECK] & ~(played & ~table)
    place = popcount(table)
    top = highest(left & led)
    found = ZERO
    if place == ZERO:
        found = first_of(book, turn, legal & _winners(left))
    elif place == ONE:
        found = top & legal if as_written else _of_rank(book, turn, legal, top)
    elif place == TWO:
        can_follow = legal & led != ZERO
        partner_led_top = state[PLAYED + ((turn + TWO) & THREE)] & table == top
        if as_written:
            found = _dearest(game, book, turn, legal) if can_follow and partner_led_top else ZERO
        elif not can_follow and partner_led_top:
            found = _dearest(game, book, turn, legal)
        elif not can_follow:
            found = _of_rank(book, turn, legal, top)
    elif state[HOLDER] == (turn + TWO) & THREE:
        found = _dearest(game, book, turn, legal)
    else:
        found = first_of(book, turn, _stronger(legal, state[BEST], led, as_written))
    return found if found != ZERO else _cheapest(game, book, turn, legal)


@inlined
def _winners(left: Word) -> Word:
    """The best card left of each suit."""
    found = ZERO
    for lane in range(4):
        found |= highest(left & LOW_SUIT << np.uint64(SUIT_WIDTH * lane))
    return found


@inlined
def _of_rank(book: Book, seat: Word, cards: Word, other: Word) -> Word:
    return first_of(book, seat, cards & book[ALIKE + np.int64(ctz(other))])


@inlined
def _stronger(cards: Word, holding: Word, led: Word, as_written: bool) -> Word:
    """Cards above the one that holds the trick; the program does not look at their suit."""
    if as_written:
        return cards & (led | TOP_SUIT) & above(holding)
    found, order = ZERO, _order(holding)
    while cards != ZERO:
        card = ONE << ctz(cards)
        cards ^= card
        if _order(card) > order:
            found |= card
    return found


@inlined
def _order(card: Word) -> Int:
    """0 to 7 in plain suits, 8 to 15 for trumps."""
    return np.int64(ctz(card)) % SUIT_WIDTH + (8 if card & TOP_SUIT != ZERO else 0)


@inlined
def _cheapest(game: Words, book: Book, seat: Word, cards: Word) -> Word:
    least, found, todo = np.uint64(255), ZERO, cards
    while todo != ZERO:
        card = ONE << ctz(todo)
        todo ^= card
        points = trick_value(game, ZERO, card) & _LOW
        if points < least:
            least, found = points, ZERO
        found |= card if points == least else ZERO
    return first_of(book, seat, found)


@inlined
def _dearest(game: Words, book: Book, seat: Word, cards: Word) -> Word:
    most, found, todo = ZERO, ZERO, cards
    while todo != ZERO:
        card = ONE << ctz(todo)
        todo ^= card
        points = trick_value(game, ZERO, card) & _LOW
        if points > most:
            most, found = points, ZERO
        found |= card if points == most else ZERO
    return first_of(book, seat, found)

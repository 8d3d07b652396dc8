"""The rule player of Hearts, compiled: `arena.games.hearts.rule_player` in kernel coordinates."""

from __future__ import annotations

import numpy as np

from arena.core.cards import LANE as SUIT_CARDS
from arena.games.hearts import rule_player, tables
from arena.games.hearts.rule_player import FRESH, GUARDS, SUSPICION
from arena.games.hearts.tables import ALL_POINTS, PASSED_CARDS
from arena.games.kernel.bits import ctz, popcount
from arena.games.kernel.jit import compiled, inlined, uncounted
from arena.games.kernel.layout import (
    BEST,
    DECK,
    HANDS,
    HOLDER,
    LED,
    ONE,
    PLAYED,
    PLAYERS,
    TABLE,
    TAKEN,
    THREE,
    TURN,
    TWO,
    ZERO,
    Int,
    Word,
    Words,
)
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.step import suit_bits_of
from arena.games.rulebook import CARDS, OWN_WORDS, Book, above, highest, lowest

QUEEN, HEARTS, SPADES, HIGH_SPADES, LOW_SPADES, POINT_CARDS = range(OWN_WORDS, OWN_WORDS + 6)
"""Words of the book: sets of cards."""

_POINTS = np.uint64(0xFFFF)
_NOBODY = np.uint64(9)


def fill(game: KernelGame, book: Book) -> None:
    """The sets of cards that the rules look at."""
    book[QUEEN], book[HEARTS] = game.mask(tables.QUEEN), game.mask(tables.HEARTS)
    book[SPADES] = game.mask(tables.SUIT_MASK[rule_player.SPADES])
    book[HIGH_SPADES] = game.mask(rule_player.HIGH_SPADES)
    book[LOW_SPADES] = game.mask(rule_player.LOW_SPADES)
    book[POINT_CARDS] = game.mask(tables.POINT_CARDS)


@uncounted
def choose(state: Words, game: Words, book: Book, legal: Word) -> Word:
    """The card that the rule player plays; several are legal."""
    turn = state[TURN]
    hand = state[HANDS + turn]
    played = state[PLAYED] | state[PLAYED + ONE] | state[PLAYED + TWO] | state[PLAYED + THREE]
    unseen = game[DECK] & ~hand & ~played
    if state[TABLE] == ZERO:
        return _lead(book, legal, hand, unseen)
    watched = _watched(state, game)
    if legal & state[LED] != ZERO:
        return _follow(state, game, book, legal, watched)
    return _discard(book, legal, hand, unseen, watched, watched == state[HOLDER])


RULES = {"rule": choose}


@inlined
def _lead(book: Book, legal: Word, hand: Word, unseen: Word) -> Word:
    found = ZERO
    least: Int = 1 << 30
    while legal != ZERO:
        card = lowest(legal)
        legal ^= card
        cost = _lead_cost(book, card, hand, unseen)
        if cost < least:
            found, least = card, cost
    return found


@inlined
def _lead_cost(book: Book, card: Word, hand: Word, unseen: Word) -> Int:
    lane = suit_bits_of(card)
    others = unseen & lane
    if others == ZERO:
        return 200
    lower, count = np.int64(popcount(others & (card - ONE))), np.int64(popcount(others))
    cost = 60 * lower // count
    if card & book[HEARTS] != ZERO:
        return cost + 10
    if card & book[SPADES] != ZERO and unseen & book[QUEEN] != ZERO:
        if card & book[HIGH_SPADES] != ZERO:
            return cost + 100
        return cost if hand & book[HIGH_SPADES] != ZERO else -1 - _rank(book, card)
    if card == book[QUEEN]:
        return cost + 100
    return cost // 2 if count >= FRESH else cost


@inlined
def _follow(state: Words, game: Words, book: Book, legal: Word, watched: Word) -> Word:
    table, best, queen = state[TABLE], state[BEST], book[QUEEN]
    under, over = legal & (best - ONE), legal & above(best)
    points = table & book[POINT_CARDS] != ZERO
    last = popcount(table) == game[PLAYERS] - ONE
    without_queen = over & ~queen
    if under & queen != ZERO:
        return Word(queen)
    if over != ZERO and points and watched == state[HOLDER]:
        return highest(over)
    if last and not points and without_queen != ZERO:
        return highest(without_queen)
    if under != ZERO:
        return highest(under)
    if without_queen == ZERO:
        return highest(over)
    return highest(without_queen) if last else lowest(without_queen)


@inlined
def _discard(
    book: Book, legal: Word, hand: Word, unseen: Word, watched: Word, to_watched: bool
) -> Word:
    hearts, queen = legal & book[HEARTS], legal & book[QUEEN]
    if watched != _NOBODY and not to_watched and hearts | queen != ZERO:
        return queen if queen != ZERO else lowest(hearts)
    if to_watched:
        spare = legal & ~book[POINT_CARDS]
        if spare != ZERO:
            return _most_burdensome(book, spare, hand)
        return lowest(hearts) if hearts != ZERO else queen
    if queen != ZERO:
        return Word(queen)
    high_spades = legal & book[HIGH_SPADES]
    if high_spades != ZERO and unseen & book[QUEEN] != ZERO:
        return highest(high_spades)
    if hearts != ZERO:
        return highest(hearts)
    return _most_burdensome(book, legal, hand)


@inlined
def _most_burdensome(book: Book, cards: Word, hand: Word) -> Word:
    found = ZERO
    most: Int = -(1 << 30)
    while cards != ZERO:
        card = lowest(cards)
        cards ^= card
        burden = _burden(book, card, hand)
        if burden >= most:
            found, most = card, burden
    return found


@compiled
def pass_on(book: Book, hands: Words, passed: Words) -> None:
    """The cards that the rule player passes on from each of some hands."""
    for i in range(len(hands)):
        left = hands[i]
        for _ in range(PASSED_CARDS):
            left ^= _most_burdensome(book, left, hands[i])
        passed[i] = hands[i] ^ left


@inlined
def _burden(book: Book, card: Word, hand: Word) -> Int:
    guards = np.int64(popcount(hand & book[LOW_SPADES]))
    if card & (book[QUEEN] | book[HIGH_SPADES]) != ZERO and guards < GUARDS:
        return 90 if card == book[QUEEN] else 80
    lower = np.int64(popcount(hand & suit_bits_of(card) & (card - ONE)))
    high = 3 * _rank(book, card) - 4 * lower
    high += -20 if card & book[SPADES] != ZERO else 0
    return high + (4 if card & book[HEARTS] != ZERO else 0)


@inlined
def _rank(book: Book, card: Word) -> Int:
    return np.int64(book[CARDS + np.int64(ctz(card))]) % SUIT_CARDS


@inlined
def _watched(state: Words, game: Words) -> Word:
    """The other player who has all points so far, if they are many."""
    taken, most, holder = ZERO, ZERO, _NOBODY
    for number in range(np.int64(game[PLAYERS])):
        seat = np.uint64(number)
        points = state[TAKEN + seat] & _POINTS
        taken += points
        if points > most:
            most, holder = points, seat
    many = np.uint64(SUSPICION) <= taken < np.uint64(ALL_POINTS)
    return holder if many and most == taken and holder != state[TURN] else _NOBODY

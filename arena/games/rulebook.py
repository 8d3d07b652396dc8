"""Rule players in compiled code, for playouts and policies.

A game that has a rule player brings two modules in its package: `rule_player`, which people read,
and `rulebook`, its compiled twin, which plays card for card the same. `rulebook` has

* `RULES`, the compiled functions `choose(state, game, book, legal) -> cards` by name: of several
  legal cards the one by the rules, or several where the rules have no answer. `rule` is the game's
  rule player; the others are what experiments may name in `rollout`, such as `light`;
* `fill(game, book)`: what its rules look at beyond what every book has, from `OWN_WORDS` on.

A book is one array of words: the address of the rules, and what they look at beyond the state of
the kernel: in which order each seat looks through its cards, and the cards played so far. A player
looks through cards in the order dealt; the other hands have the order of the cards themselves.

Nothing here is compiled unless a search asks for a book: searches without one pass None, and numba
leaves out what only a book would need.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numba import types

from arena.core.cards import LANE
from arena.core.errors import ArenaError
from arena.core.registry import GAMES
from arena.core.rules import Rules
from arena.games.kernel.bits import ctz, high_bit
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import LEFT, ONE, S32, ZERO, Word, Words
from arena.games.kernel.pointers import GAME, WORDS, address_of, prototype
from arena.games.kernel.rng import next64
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.step import legal, play
from arena.games.kernel.tricks import pick
from arena.games.observation import Observation
from arena.games.parts import has_part, part_of
from arena.games.view_bytes import CARDS as FIRST_CARD
from arena.games.view_bytes import leader_of

Book: TypeAlias = Words

CHOOSE = 0
"""The address of the rules."""
LEADER = 1
"""The seat that led the first trick."""
COUNT = 2
"""How many cards have been played."""
KNOWN = 3
"""How many of them were when the book was made."""
OWN_WORDS = 4
"""From here on, words of the game's own."""
CARDS = 32
"""By bit: the number of the card."""
ALIKE = 96
"""By bit: the cards of the same rank."""
PRECEDENCE = 160
"""By seat and bit: of several cards, a seat looks first at the one with the lowest number."""
PLAYS = 416
"""The cards played, in order."""
_SIZE = 480

_call_rules = prototype(types.uint64, WORDS, GAME, WORDS, types.uint64)


# --- which games have which rules --------------------------------------------------------


def rules_of(game: type[Rules]) -> dict[str, Any]:
    """The compiled rules of a game by name; none if it brings no `rulebook`."""
    found: dict[str, Any] = part_of(game, "rulebook").RULES if has_part(game, "rulebook") else {}
    return found


def games_with(name: str) -> tuple[str, ...]:
    """The registered games that have rules of this name."""
    games = GAMES.loaded(lambda _: None)
    return tuple(game for game, rules in games.items() if name in rules_of(rules))


# --- making a book -----------------------------------------------------------------------


def book_of(observed: Observation, name: str = "rule") -> Book:
    """The book of the rules of this name, as far as a seat knows the round."""
    game, view = observed.game, observed.view
    book = blank_book(game, name).copy()
    cards = observed.encoded[FIRST_CARD:]
    book[LEADER] = leader_of(observed.encoded)
    book[COUNT] = book[KNOWN] = len(cards)
    bits = game.bits
    book[PLAYS : PLAYS + len(cards)] = [1 << bits[card] for card in cards]
    for place, card in enumerate(view.dealt_hand):
        book[PRECEDENCE + 64 * view.seat + bits[card]] = place
    return book


@lru_cache(maxsize=64)
def blank_book(game: KernelGame, name: str) -> Book:
    """A book before anything is known of a round."""
    rules = type(game.rules)
    if (choose := rules_of(rules).get(name)) is None:
        known = ", ".join(games_with(name))
        raise ArenaError(f"rollout: {name} is for {known}, not for {game.rules.name}")
    book = np.zeros(_SIZE, np.uint64)
    book[CHOOSE] = address_of(choose, _call_rules)
    for bit, card in game.cards.items():
        book[CARDS + bit] = card
        book[ALIKE + bit] = sum(1 << b for b, c in game.cards.items() if c % LANE == card % LANE)
        for seat in range(4):
            book[PRECEDENCE + 64 * seat + bit] = card
    part_of(rules, "rulebook").fill(game, book)
    return book


# --- in compiled code; searches may have no book -----------------------------------------


@uncounted
def advised(state: Words, game: Words, book: Book, cards: Word) -> Word:
    """Of the legal cards, the one by the rules; several where they have no answer."""
    if cards & (cards - ONE) == ZERO:
        return cards
    return Word(_call_rules(book[CHOOSE], state, game, book, cards))


@uncounted
def open_book(book: Book | None) -> None:
    """Forget the cards that were played since the book was made."""
    if book is not None:
        book[COUNT] = book[KNOWN]


@uncounted
def note_in(book: Book | None, card: Word) -> None:
    """One more card has been played."""
    if book is not None:
        book[PLAYS + np.int64(book[COUNT])] = card
        book[COUNT] += ONE


@uncounted
def play_by(book: Book | None, state: Words, game: Words, stop: Word, rng: Words) -> None:
    """Play until `stop` tricks are left, all seats by the rules.

    The book has the cards that led to the state, and again afterwards.
    """
    if book is None:
        return
    before = book[COUNT]
    while state[LEFT] > stop:
        card = advised(state, game, book, legal(state, game))
        if card & (card - ONE) != ZERO:
            card = pick(card, next64(rng) >> S32)
        note_in(book, card)
        play(state, game, card)
    book[COUNT] = before


# --- for rules ---------------------------------------------------------------------------


@inlined
def first_of(book: Book, seat: Word, cards: Word) -> Word:
    """The card that a seat looks at first; 0 if there is none."""
    found, best = ZERO, np.uint64(1 << 32)
    while cards != ZERO:
        bit = ctz(cards)
        cards &= cards - ONE
        number = book[PRECEDENCE + 64 * np.int64(seat) + np.int64(bit)]
        if number < best:
            found, best = ONE << bit, number
    return found


@inlined
def highest(cards: Word) -> Word:
    """The highest bit of some; 0 if there is none."""
    return ONE << high_bit(cards) if cards != ZERO else ZERO


@inlined
def lowest(cards: Word) -> Word:
    """The lowest bit of some; 0 if there is none."""
    return cards & (ZERO - cards)


@inlined
def above(card: Word) -> Word:
    """All bits above that of a card."""
    return ~(card | (card - ONE))

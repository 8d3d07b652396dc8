"""Rule players in compiled code, for playouts: each plays card for card as its readable twin.

`book_of` makes a book out of a view (see `layout`); `advised` gives the card by its rules. A
player looks through cards in the order dealt; of the other hands nobody knows it, so there it is
the order of the cards themselves.

The light and heavy rules of JassTheRipper (`ripper`) are books too; they are nobody's twin.

Nothing here is compiled unless a search asks for a book: who has none passes None, and numba
leaves out what only a book would need.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from agents.rulebooks import hearts, klaverjas, ripper, schieber
from agents.rulebooks.layout import (
    ALIKE,
    CARDS,
    COUNT,
    KNOWN,
    LEADER,
    PLAYS,
    PRECEDENCE,
    SIZE,
    WHOSE,
    Book,
)
from arena.core.cards import LANE, RANKS, cards_of, mask_of
from arena.core.errors import ArenaError
from arena.core.rules import OBE, UNE, View
from arena.games.hearts.rule_player import HIGH_SPADES, LOW_SPADES, SPADES
from arena.games.hearts.tables import HEARTS, POINT_CARDS, QUEEN
from arena.games.hearts.tables import SUIT_MASK as HEARTS_SUITS
from arena.games.kernel.jit import uncounted
from arena.games.kernel.layout import LEFT, ONE, S32, ZERO, Word, Words
from arena.games.kernel.rng import next64
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.step import legal, play
from arena.games.kernel.tricks import pick
from arena.games.schieber.rule_player import SUIT_ORDER
from arena.games.schieber.tables import DECK as SCHIEBER_DECK
from arena.games.schieber.tables import POINTS as SCHIEBER_POINTS
from arena.games.schieber.tables import SUIT_MASK as SCHIEBER_SUITS

__all__ = ["BOOKS", "GAMES", "Book", "advised", "book_of", "note_in", "open_book", "play_by"]

GAMES = ("klaverjas", "schieber", "hearts")
"""The games that have a rule player here."""
BOOKS: dict[str, tuple[str, ...]] = {"rule": GAMES, "light": ("schieber",), "heavy": ("schieber",)}
"""The rollouts that go by a book, and the games that have it."""
_KLAVERJAS, _SCHIEBER, _HEARTS, _AS_WRITTEN = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
_LIGHT, _HEAVY = np.uint64(4), np.uint64(5)
_OTHER_RULES = {"as-written": _AS_WRITTEN, "light": _LIGHT, "heavy": _HEAVY}


def book_of(view: View, game: KernelGame, rules: str = "rule") -> Book:
    """Rules, and what they look at, as a view knows it.

    `rule` is the game's rule player, `as-written` the other one of Klaverjas; `light` and
    `heavy` are those of Schieber.
    """
    games = GAMES if rules == "as-written" else BOOKS[rules]
    if game.rules.name not in games:
        raise ArenaError(f"rollout: {rules} is for {', '.join(games)}, not for {game.rules.name}")
    book = _blank(game).copy()
    book[WHOSE] = _OTHER_RULES.get(rules, book[WHOSE])
    cards = [card for trick in view.tricks for card in trick.cards] + [*view.table]
    first = view.tricks[0].leader if view.tricks else view.table_leader
    book[LEADER] = view.seat if first is None or not cards else first
    book[COUNT] = book[KNOWN] = len(cards)
    bits = game.bits
    book[PLAYS : PLAYS + len(cards)] = [1 << bits[card] for card in cards]
    for place, card in enumerate(view.dealt_hand):
        book[PRECEDENCE + 64 * view.seat + bits[card]] = place
    return book


@lru_cache(maxsize=64)
def _blank(game: KernelGame) -> Book:
    """A book before anything is known of a round."""
    rules, trump, book = game.rules, game.trump, np.zeros(SIZE, np.uint64)
    book[WHOSE] = GAMES.index(rules.name)
    for bit, card in game.cards.items():
        book[CARDS + bit] = card
        book[ALIKE + bit] = sum(1 << b for b, c in game.cards.items() if c % LANE == card % LANE)
        for seat in range(4):
            book[PRECEDENCE + 64 * seat + bit] = card
    if rules.name == "schieber":
        book[schieber.FAT] = game.mask(_of_ranks("T8" if trump == OBE else "T"))
        book[schieber.JACKS] = game.mask(_of_ranks("J"))
        assert trump is not None  # cards are played once trump is known
        points = SCHIEBER_POINTS[trump]
        book[schieber.BLANK] = game.mask(mask_of(c for c in game.bits if points[c] == 0))
        book[schieber.LOW_IS_GOOD] = trump == UNE
        for number, suit in enumerate(SUIT_ORDER):
            lane = int(game.mask(SCHIEBER_SUITS[suit])).bit_length() // 16
            book[schieber.LANES + number] = 0xFFFF << 16 * lane
    elif rules.name == "hearts":
        book[hearts.QUEEN], book[hearts.HEARTS] = game.mask(QUEEN), game.mask(HEARTS)
        book[hearts.SPADES] = game.mask(HEARTS_SUITS[SPADES])
        book[hearts.HIGH_SPADES] = game.mask(HIGH_SPADES)
        book[hearts.LOW_SPADES] = game.mask(LOW_SPADES)
        book[hearts.POINT_CARDS] = game.mask(POINT_CARDS)
    return book


def _of_ranks(ranks: str) -> int:
    numbers = [RANKS.index(rank) for rank in ranks]
    return mask_of(card for card in cards_of(SCHIEBER_DECK) if card % LANE in numbers)


@uncounted
def advised(state: Words, game: Words, book: Book, cards: Word) -> Word:
    """Of the legal cards, the one by the rules; several where they have no answer."""
    if cards & (cards - ONE) == ZERO:
        return cards
    if book[WHOSE] == _SCHIEBER:
        return schieber.choose(state, game, book, cards)
    if book[WHOSE] == _HEARTS:
        return hearts.choose(state, game, book, cards)
    if book[WHOSE] == _LIGHT:
        return ripper.light(state, game, book, cards)
    if book[WHOSE] == _HEAVY:
        return ripper.heavy(state, game, book, cards)
    return klaverjas.choose(state, game, book, cards, book[WHOSE] == _AS_WRITTEN)


# --- for searches, which may have no book ------------------------------------------------


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

"""Cards as small ints, sets of cards as bitmasks, and how both are written.

A card is `13 * suit + rank` with suits C D H S and ranks 2 3 ... 9 T J Q K A,
so that one int names a card in every game and bit `card` of a mask stands for
it in a set. Each suit is a lane of 13 neighbouring bits, lowest rank first,
so runs inside a suit are `m & m >> 1 & m >> 2`.

>>> parse_card("H7")
31
>>> CardSet.parse("H7 HT C6")
CardSet('C6 H7 HT')
>>> pretty(parse_card("HT"))
'♥10'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arena.core.errors import ArenaError, did_you_mean

SUITS = "CDHS"
RANKS = "23456789TJQKA"
SEATS = "NESW"
SUIT_SYMBOLS = "♣♦♥♠"
TRUMPS = SUITS + "OU"
"""What can be trump: the four suits, and in Schieber obe-abe and une-ufe."""
LANE = 13
"""Bits between the lowest cards of two neighbouring suits."""

CARD_NAMES: tuple[str, ...] = tuple(s + r for s in SUITS for r in RANKS)
DECK = (1 << len(CARD_NAMES)) - 1

_NO_SUIT_NAMES = {"O": "obe-abe", "U": "une-ufe"}
_CARD_BY_NAME = {name: card for card, name in enumerate(CARD_NAMES)}


class CardError(ArenaError):
    """Text that should have been a card, a list of cards or a seat."""


def suit_of(card: int) -> int:
    """Index of a card's suit in `SUITS`.

    >>> SUITS[suit_of(parse_card("H7"))]
    'H'
    """
    return card // LANE


def rank_of(card: int) -> int:
    """Index of a card's rank in `RANKS`.

    >>> RANKS[rank_of(parse_card("HT"))]
    'T'
    """
    return card % LANE


def card_name(card: int) -> str:
    """A card in notation.

    >>> card_name(31)
    'H7'
    """
    return CARD_NAMES[card]


def pretty(card: int) -> str:
    """A card for people: suit symbol, and 10 for T.

    >>> pretty(parse_card("SA"))
    '♠A'
    """
    rank = RANKS[card % LANE]
    return SUIT_SYMBOLS[card // LANE] + ("10" if rank == "T" else rank)


def parse_card(text: str) -> int:
    """The card that `text` names: a suit letter and a rank, such as `H7`.

    >>> parse_card("h10") == parse_card("HT")
    True
    >>> parse_card("X7")
    Traceback (most recent call last):
    arena.core.cards.CardError: unknown card 'X7': 'X' is no suit (allowed: C, D, H, S)
    """
    card = _CARD_BY_NAME.get(text)
    if card is not None:
        return card
    word = text.strip().upper().replace("10", "T")
    card = _CARD_BY_NAME.get(word)
    if card is not None:
        return card
    raise CardError(f"unknown card {text!r}: {_what_is_wrong(word)}")


def _what_is_wrong(word: str) -> str:
    if len(word) == 2 and word[0] in SUITS:
        return f"{word[1]!r} is no rank (allowed: {', '.join(RANKS)})"
    if len(word) == 2 and word[1] in RANKS:
        return f"{word[0]!r} is no suit (allowed: {', '.join(SUITS)})"
    return "expected a suit letter and a rank, such as H7 or ST"


def parse_cards(text: str) -> tuple[int, ...]:
    """Cards in the order written, separated by blanks or commas.

    >>> parse_cards("H7 HT, C6") == tuple(map(parse_card, ["H7", "HT", "C6"]))
    True
    """
    words = text.replace(",", " ").split()
    try:
        return tuple(map(_CARD_BY_NAME.__getitem__, words))
    except KeyError:
        return tuple(map(parse_card, words))


def write_cards(cards: Iterable[int]) -> str:
    """Cards in notation, in the order given; `parse_cards` reads it back.

    >>> write_cards(parse_cards("HT H7"))
    'HT H7'
    """
    return " ".join(CARD_NAMES[card] for card in cards)


def parse_seat(text: str) -> int:
    """Index of a seat letter in `SEATS`.

    >>> parse_seat("S")
    2
    """
    return _letter(text, "seat", SEATS)


def parse_trump(text: str) -> int:
    """Index of a trump letter in `TRUMPS`.

    >>> parse_trump("H")
    2
    """
    return _letter(text, "trump", TRUMPS)


def _letter(text: str, what: str, letters: str) -> int:
    word = text.strip().upper()
    if len(word) != 1 or word not in letters:
        raise CardError(f"unknown {what} {text!r}: {did_you_mean(text, letters)}")
    return letters.index(word)


def trump_name(trump: int) -> str:
    """A trump for people: a suit symbol, or the name of a game without a trump suit.

    >>> trump_name(2), trump_name(TRUMPS.index("O"))
    ('♥', 'obe-abe')
    """
    letter = TRUMPS[trump]
    return SUIT_SYMBOLS[trump] if letter in SUITS else _NO_SUIT_NAMES[letter]


def cards_of(mask: int) -> list[int]:
    """The cards of a mask in ascending order.

    >>> cards_of(0b1001)
    [0, 3]
    """
    cards = []
    while mask:
        low = mask & -mask
        cards.append(low.bit_length() - 1)
        mask ^= low
    return cards


def mask_of(cards: Iterable[int]) -> int:
    """The mask of some cards.

    >>> mask_of([0, 3]) == 0b1001
    True
    """
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def suit_lines(hand: int) -> list[str]:
    """The cards of a mask, one suit a line, highest rank first.

    >>> suit_lines(CardSet.parse("SA S7 HT").mask)
    ['♠ A 7', '♥ 10', '♣ -', '♦ -']
    """
    lines = []
    for suit in (3, 2, 0, 1):
        ranks = [pretty(card)[1:] for card in reversed(cards_of(hand)) if suit_of(card) == suit]
        lines.append(f"{SUIT_SYMBOLS[suit]} {' '.join(ranks) or '-'}")
    return lines


def deck_of(ranks: str) -> int:
    """The mask of a deck that has these ranks in all four suits.

    >>> deck_of("789TJQKA").bit_count()
    32
    """
    return mask_of(LANE * suit + RANKS.index(rank) for suit in range(4) for rank in ranks)


class CardSet:
    """A set of cards: a mask that can be looked at.

    >>> hand = CardSet.parse("H7 HT")
    >>> parse_card("H7") in hand, len(hand)
    (True, 2)
    >>> hand | CardSet.parse("C6")
    CardSet('C6 H7 HT')
    """

    __slots__ = ("mask",)

    def __init__(self, mask: int = 0) -> None:
        self.mask = mask

    @classmethod
    def parse(cls, text: str) -> CardSet:
        """The set written as `H7 HT C6`."""
        return cls(mask_of(parse_cards(text)))

    def __contains__(self, card: int) -> bool:
        return bool(self.mask >> card & 1)

    def __iter__(self) -> Iterator[int]:
        return iter(cards_of(self.mask))

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __or__(self, other: CardSet) -> CardSet:
        return CardSet(self.mask | other.mask)

    def __and__(self, other: CardSet) -> CardSet:
        return CardSet(self.mask & other.mask)

    def __sub__(self, other: CardSet) -> CardSet:
        return CardSet(self.mask & ~other.mask)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CardSet) and self.mask == other.mask

    def __hash__(self) -> int:
        return hash(self.mask)

    def __str__(self) -> str:
        return write_cards(self)

    def __repr__(self) -> str:
        return f"CardSet({str(self)!r})"

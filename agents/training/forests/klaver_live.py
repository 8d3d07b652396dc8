"""Decisions in the format of klaver.live, the database of Hordijk 2022 (section 3).

A comma-separated file with a row for each decision; the columns that count are

| column | content |
|---|---|
| `Cards` | the hand, eight places: `h7 . k10 ...`; a dot for a card that was played |
| `Center` | the trick in progress, in the order of play |
| `CardsPlayed0` to `3` | the cards of each player in finished tricks; 0 is the player to move |
| `HasColor0` to `3` | four digits, k h r s: 0 if the player did not follow that suit |
| `Troef` | trump; only its first letter counts |
| `Variant` | `Rotterdams`, `Amsterdams`, or anything else if it is not known |
| `PlayCard` | the card played |
| `PlayableCardBits` | for each place of `Cards` 1 if the card may be played, else 0, or a dot |

Suits are k (clubs), r (diamonds), h (hearts) and s (spades); 11 to 14 are jack, queen, king and
ace. The text calls the third kind of columns `CardPlayedx`, the program `CardsPlayedx`: both are
read. Deals have no names: one ends where fewer cards have been played than in the row before.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from agents.forests.position import GONE, HAND, LEFT, LEGAL, MAY, NOT_FOLLOWED, SIZE, TABLE
from agents.training.forests.decisions import TeacherDecision
from arena.core.cards import LANE, RANKS, SUITS, cards_of, mask_of
from arena.core.errors import ArenaError
from arena.core.rules import Standing, Trick, View
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.klaverjas.tables import DECK, SUIT_MASK

Variant: TypeAlias = Literal["rotterdam", "amsterdam"]
_SUITS = {"k": "C", "h": "H", "r": "D", "s": "S"}
_COLOURS = "khrs"
"""The order of suits in `HasColor`."""
_FACES = {"11": "J", "12": "Q", "13": "K", "14": "A", "10": "T"}
_NAMES = {"rotterdam": "Rotterdams", "amsterdam": "Amsterdams"}
_COLUMNS = (
    "Cards", "Center", *(f"CardsPlayed{x}" for x in range(4)), *(f"HasColor{x}" for x in range(4)),
    "Troef", "Variant", "PlayCard", "PlayableCardBits",
)  # fmt: skip


def read_decisions(path: Path, variant: Variant) -> Iterator[TeacherDecision]:
    """The decisions of one variant; `ArenaError` says which line is wrong."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            written = {name: name.replace("CardPlayed", "CardsPlayed") for name in _names(reader)}
            missing = [name for name in _COLUMNS if name not in written.values()]
            if missing:
                raise ArenaError(f"{path}:1: no column {', '.join(missing)}")
            deal, before = 0, 0
            for line in reader:
                row = {new: line[old] or "" for old, new in written.items()}
                try:
                    played = sum(len(row[name].split()) for name in _COLUMNS[1:6])
                    deal, before = deal + (played < before), played
                    if row["Variant"] == _NAMES[variant]:
                        yield _decision(row, Klaverjas(variant=variant), f"deal-{deal}")
                except (ValueError, KeyError) as error:
                    raise ArenaError(f"{path}:{reader.line_num}: {error}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ArenaError(f"{path}: cannot be read: {error}") from error


def _names(reader: csv.DictReader[str]) -> list[str]:
    return [name for name in reader.fieldnames or [] if name]


def _decision(row: dict[str, str], rules: Klaverjas, deal: str) -> TeacherDecision:
    places = row["Cards"].split()
    bits = row["PlayableCardBits"].replace(" ", "")
    if len(bits) != len(places):
        raise ValueError(f"PlayableCardBits has {len(bits)} places, Cards has {len(places)}")
    held = [(_card(text), bit) for text, bit in zip(places, bits, strict=True) if text != "."]
    hand, table = mask_of(card for card, _ in held), _cards(row["Center"])
    legal = mask_of(card for card, bit in held if bit == "1")
    card = _card(row["PlayCard"])
    finished = [_cards(row[f"CardsPlayed{player}"]) for player in range(4)]
    gone = mask_of(card for cards in finished for card in cards)
    trump = SUITS.index(_SUITS[row["Troef"][:1]])
    if not legal >> card & 1:
        raise ValueError(f"PlayCard {row['PlayCard']} is not among the playable cards")
    seen = [card for card, _ in held] + [*table] + [card for cards in finished for card in cards]
    if len(set(seen)) != len(seen) or len(table) > 3:
        raise ValueError("a card is in two places, or the trick has more than three")
    if len({len(cards) for cards in finished}) != 1:
        raise ValueError("the players have not played equally many cards in finished tricks")

    game = kernel_game(rules, trump)
    position = np.zeros(SIZE, dtype=np.uint64)
    position[HAND], position[LEGAL] = game.mask(hand), game.mask(legal)
    position[GONE], position[LEFT] = game.mask(gone), len(held)
    for place, lying in enumerate(table):
        position[TABLE + place] = game.mask(1 << lying)
    unseen = DECK & ~(hand | gone | mask_of(table))
    for player in range(3):
        not_followed = _suits_without(row[f"HasColor{player + 1}"])
        position[MAY + player] = game.mask(unseen & ~not_followed)
        lanes = [game.mask(SUIT_MASK[suit] & not_followed) for suit in range(4)]
        position[NOT_FOLLOWED + player] = _whole_lanes(lanes)
    view = _view(rules, tuple(card for card, _ in held), legal, table, trump, finished)
    return TeacherDecision(deal, game, position, view, card)


def _view(
    rules: Klaverjas,
    hand: tuple[int, ...],
    legal: int,
    table: tuple[int, ...],
    trump: int,
    finished: list[tuple[int, ...]],
) -> View:
    """The part of a view that the rule player looks at; the leaders of tricks are not known."""
    tricks = tuple(Trick(0, cards, 0, 0, 0) for cards in zip(*finished, strict=True))
    return View(
        rules=rules, seat=0, phase="play", legal=tuple(cards_of(legal)), hand=mask_of(hand),
        dealt_hand=hand, trump=trump, tricks=tricks, table=table, table_leader=-len(table) % 4,
        points=(0, 0), bonus=(0, 0), standing=Standing(0, (0, 0)),
    )  # fmt: skip


def _whole_lanes(parts: list[np.uint64]) -> int:
    return sum(0xFFFF << (int(part).bit_length() - 1) // 16 * 16 for part in parts if part)


def _suits_without(digits: str) -> int:
    if len(digits) != 4 or set(digits) - set("01"):
        raise ValueError(f"HasColor is four digits 0 or 1, not {digits!r}")
    suits = [SUITS.index(_SUITS[colour]) for colour in _COLOURS]
    return sum(SUIT_MASK[suit] for suit, digit in zip(suits, digits, strict=True) if digit == "0")


def _cards(text: str) -> tuple[int, ...]:
    return tuple(_card(word) for word in text.split() if word != ".")


def _card(text: str) -> int:
    suit, rank = _SUITS.get(text[:1]), _FACES.get(text[1:], text[1:])
    if suit is None or len(rank) != 1 or rank not in RANKS:
        raise ValueError(f"{text!r} is no card (such as k7, h10, r14)")
    card = LANE * SUITS.index(suit) + RANKS.index(rank)
    if not DECK >> card & 1:
        raise ValueError(f"{text!r} is no card of Klaverjas")
    return card

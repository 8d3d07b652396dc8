"""What a seat knows, as one array of small numbers: the observation of all environments.

The same for every game, except for the number of calls. A set of cards has an entry for each of the
52 cards (`13 * suit + rank`, as in `arena.core.cards`). Seats are *places*: place 0 is the seat
that looks, place 1 plays after it, and so on; games with fewer players leave the last places empty.

| part | entries | what |
|---|---|---|
| `hand` | 52 | the cards held |
| `known` | 4 × 52 | cards that a place was seen to have: shown, or passed on; place 0: received |
| `table` | 52 | the cards of the trick in progress |
| `order` | 52 | 1 for the card that was played first, 2 for the next, ...; 0 if not played |
| `trump` | 6 | C, D, H, S, obe-abe, une-ufe |
| `turn_ups` | 3 × 4 | the suits turned up for the auction |
| `phase` | 3 | bid, pass (cards on), play |
| `on_table` | 4 | whether 0, 1, 2 or 3 cards are on the table |
| `trick` | 1 | the number of finished tricks |
| `forced` | 1 | whether the declarer had no choice |
| `opened` | 1 | whether a suit that may not be led at first has been broken |
| `passing` | 1 | how many turns on cards are passed |
| `places` | 4 × (60 + calls) | for each place, what the next table says |

| part of a place | entries | what |
|---|---|---|
| `played` | 52 | the cards that it has played |
| `dealer`, `declarer`, `leader` | 1 each | whether it deals, declares, leads the first trick |
| `points`, `bonus` | 2 each | of its side so far: tens (127 at most), then ones |
| `call` | calls | its last call; `bid_names` has the names |

An action is arena's own number (`arena.core.rules.Action`): 0 to 51 for cards, then the calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.core.cards import CARD_NAMES, LANE, SUITS, TRUMPS, mask_of
from arena.core.rules import (
    ACTION_NAMES,
    OWN_BIDS,
    Bid,
    Rules,
    RulesError,
    Trick,
    View,
    bid_names,
)
from arena.games.infoset import located

Int8s: TypeAlias = NDArray[np.int8]

CARDS = len(CARD_NAMES)
PLACES = 4
_PHASES = ("bid", "pass", "play")
_TURN_UPS = 3
_MOST = 127

PRIVATE = {"hand": CARDS, "known": PLACES * CARDS}
COMMON = {
    "table": CARDS, "order": CARDS, "trump": len(TRUMPS), "turn_ups": _TURN_UPS * len(SUITS),
    "phase": len(_PHASES), "on_table": PLACES, "trick": 1, "forced": 1, "opened": 1, "passing": 1,
}  # fmt: skip
PLACE = {"played": CARDS, "dealer": 1, "declarer": 1, "leader": 1, "points": 2, "bonus": 2}


def _starts(sizes: dict[str, int]) -> dict[str, int]:
    """Where each part begins; the last entry is the size of all."""
    ends = np.cumsum([0, *sizes.values()])
    return dict(zip([*sizes, "end"], map(int, ends), strict=True))


_COMMON, _PLACE = _starts(COMMON), _starts(PLACE)
_PRIVATE_SIZE = sum(PRIVATE.values())
_NOTHING_KNOWN = bytes(PRIVATE["known"])
_TABLE, _ORDER, _TRICK = _COMMON["table"], _COMMON["order"], _COMMON["trick"]
_ON_TABLE, _OPENED = _COMMON["on_table"], _COMMON["opened"]
_POINTS, _BONUS = _PLACE["points"], _PLACE["bonus"]


class Encoding:
    """Sizes and names for one game; `encoding_of` keeps one for each."""

    def __init__(self, rules: Rules) -> None:
        if not rules.has_tricks:
            raise RulesError(
                f"{rules.name} has no hands and tricks, which observations are made of; "
                "OpenSpiel's rl_environment plays its games"
            )
        self.calls = bid_names(rules.bids)
        self.place_size = _PLACE["end"] + len(self.calls)
        self.size = _PRIVATE_SIZE + _COMMON["end"] + PLACES * self.place_size
        self.actions = OWN_BIDS + len(rules.bids) if rules.bids else len(ACTION_NAMES)
        self.first_call = self.actions - len(self.calls)
        seats = range(rules.players)
        self.sides = tuple(rules.side_of(seat) for seat in seats)
        self.turns = tuple(tuple(rules.seat_after(s, turn) for turn in seats) for s in seats)
        """For each seat, the seats in turn, itself first."""

    @property
    def parts(self) -> dict[str, slice]:
        """Where each part of an observation is, such as `hand` or `played 1` (of place 1)."""
        found: dict[str, slice] = {}
        at = 0
        for name, size in (PRIVATE | COMMON).items():
            found[name] = slice(at, at + size)
            at += size
        for place in range(PLACES):
            for name, size in (PLACE | {"call": len(self.calls)}).items():
                found[f"{name} {place}"] = slice(at, at + size)
                at += size
        return found


@cache
def encoding_of(rules: Rules) -> Encoding:
    """The encoding of a game."""
    return Encoding(rules)


class Record:
    """What all seats know of a round, encoded; `follow` enters what is new.

    A round in progress and a view have the same public fields, so both can be followed.
    """

    def __init__(self, rules: Rules) -> None:
        self._encoding = encoding = encoding_of(rules)
        self._common = bytearray(_COMMON["end"])
        self._seats = [bytearray(encoding.place_size) for _ in encoding.sides]
        self._empty = bytes(encoding.place_size * (PLACES - rules.players))
        self._tricks = self._on_table = 0
        """What has been entered: finished tricks, and cards of the next one."""

    def follow(self, table: Any) -> None:
        """Enter what has happened since the last call."""
        tricks: tuple[Trick, ...] = table.tricks
        if not self._tricks and not self._on_table:
            self._enter_contract(table)
        if len(tricks) > self._tricks:
            for trick in tricks[self._tricks :]:
                self._enter_cards(trick.leader, trick.cards)
                self._tricks, self._on_table = self._tricks + 1, 0
            self._finish_trick(table)
        if table.table:
            self._enter_cards(table.table_leader, table.table)

    def observation(self, seat: int, hand: int, known: bytes = _NOTHING_KNOWN) -> Int8s:
        """What a seat knows that holds `hand`; `known` are the cards known besides."""
        places = [self._seats[other] for other in self._encoding.turns[seat]]
        parts: list[bytes | bytearray] = [_card_bytes(hand), known, self._common]
        return np.frombuffer(bytearray().join([*parts, *places, self._empty]), np.int8)

    def _enter_contract(self, table: Any) -> None:
        common, seats, first = self._common, self._seats, self._encoding.first_call
        for seat, what in (
            (table.dealer, "dealer"), (table.declarer, "declarer"), (table.leader, "leader")
        ):  # fmt: skip
            if seat is not None:
                seats[seat][_PLACE[what]] = 1
        bids: Iterable[Bid] = table.bids
        for bid in bids:
            seats[bid.seat][_PLACE["end"] :] = bytes(len(seats[0]) - _PLACE["end"])
            seats[bid.seat][_PLACE["end"] + bid.action - first] = 1
        if table.trump is not None:
            common[_COMMON["trump"] + table.trump] = 1
        for number, suit in enumerate(table.turn_ups[:_TURN_UPS]):
            common[_COMMON["turn_ups"] + len(SUITS) * number + suit] = 1
        phase = [table.phase == name for name in _PHASES]
        common[_COMMON["phase"] : _COMMON["phase"] + len(_PHASES)] = bytes(phase)
        common[_COMMON["forced"]], common[_COMMON["passing"]] = table.forced, table.passing
        common[_ON_TABLE] = 1

    def _enter_cards(self, leader: int, cards: Sequence[int]) -> None:
        """Enter those cards of a trick that are new."""
        common, seats = self._common, self._encoding.turns[leader]
        before = len(seats) * self._tricks + 1
        for place in range(self._on_table, len(cards)):
            card = cards[place]
            self._seats[seats[place]][card] = 1
            common[_TABLE + card], common[_ORDER + card] = 1, before + place
        common[_ON_TABLE + self._on_table] = 0
        self._on_table = len(cards)
        if self._on_table < PLACES:
            common[_ON_TABLE + self._on_table] = 1

    def _finish_trick(self, table: Any) -> None:
        common = self._common
        common[_TABLE : _TABLE + CARDS] = bytes(CARDS)
        common[_ON_TABLE : _ON_TABLE + PLACES] = b"\1\0\0\0"
        common[_TRICK], common[_OPENED] = self._tricks, table.opened
        for side, entries in zip(self._encoding.sides, self._seats, strict=True):
            points, bonus = table.points[side], table.bonus[side]
            entries[_POINTS], entries[_POINTS + 1] = min(points // 10, _MOST), points % 10
            entries[_BONUS], entries[_BONUS + 1] = min(bonus // 10, _MOST), bonus % 10


def known_cards(view: View) -> bytes:
    """The part `known` of an observation."""
    found = dict(_seen_cards(view))
    if not found:
        return _NOTHING_KNOWN
    seats = (view.rules.seat_after(view.seat, turn) for turn in range(PLACES))
    places = view.rules.players
    return b"".join(
        _card_bytes(found.get(seat, 0) if place < places else 0) for place, seat in enumerate(seats)
    )


def _seen_cards(view: View) -> dict[int, int]:
    """Cards that each seat was seen to have, and those that this seat received or passes on."""
    found: dict[int, int] = {}
    chosen = [(view.rules.seat_after(view.seat, view.passing), mask_of(view.passed))]
    received = [(view.seat, mask_of(view.received))]
    for seat, cards in (*located(view), *(chosen if view.phase == "pass" else ()), *received):
        if cards:
            found[seat] = found.get(seat, 0) | cards
    return found


def observe(view: View) -> Int8s:
    """The observation of the seat that has this view."""
    record = Record(view.rules)
    record.follow(view)
    return record.observation(view.seat, view.hand, known_cards(view))


def action_mask(rules: Rules, legal: Iterable[int]) -> Int8s:
    """1 for each legal action, else 0."""
    mask = bytearray(encoding_of(rules).actions)
    for action in legal:
        mask[action] = 1
    return np.frombuffer(mask, np.int8)


@cache
def _lanes() -> list[bytes]:
    """The entries of each set of cards of one suit."""
    return [bytes(cards >> rank & 1 for rank in range(LANE)) for cards in range(1 << LANE)]


def _card_bytes(cards: int) -> bytes:
    lanes = _lanes()
    return (
        lanes[cards & 8191] + lanes[cards >> 13 & 8191]
        + lanes[cards >> 26 & 8191] + lanes[cards >> 39]
    )  # fmt: skip

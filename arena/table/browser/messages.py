"""What goes over the wire, as JSON.

Every message to a seat is made from the seat's `View` and from what all at the table know.
All cards of a round are only in messages about rounds that are over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import orjson

from arena.analysis.decisions import Considered
from arena.analysis.estimates import Estimate
from arena.core.cards import SEATS, SUITS, card_name, cards_of, suit_of
from arena.core.codec import codec_for, encode_view
from arena.core.errors import ArenaError
from arena.core.rules import Outcome, Rules, View, action_name, side_name
from arena.stats.luck import LuckCorrection
from arena.table.score_sheet import ScoreSheet

_SOUTH = SEATS.index("S")


def rules_message(
    rules: Rules, seat: int | None, *, training: bool, pace_s: float
) -> dict[str, Any]:
    """What stays the same all evening; `order` begins with the seat that is shown below."""
    first = min(_SOUTH, rules.players - 1) if seat is None else seat
    return {
        "type": "rules",
        "game": rules.name,
        "seat": None if seat is None else SEATS[seat],
        "order": [SEATS[rules.seat_after(first, turn)] for turn in range(rules.players)],
        "sides": [side_name(rules, side) for side in range(len(rules.sides))],
        "labels": rules.labels,
        "hand_size": rules.hand_size,
        "higher_wins": rules.higher_wins,
        "training": training,
        "pace_ms": round(1000 * pace_s),
    }


@dataclass(frozen=True)
class ShownChair:
    """A chair as all at the table see it."""

    name: str
    is_person: bool
    is_here: bool = True
    """False if the person has no connection; an agent is always here."""


@dataclass(frozen=True)
class AtTable:
    """What all at the table know besides the cards."""

    number: int
    """Of the message: goes up by one with each change at the table."""
    round: int
    deal: str
    moves: int
    turn: int | None
    chairs: tuple[ShownChair, ...]
    thinking: str | None
    """The agent that is being waited for, if it has taken long."""
    notices: tuple[str, ...]
    claimed_by: int | None
    paused: bool
    ready: tuple[int, ...]
    """The people who have asked for the next round."""


def state_message(at: AtTable, view: View, outcome: Outcome | None) -> bytes:
    """All that a seat may know now."""
    return orjson.dumps(_public(at, outcome) | _cards(view))


def _cards(view: View) -> dict[str, Any]:
    return {
        "view": orjson.Fragment(encode_view(view)),
        "strength": _by_strength(view.rules, view.trump),
    }


@lru_cache(maxsize=64)
def _by_strength(rules: Rules, trump: int | None) -> list[str]:
    """The cards of the game, each suit from its weakest to its strongest.

    Before there is a trump, each suit is in the order that it has when another one is trump.
    """
    deck = cards_of(rules.deck)

    def beats(card: int) -> int:
        suit = suit_of(card)
        others = (other for other in deck if suit_of(other) == suit and other != card)
        here = (suit + 1) % len(SUITS) if trump is None else trump
        return sum(rules.trick_winner((other, card), here) == 1 for other in others)

    return [card_name(card) for card in sorted(deck, key=beats)]


def open_message(at: AtTable, views: list[View], outcome: Outcome | None) -> bytes:
    """All cards, for spectators of agents."""
    shown = views[0 if at.turn is None else at.turn]
    hands = {SEATS[view.seat]: orjson.Fragment(_hand(view)) for view in views}
    return orjson.dumps(_public(at, outcome) | _cards(shown) | {"hands": hands})


def _hand(view: View) -> str:
    return orjson.dumps([card_name(card) for card in cards_of(view.hand)]).decode()


def _public(at: AtTable, outcome: Outcome | None) -> dict[str, Any]:
    return {
        "type": "state",
        "number": at.number,
        "round": at.round,
        "deal": at.deal,
        "moves": at.moves,
        "turn": None if at.turn is None else SEATS[at.turn],
        "chairs": {
            SEATS[seat]: {"name": each.name, "person": each.is_person, "here": each.is_here}
            for seat, each in enumerate(at.chairs)
        },
        "thinking": at.thinking,
        "notices": at.notices,
        "claimed_by": None if at.claimed_by is None else SEATS[at.claimed_by],
        "paused": at.paused,
        "ready": [SEATS[seat] for seat in at.ready],
        "outcome": None if outcome is None else outcome._asdict(),
    }


def sheet_message(sheet: ScoreSheet, luck: LuckCorrection | None) -> bytes:
    """The score sheet of the evening, and a person's own score less the luck of the cards."""
    return orjson.dumps(
        {
            "type": "sheet",
            "sides": sheet.sides,
            "rows": [row.written for row in sheet.rows],
            "totals": sheet.standing.scores,
            "strokes": sheet.rules.strokes,
            "slate": [sheet.slate(side) for side in range(len(sheet.sides))],
            "target": sheet.match.target,
            "rounds": sheet.match.rounds,
            "full": bool(sheet.rows) and sheet.is_full,
            "luck": None if luck is None else _adjusted(luck),
        }
    )


def _adjusted(luck: LuckCorrection) -> dict[str, Any]:
    return {
        "played": _limits(Estimate.of(luck.plain)),
        "adjusted": _limits(Estimate.of(luck.corrected)),
        "ratio": luck.variance_ratio,
        "worth": luck.worth_deals,
    }


def _limits(found: Estimate) -> dict[str, Any]:
    return {"mean": found.value, "low": found.low, "high": found.high, "n": found.n}


def compared_message(
    mine: int, others: Mapping[str, float], evening: Mapping[str, Estimate], counts: bool
) -> bytes:
    """What others made of the same cards in the same seat, and the evening so far.

    `counts` is False for a round that was played with help.
    """
    return orjson.dumps(
        {
            "type": "compared",
            "mine": mine,
            "counts": counts,
            "others": others,
            "evening": {name: _limits(found) for name, found in evening.items()},
        }
    )


def hint_message(hint: Considered, view: View, moves: int) -> bytes:
    """What the adviser would do, the values of all cards, and where it expects the hidden ones."""
    bids = view.rules.bids
    values = []
    for action, found in (hint.values or {}).items():
        numbers = {name: _number(x) for name, x in found._asdict().items()}
        values.append({"action": action_name(action, bids), "values": numbers})
    holders = {}
    if hint.belief is not None:
        for card, chances in hint.belief.holders.items():
            holders[card_name(card)] = {
                SEATS[seat]: round(float(chances[seat]), 4)
                for seat in range(view.rules.players)
                if seat != view.seat
            }
    return orjson.dumps(
        {
            "type": "hint",
            "moves": moves,
            "chosen": action_name(hint.chosen, bids),
            "values": values,
            "holders": holders,
            "notes": () if hint.belief is None else hint.belief.notes,
        }
    )


def _number(value: Any) -> float | int:
    return value if isinstance(value, int) else round(float(value), 4)


def error_message(text: str) -> bytes:
    """Why something could not be done."""
    return orjson.dumps({"type": "error", "text": text})


class BadRequest(ArenaError):
    """A message that is none of ours."""


@dataclass(frozen=True)
class Request:
    """What a browser asks for."""

    do: str
    data: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> Request:
        """A request from its text."""
        try:
            data = orjson.loads(text)
        except ValueError:
            raise BadRequest("a request is JSON") from None
        if not isinstance(data, dict) or not isinstance(data.get("do"), str):
            raise BadRequest("a request is an object with 'do'")
        return cls(data.pop("do"), data)

    def number(self, name: str) -> int:
        """A whole number that the request must have."""
        value = self.data.get(name)
        if type(value) is not int:
            raise BadRequest(f"{self.do}: {name!r} should be a whole number")
        return value

    def text(self, name: str, longest: int = 64) -> str:
        """A short text that the request must have."""
        value = self.data.get(name)
        if not isinstance(value, str) or not 0 < len(value) <= longest:
            raise BadRequest(f"{self.do}: {name!r} should be a text of 1 to {longest} characters")
        return value

    def action(self, rules: Rules) -> int:
        """The action that the request names."""
        return codec_for(rules).read_action(self.text("action"))

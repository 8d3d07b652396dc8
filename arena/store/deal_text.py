"""A deal as one line of JSON, in the notation of recorded rounds."""

from __future__ import annotations

import json
from typing import Any

from arena.cards import SEATS, SUITS, TRUMPS, card_name, write_cards
from arena.deals import Deal, deal_from_record

__all__ = ["deal_record", "read_deal", "write_deal"]


def deal_record(deal: Deal) -> dict[str, Any]:
    """All of a deal but its id, as `deal_from_record` reads it; what it lacks is left out."""
    record: dict[str, Any] = {
        "hands": {SEATS[s]: [card_name(card) for card in hand] for s, hand in enumerate(deal.hands)}
    }
    record |= _besides_hands(deal)
    return record


def _besides_hands(deal: Deal) -> dict[str, Any]:
    record: dict[str, Any] = {}
    if deal.trump is not None:
        record["trump"] = TRUMPS[deal.trump]
    for what in ("declarer", "leader", "dealer"):
        seat = getattr(deal, what)
        if seat is not None:
            record[what] = SEATS[seat]
    if deal.turn_ups:
        record["turn_ups"] = [SUITS[suit] for suit in deal.turn_ups]
    if deal.played:
        record["played"] = write_cards(deal.played).split()
    return record


def write_deal(deal: Deal) -> str:
    """A deal without its id as text."""
    hands = {SEATS[seat]: write_cards(hand) for seat, hand in enumerate(deal.hands)}
    return json.dumps({"hands": hands, **_besides_hands(deal)})


def read_deal(deal_id: str, text: str) -> Deal:
    """The deal that `write_deal` wrote."""
    return deal_from_record({"id": deal_id, **json.loads(text)})

"""Helpers with which tests read like the rules."""

from __future__ import annotations

from typing import Any

from arena.cards import CardSet, parse_card, parse_cards, parse_seat, parse_trump
from arena.deals import Deal
from arena.rules import Outcome, Position, Rules, parse_action
from arena.seeds import Rng


def deal(text: str, **fields: str) -> Deal:
    """A deal written as `N: H7 ...; E: ...; S: ...; W: ...`."""
    hands: dict[str, tuple[int, ...]] = {}
    for part in text.strip().split(";"):
        seat, _, cards = part.partition(":")
        hands[seat.strip()] = parse_cards(cards)
    seats = {
        key: parse_seat(fields[key]) for key in ("declarer", "leader", "dealer") if key in fields
    }
    trump = parse_trump(fields["trump"]) if "trump" in fields else None
    turn_ups = tuple(parse_trump(suit) for suit in fields.get("turn_ups", "").split())
    return Deal("test", tuple(hands[seat] for seat in hands), trump, turn_ups=turn_ups, **seats)


def legal(rules: Rules, *, trump: str | None, trick: str, hand: str, **facts: Any) -> str:
    """The legal cards of a hand, in notation."""
    position = Position(
        None if trump is None else parse_trump(trump),
        parse_cards(trick),
        facts.get("trick_number", 1),
        facts.get("opened", False),
    )
    return str(CardSet(rules.playable(CardSet.parse(hand).mask, position)))


def play(rules: Any, the_deal: Deal, actions: str) -> tuple[Any, Outcome]:
    """Play a round from text (`pass play H7 HT ...`); the round and its outcome."""
    state = rules.start(the_deal)
    for word in actions.split():
        action = parse_action(word) if word.islower() or "-" in word else parse_card(word)
        rules.apply(state, action)
    return state, rules.outcome(state)


def play_lowest(rules: Any, the_deal: Deal) -> Outcome:
    """Play a round in which everybody plays the lowest legal card."""
    state = rules.start(the_deal)
    while state.turn is not None:
        rules.apply(state, state.legal[0])
    return rules.outcome(state)


def play_at_random(rules: Any, the_deal: Deal, rng: Rng) -> tuple[Any, list[int]]:
    """Play a round at random; the finished round and its actions."""
    state = rules.start(the_deal)
    actions = []
    while state.turn is not None:
        actions.append(rng.choice(state.legal))
        rules.apply(state, actions[-1])
    return state, actions

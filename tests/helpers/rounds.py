"""Helpers with which tests read like the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.core.cards import CardSet, parse_card, parse_cards, parse_trump
from arena.core.deals import OPTIONAL_FIELDS, Deal
from arena.core.rules import Outcome, Position, Rules, View, parse_action
from arena.core.seeds import Rng


def deal(text: str, **fields: str) -> Deal:
    """A deal written as `N: H7 ...; E: ...; S: ...; W: ...`."""
    hands: dict[str, tuple[int, ...]] = {}
    for part in text.strip().split(";"):
        seat, _, cards = part.partition(":")
        hands[seat.strip()] = parse_cards(cards)
    found = {each.name: fields.get(each.name, "").split() for each in OPTIONAL_FIELDS}
    values = {each.name: each.value(found[each.name]) for each in OPTIONAL_FIELDS}
    return Deal("test", tuple(hands.values()), **values)


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


def random_round_views(rules: Any, seed: int) -> Iterator[View]:
    """What each seat sees at each of its turns in a round that is played at random."""
    rng = Rng(seed)
    state = rules.start(rules.random_deal(rng, seed))
    while state.turn is not None:
        yield rules.view(state, state.turn)
        rules.apply(state, rng.choice(state.legal))

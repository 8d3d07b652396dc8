"""Endings of random rounds, and perfect play by the rule book itself: slow and plain."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any

from arena.seeds import Rng, rng_for


def endings(rules: Any, tricks: int, count: int, cards_played: int = 0) -> Iterator[Any]:
    """Rounds with so many tricks left, of which so many cards are played; there is a choice."""
    number = found = 0
    while found < count:
        state = rules.start(rules.random_deal(rng_for(9, "ending", number), number))
        rng = Rng(number)
        number += 1
        while (
            state.phase != "play"
            or len(state.tricks) < rules.hand_size - tricks
            or len(state.table) < cards_played
        ):
            rules.apply(state, rng.choice(state.legal))
        if len(state.legal) > 1:
            found += 1
            yield state


def after(rules: Any, state: Any, card: int) -> Any:
    """The round after one more card; the one before stays as it is."""
    result = copy(state)
    result.hands = list(state.hands)
    rules.apply(result, card)
    return result


def margin(rules: Any, state: Any, side: int) -> int:
    """By how much a side has won a round that is over."""
    scores = rules.outcome(state).scores
    return int(scores[side] - scores[1 - side])


def best_play(rules: Any, state: Any, side: int, low: int = -9999, high: int = 9999) -> int:
    """What a position is worth to a side if everybody sees everything and errs never."""
    if state.turn is None:
        return margin(rules, state, side)
    ours = rules.side_of(state.turn) == side
    value = -9999 if ours else 9999
    for card in state.legal:
        worth = best_play(rules, after(rules, state, card), side, low, high)
        if ours:
            value = max(value, worth)
            low = max(low, value)
        else:
            value = min(value, worth)
            high = min(high, value)
        if low >= high:
            break
    return value


def worth_of_cards(rules: Any, state: Any) -> dict[int, int]:
    """`best_play` after each legal card, for the side that is to move."""
    side = rules.side_of(state.turn)
    return {card: best_play(rules, after(rules, state, card), side) for card in state.legal}

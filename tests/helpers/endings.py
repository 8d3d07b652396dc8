"""Endings of random rounds, and perfect play by the rule book itself: slow and plain."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from copy import copy
from typing import Any

from arena.core.cards import cards_of
from arena.core.seeds import Rng, rng_for
from arena.games.infoset import InfoSet, agrees


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


def worlds_of(view: Any) -> Iterator[list[int]]:
    """All ways in which the unseen cards can lie, by enumeration."""
    known = InfoSet.of(view)
    seats = [seat for seat in range(4) if seat != view.seat and known.sizes[seat]]
    unseen = cards_of(known.unseen)
    for order in itertools.permutations(unseen):
        hands, start = [0] * 4, 0
        hands[view.seat] = view.hand
        for seat in seats:
            cards = order[start : start + known.sizes[seat]]
            if list(cards) != sorted(cards):
                break
            hands[seat] = sum(1 << card for card in cards)
            start += known.sizes[seat]
        else:
            if agrees(view, hands):
                yield hands


def value_to(rules: Any, state: Any, side: int) -> float:
    """`value: difference`: own score less the mean of the others', better when higher."""
    scores = rules.outcome(state).scores
    others = [score for other, score in enumerate(scores) if other != side]
    difference = scores[side] - sum(others) / len(others)
    return difference if rules.higher_wins else -difference

"""OpenSpiel's Hearts as the arena's: for rounds that look the same to a seat.

OpenSpiel's own sampler keeps what the others have really passed on, and deals cards to players
that are out of the suit; the arena's does neither. The rules of both agree card by card
(`tests/games/test_open_spiel.py`), as long as OpenSpiel's parameters are not changed.
"""

from __future__ import annotations

from typing import Any

from arena.core.cards import LANE
from arena.core.deals import Deal
from arena.core.seeds import Rng
from arena.games.base import TableRound
from arena.games.hearts import Hearts
from arena.games.hearts.rules import Passing
from arena.games.infoset import InfoSet, round_of
from arena.games.world_sampler import WorldSampler

_PLAYERS, _CARDS, _SUITS = 4, 52, 4
_PASSING: dict[str, Passing] = {
    "No Pass": "none",
    "Left": "left",
    "Across": "across",
    "Right": "right",
}


def is_known(game: Any) -> bool:
    """Whether a game has the usual parameters; whether cards are passed does not matter."""
    usual = game.get_type().parameter_specification
    return all(
        value == usual[name]
        for name, value in game.get_parameters().items()
        if name != "pass_cards"
    )


def possible_history(state: Any, seat: int, rng: Rng) -> tuple[int, ...]:
    """All actions of such a round, chance included."""
    rules, table = as_hearts(state)
    view = rules.view(table, seat)
    world = WorldSampler(InfoSet.of(view)).sample(rng)
    found = round_of(view, world)
    dealt = [iter(sorted(hand)) for hand in found.deal.hands]
    outcomes = (next(dealt[place % _PLAYERS]) for place in range(_CARDS))
    direction, *actions = state.history()
    passed: list[int] = []
    for other, cards in enumerate(found.passed):
        if other == seat:
            passed += cards
        elif view.phase == "pass":
            hand = sorted(found.deal.hands[other])
            rng.shuffle(hand)
            passed += hand[: len(cards)]
        else:
            passed += sorted(cards)
    played = actions[_CARDS + len(passed) :]
    return (direction, *map(open_spiel_card, (*outcomes, *passed)), *played)


def as_hearts(state: Any) -> tuple[Hearts, TableRound]:
    """The rules and the round of the arena for a state after its deal."""
    direction, *actions = state.history()
    word = state.get_game().new_initial_state().action_to_string(direction)
    rules = Hearts(variant="openspiel_default", passing=_PASSING[word])
    cards = [card_of(action) for action in actions]
    hands = tuple(tuple(cards[seat:_CARDS:_PLAYERS]) for seat in range(_PLAYERS))
    table = rules.start(Deal("", hands))
    for card in cards[_CARDS:]:
        rules.apply(table, card)
    return rules, table


def card_of(card: int) -> int:
    """The arena's card; OpenSpiel counts by ranks from the twos on, clubs first."""
    return LANE * (card % _SUITS) + card // _SUITS


def open_spiel_card(card: int) -> int:
    """The inverse of `card_of`."""
    return _SUITS * (card % LANE) + card // LANE

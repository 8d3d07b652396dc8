"""A view is a value that holds nothing a seat may not know."""

from __future__ import annotations

import copy
import gc
import types
from dataclasses import is_dataclass, replace

import pytest
from helpers.rounds import play_at_random

from arena.core.cards import cards_of, mask_of
from arena.core.registry import GAMES
from arena.core.rules import Bid, Standing, Trick, View
from arena.core.seeds import Rng
from arena.games.klaverjas import Klaverjas
from arena.games.needs import trick_games

VALUES = (int, str, bool, type(None), float)
TUPLES = (tuple, View, Trick, Bid, Standing)


RULE_SETS = [
    *(GAMES.get(name)() for name in trick_games()),
    Klaverjas(bidding="classical"),
    Klaverjas(bidding="free-choice"),
]


def decisions(rules, seed):
    """Every decision of a random round: the round, and who is to decide."""
    rng = Rng(seed)
    state = rules.start(rules.random_deal(rng, seed))
    while state.turn is not None:
        yield state, state.turn
        rules.apply(state, rng.choice(state.legal))


def reachable(root):
    """Every object that can be reached from `root`, but for classes, modules and functions."""
    found, queue = {}, [root]
    while queue:
        thing = queue.pop()
        if id(thing) in found or isinstance(
            thing, type | types.ModuleType | types.FunctionType | types.BuiltinFunctionType
        ):
            continue
        found[id(thing)] = thing
        queue += gc.get_referents(thing)
    return list(found.values())


@pytest.mark.parametrize("rules", RULE_SETS, ids=repr)
def test_nothing_hidden_is_reachable_from_a_view(rules):
    for seed in range(5):
        for state, seat in decisions(rules, seed):
            view = rules.view(state, seat)
            others = [s for s in range(rules.players) if s != seat]
            # Small masks look like points and card numbers.
            hidden_masks = {state.hands[s] for s in others if state.hands[s] >> 13}
            hidden_lists = {state.deal.hands[s] for s in others}
            for thing in reachable(view):
                if (is_dataclass(thing) and thing == rules) or thing == vars(rules):
                    continue  # the rule book is public
                assert isinstance(thing, VALUES + TUPLES), f"{thing!r} is no plain value"
                if isinstance(thing, int):
                    assert thing not in hidden_masks
                if type(thing) is tuple:
                    assert thing not in hidden_lists


@pytest.mark.parametrize("rules", RULE_SETS, ids=repr)
def test_other_hidden_cards_same_view(rules):
    for seed in range(5):
        rng = Rng(1000 + seed)
        for state, seat in decisions(rules, seed):
            other = with_hidden_cards_shuffled(state, seat, rng)
            assert rules.view(other, seat) == rules.view(state, seat)


def test_other_hidden_cards_are_noticed_by_who_sees_them():
    rules = Klaverjas()
    state, seat = next(decisions(rules, 1))
    other = with_hidden_cards_shuffled(state, seat, Rng(1))
    assert rules.view(other, seat, all_hands=True) != rules.view(state, seat, all_hands=True)


def with_hidden_cards_shuffled(state, seat, rng):
    """The same round with the cards of the other seats dealt anew among them."""
    other = copy.deepcopy(state)
    seats = [s for s in range(len(state.hands)) if s != seat]
    cards = [card for s in seats for card in cards_of(state.hands[s])]
    rng.shuffle(cards)
    hands = list(state.deal.hands)
    for s in seats:
        size = state.hands[s].bit_count()
        mine, cards = cards[:size], cards[size:]
        other.hands[s] = mask_of(mine)
        hands[s] = tuple(mine)
    other.deal = replace(state.deal, hands=tuple(hands))
    return other


def test_what_a_view_tells():
    rules = Klaverjas(bidding="classical")
    rng = Rng(3)
    deal = rules.random_deal(rng, 0)
    state, actions = play_at_random(rules, deal, rng)
    again = rules.start(deal)
    for action in actions[:-5]:
        rules.apply(again, action)
    view = rules.view(again, again.turn)
    assert view.dealt_hand == deal.hands[view.seat]
    assert set(cards_of(view.hand)) < set(view.dealt_hand)
    assert view.legal == again.legal
    assert view.bids == state.bids
    assert (view.trump, view.declarer, view.dealer) == (state.trump, state.declarer, deal.dealer)
    assert view.played | view.hand | view.unseen == rules.deck
    assert view.unseen == mask_of(
        card for s in range(4) if s != view.seat for card in cards_of(again.hands[s])
    )
    assert sum(view.points) == sum(trick.points for trick in view.tricks)
    with pytest.raises(AttributeError):
        view.hand = 0
    assert hash(view) == hash(rules.view(again, again.turn))

"""What the program of Kiele 2024 does otherwise, switch by switch."""

from __future__ import annotations

import numpy as np

from agents.kiele_2024 import Kiele2024
from agents.search.worlds import deal_world
from arena.cards import cards_of, suit_of
from arena.games.hearts import Hearts
from arena.games.kernel.layout import HANDS
from arena.games.kernel.rng import rng_array
from arena.games.kernel.spec import kernel_game
from arena.rules import View
from arena.seeds import Rng


def after_somebody_showed_out() -> tuple[View, int, int]:
    """A view of who leads next, a seat that did not follow, and the suit it is out of."""
    rules, rng = Hearts(variant="kiele_code"), Rng(3)
    while True:
        state = rules.start(rules.random_deal(rng, 0))
        while len(state.tricks) < 6:
            rules.apply(state, rng.choice(state.legal))
        assert state.turn is not None
        view = rules.view(state, state.turn)
        suits_left = {suit_of(card) for card in cards_of(view.unseen)}
        for trick in view.tricks:
            led = suit_of(trick.cards[0])
            for place, card in enumerate(trick.cards):
                seat = rules.seat_after(trick.leader, place)
                if suit_of(card) != led and seat != view.seat and led in suits_left:
                    return view, seat, led


def dealt_against_the_facts(agent: Kiele2024) -> int:
    """In how many of 200 worlds the seat that showed out holds a card of the suit."""
    view, seat, suit = after_somebody_showed_out()
    game, question = kernel_game(view.rules, None), agent.question(view, rng_array(Rng(0)))
    state, rng = question.root.copy(), np.array([1], dtype=np.uint64)
    wrong = 0
    for _ in range(200):
        deal_world(question.worlds, rng, state)
        hand = game.card_mask(state[HANDS + seat])
        wrong += any(suit_of(card) == suit for card in cards_of(hand))
    return wrong


def test_ignores_voids_deals_suits_to_those_who_have_shown_out() -> None:
    assert dealt_against_the_facts(Kiele2024()) == 0
    assert dealt_against_the_facts(Kiele2024(as_published=("ignores-voids",))) > 50

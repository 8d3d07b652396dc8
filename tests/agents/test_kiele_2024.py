"""What the program of Kiele 2024 does otherwise, switch by switch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from agents.papers.kiele_2024 import Kiele2024
from agents.search.flat_mc import Sums, judge
from agents.search.worlds import deal_world
from arena.core.cards import cards_of, mask_of, parse_cards, suit_of
from arena.core.errors import ArenaError
from arena.core.rules import View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.kernel.layout import HANDS, OPENED, TAKEN, TURN
from arena.games.kernel.rng import rng_array
from arena.games.kernel.spec import kernel_game


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


def points_of_north(agent: Kiele2024) -> float:
    """The mean of north's points after C5 C9: north has HA SQ left, east H2 D5, and leads."""
    rules, rng = Hearts(players=2), Rng(1)
    state = rules.start(rules.random_deal(rng, 0))
    while len(state.tricks) < 23:
        rules.apply(state, rng.choice(state.legal))
    game, view = kernel_game(rules, None), rules.view(state, 0, all_hands=True)
    question = agent.question(view._replace(legal=parse_cards("C5")), rng_array(Rng(0)))
    question.root[TURN], question.root[OPENED] = 0, 1
    question.root[TAKEN : TAKEN + 2] = 5
    for seat, hand in enumerate(("C5 HA SQ", "C9 H2 D5")):
        question.root[HANDS + seat] = game.mask(mask_of(parse_cards(hand)))
    sums = Sums.zeros(1)
    judge(question, 4000, 1, True, np.array([1], dtype=np.uint64), sums)
    return float(sums.values[0]) / 4000 - 5


def test_first_winner_leads_lets_one_seat_lead_all_tricks_of_a_playout() -> None:
    """If east leads the heart, north takes it, and has to lead the queen: unless east leads again.

    So it is 15, 2 or 0 points with chances of a half and two quarters, or 2, 2 and 0.
    """
    right = Kiele2024(rollout="random", sees="all")
    published = replace(right, as_published=("first-winner-leads",))
    assert points_of_north(right) == pytest.approx(8.0, abs=0.5)
    assert points_of_north(published) == pytest.approx(1.5, abs=0.2)
    with pytest.raises(ArenaError, match="goes with random playouts"):
        replace(published, rollout="rule")

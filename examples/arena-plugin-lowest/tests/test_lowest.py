"""A plug-in's tests: the conformance suite, and what this agent does."""

from __future__ import annotations

from functools import partial

from arena_lowest import Lowest

from arena.core.cards import card_name, mask_of, parse_cards
from arena.core.deals import Deal
from arena.core.seeds import Rng
from arena.games.klaverjas import Klaverjas
from arena.testing import check_agent


def test_it_may_take_part_in_tournaments():
    check_agent(Lowest)
    check_agent(partial(Lowest, lead_high=True), game="klaverjas")


def test_what_it_leads():
    rules = Klaverjas()
    cards = [card for card in range(52) if rules.deck >> card & 1]
    hand = parse_cards("H8 CA ST HK SQ D9 DJ CT")
    others = [card for card in cards if not mask_of(hand) >> card & 1]
    hands = (hand, tuple(others[:8]), tuple(others[8:16]), tuple(others[16:]))
    state = rules.start(Deal("example", hands, trump=0, declarer=0, leader=0))
    view = rules.view(state, 0)
    assert card_name(Lowest().act(view, Rng(0))) == "H8"
    assert card_name(Lowest(lead_high=True).act(view, Rng(0))) == "CA"

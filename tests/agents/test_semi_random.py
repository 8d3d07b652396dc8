"""The semi-random agent: which cards it chooses from; hearts are trumps throughout."""

from __future__ import annotations

from collections import Counter

import pytest
from helpers.klaverjas_views import klaverjas_view

from agents.semi_random import SemiRandom
from arena.core.cards import CardSet, card_name
from arena.core.seeds import Rng

USUAL = SemiRandom()


def choices(hand: str, table: str = "", agent: SemiRandom = USUAL, **facts: str) -> str:
    view = klaverjas_view(hand, table, **facts)
    return str(CardSet(sum({1 << agent.act(view, Rng(seed)) for seed in range(200)})))


def test_the_leader_holds_the_trick_so_nothing_is_bad():
    assert choices("C7 CA ST H7") == "C7 CA H7 ST"


def test_aces_and_tens_are_not_discarded_on_the_opponents_trick():
    assert choices("C7 CA ST S8", "DK") == "C7 S8"
    assert choices("C7 CA ST S8", "D7 DK D8") == "C7 CA S8 ST", "partner holds it"
    assert choices("C7 CA ST S8", "D7 DK") == "C7 S8", "third hand"


def test_tens_may_be_left_unprotected():
    assert choices("C7 CA ST S8", "DK", SemiRandom(protect_tens=False)) == "C7 S8 ST"


def test_following_suit_and_trumping_are_never_protected():
    assert choices("C7 CT C8", "CA") == "C7 C8 CT"
    assert choices("HT HA H7", "HJ") == "H7 HT HA"


def test_roem_is_not_given_away_by_third_and_fourth_hand():
    assert choices("C7 CQ C8", "CA CK CJ") == "C7 C8", "jack, queen, king"
    assert choices("S9 C7 CQ", "CK CA") == "C7", "queen, king, ace"
    assert choices("S9 C7 CQ", "CA CK") == "C7 CQ", "partner holds it"
    assert choices("C7 CQ", "CK") == "C7 CQ", "second hand does not look at roem"


def test_sure_roem_is_taken_by_the_last_hand():
    assert choices("C7 CQ C8", "CK CA CJ") == "CQ", "partner's ace holds it"
    assert choices("C7 CQ C8", "CK CA CJ", SemiRandom(better=False)) == "C7 C8 CQ"


def test_when_all_are_bad_any_is_played():
    assert choices("CA ST SA", "DK") == "CA ST SA"


def test_of_several_bad_cards_none_is_kept():
    """The program of the thesis kept one of several bad cards in a fifth of such decisions."""
    assert choices("CA CT SA ST S7", "DK") == "S7"


def test_candidates_are_equally_likely():
    view = klaverjas_view("C7 CA ST S8 C9", "DK")
    count = Counter(card_name(SemiRandom().act(view, Rng(seed))) for seed in range(6000))
    assert set(count) == {"C7", "S8", "C9"}
    # A chi-square of two degrees of freedom is above 13.8 once in a thousand; seeds are fixed.
    assert sum((n - 2000) ** 2 / 2000 for n in count.values()) < 13.8


@pytest.mark.parametrize("variant", ["rotterdam", "amsterdam"])
def test_only_legal_cards(variant):
    assert choices("C7 SA HJ", "C9 CK", variant=variant) == "C7"

"""Klaverjas, rule by rule; each option with a round that ends otherwise without it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.rounds import deal, legal, play, play_at_random, play_lowest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.cards import parse_cards, suit_of
from arena.core.rules import PASS, PLAY, RulesError, Standing, choose_trump
from arena.core.seeds import Rng
from arena.games.klaverjas import Klaverjas
from arena.games.klaverjas.bidding import SYSTEMS
from arena.games.klaverjas.rules import roem
from arena.games.klaverjas.tables import ROUND_POINTS

ROTTERDAM = Klaverjas()
AMSTERDAM = Klaverjas(variant="amsterdam")
OFFICIAL = Klaverjas(variant="amsterdam-official")
ALL = (ROTTERDAM, AMSTERDAM, OFFICIAL)
AMSTERDAM_2022 = Klaverjas(variant="amsterdam-2022")
ROTTERDAM_2017 = Klaverjas(variant="rotterdam-2017")


# --- which cards may be played -----------------------------------------------------------


@pytest.mark.parametrize("rules", ALL)
def test_the_leader_may_play_anything(rules):
    assert legal(rules, trump="H", trick="", hand="C7 H8 SA") == "C7 H8 SA"


@pytest.mark.parametrize("rules", ALL)
def test_follow_suit(rules):
    assert legal(rules, trump="H", trick="CA", hand="C7 CT HJ SA") == "C7 CT"


@pytest.mark.parametrize("rules", ALL)
def test_who_cannot_follow_must_trump(rules):
    assert legal(rules, trump="H", trick="CA", hand="H7 HJ SA") == "H7 HJ"


@pytest.mark.parametrize("rules", ALL)
def test_who_can_neither_follow_nor_trump_may_discard(rules):
    assert legal(rules, trump="H", trick="CA", hand="D7 SA") == "D7 SA"


@pytest.mark.parametrize("rules", ALL)
def test_over_trump_an_opponent(rules):
    # The nine is the second trump; ace and ten are below it.
    assert legal(rules, trump="H", trick="CA HA", hand="H7 HT H9 SA") == "H9"


@pytest.mark.parametrize("rules", ALL)
def test_head_a_trump_lead(rules):
    assert legal(rules, trump="H", trick="HK", hand="H7 HT HJ SA") == "HT HJ"


@pytest.mark.parametrize("rules", ALL)
def test_any_trump_if_the_lead_cannot_be_headed(rules):
    assert legal(rules, trump="H", trick="HJ", hand="H7 HT SA") == "H7 HT"


def test_under_trump_when_an_opponent_has_trumped_higher():
    position = {"trump": "H", "trick": "C7 CA HJ", "hand": "H7 HT SA"}
    assert legal(ROTTERDAM, **position) == "H7 HT"
    assert legal(AMSTERDAM, **position) == "H7 HT"
    assert legal(OFFICIAL, **position) == "SA"


def test_only_trumps_left_under_trumping_is_allowed():
    position = {"trump": "H", "trick": "C7 CA HJ", "hand": "H7 HT"}
    assert [legal(rules, **position) for rules in ALL] == ["H7 HT"] * 3


def test_partner_holds_the_trick_with_a_plain_card():
    position = {"trump": "H", "trick": "CA C7", "hand": "H7 HT SA"}
    assert legal(ROTTERDAM, **position) == "H7 HT"
    assert legal(AMSTERDAM, **position) == "H7 HT SA"
    assert legal(OFFICIAL, **position) == "H7 HT SA"


def test_partner_holds_the_trick_with_a_trump():
    position = {"trump": "H", "trick": "C7 HA C8", "hand": "H7 H9 SA"}
    assert legal(ROTTERDAM, **position) == "H9"
    assert legal(AMSTERDAM, **position) == "H7 H9 SA"
    assert legal(OFFICIAL, **position) == "H9 SA"


def test_partner_holds_a_trump_lead():
    position = {"trump": "H", "trick": "HA H7", "hand": "H8 HJ SA"}
    assert legal(ROTTERDAM, **position) == "HJ"
    assert legal(AMSTERDAM, **position) == "H8 HJ"
    assert legal(OFFICIAL, **position) == "HJ"


def test_who_holds_the_trick_is_the_winner_so_far_not_the_leader():
    # E over-trumped N's ace: S does not hold the trick through their partner.
    assert legal(AMSTERDAM, trump="H", trick="CA H7", hand="H8 SA") == "H8"


# --- what a trick is worth ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "worth"),
    [
        ("C7 C8 C9 DA", 20),
        ("C7 C8 CT DA", 0),
        ("CT CJ CQ CK", 50),
        ("HQ HK C7 D8", 20),
        ("HQ HK HA D8", 40),
        ("HJ HQ HK HT", 70),
        ("CQ CK C7 D8", 0),
        ("CA DA HA SA", 100),
        ("CJ DJ HJ SJ", 200),
        ("C7 D8 H9 ST", 0),
        ("CK CA D7 D8", 0),
    ],
)
def test_roem(cards, worth):
    for order in itertools.permutations(parse_cards(cards)):
        assert roem(order, trump=2, four_jacks=200) == worth


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        ("C7 C8 CA CT", 2),
        ("C7 D8 DA DT", 0),
        ("C7 H7 CA H8", 3),
        ("H8 HA H9 HJ", 3),
        ("CT CK CJ C9", 0),
    ],
)
def test_who_takes_the_trick(trick, winner):
    assert ROTTERDAM.trick_winner(parse_cards(trick), trump=2) == winner


# --- options that change the end ---------------------------------------------------------

ONE_SUIT_EACH = """N: C7 C8 C9 CT CJ CQ CK CA; E: D7 D8 D9 DT DJ DQ DK DA;
                   S: H7 H8 H9 HT HJ HQ HK HA; W: S7 S8 S9 ST SJ SQ SK SA"""


def four_alike_in_every_trick(rules, declarer):
    # S has all trumps, leads and takes every trick; the others play the same rank.
    the_deal = deal(ONE_SUIT_EACH, trump="H", declarer=declarer, leader="S")
    tricks = " ".join(f"H{rank} S{rank} C{rank} D{rank}" for rank in "789TJQKA")
    return play(rules, the_deal, tricks)[1]


def test_four_jacks_and_the_best_margin_there_is():
    # 152 + 10 points, 7 x 100 + 200 roem, 100 for pit.
    outcome = four_alike_in_every_trick(ROTTERDAM, declarer="S")
    assert (outcome.scores, outcome.flags) == ((1162, 0), ("pit",))
    assert ROTTERDAM.margin_bounds == (-1162, 1162)
    fewer = Klaverjas(four_jacks=100)
    assert four_alike_in_every_trick(fewer, declarer="S").scores == (1062, 0)
    assert fewer.margin_bounds == (-1062, 1062)


def test_defenders_who_take_all_tricks_get_no_bonus():
    outcome = four_alike_in_every_trick(ROTTERDAM, declarer="E")
    assert (outcome.scores, outcome.flags) == ((1062, 0), ("nat",))


TIED = """N: S8 S9 ST SQ H8 HK CJ D9; E: SJ SK SA H7 HT HQ DT DQ;
          S: HJ C9 CT CA D7 D8 DJ DA; W: S7 H9 HA C7 C8 CQ CK DK"""
TIED_PLAYS = """HK HT HJ H9  DQ D7 DK D9  C8 CJ SA CT  H8 H7 CA HA
                DJ CQ SQ DT  C7 ST SK C9  DA CK S9 HQ  S7 S8 SJ D8"""


def test_an_equal_count_is_nat_unless_the_option_says_otherwise():
    # E 16 + 20 roem, W 7, N 41, S 22, W 18, S 28, W 18, E 2 + 10:
    # NS 41 + 22 + 28 = 91, EW 16 + 7 + 18 + 18 + 12 = 71 and 20 roem.
    the_deal = deal(TIED, trump="C", declarer="N", leader="N")
    _, outcome = play(ROTTERDAM, the_deal, TIED_PLAYS)
    assert (outcome.points, outcome.bonus) == ((91, 71), (0, 20))
    assert (outcome.scores, outcome.flags) == ((0, 182), ("nat",))
    _, outcome = play(Klaverjas(tie_is_nat=False), the_deal, TIED_PLAYS)
    assert (outcome.scores, outcome.flags) == ((91, 91), ())


def lowest_card_deal():
    # Random deal 57; everybody always plays the lowest legal card (suits C D H S).
    return Klaverjas().random_deal(Rng(57), 57)


def test_variants_end_differently():
    # The ways part in trick 4: E DA, S SQ, W DJ, and N has no diamond. In Rotterdam N
    # must over-trump their partner (S9); in Amsterdam they may throw the queen of clubs.
    # The Amsterdams part in trick 6: W DQ, N S9; E holds S8 and hearts, and has to
    # under-trump by the theses' wording, while the printed rules forbid just that.
    the_deal = lowest_card_deal()
    assert play_lowest(ROTTERDAM, the_deal).scores == (103, 169)
    assert play_lowest(AMSTERDAM, the_deal).scores == (252, 0)
    assert play_lowest(OFFICIAL, the_deal).scores == (272, 0)


def test_amsterdam_of_2022_lets_anything_go_on_a_trump_lead_that_partner_holds():
    hand = "H7 HJ SA"
    assert legal(AMSTERDAM, trump="H", trick="HA HK", hand=hand) == "H7 HJ"
    assert legal(AMSTERDAM_2022, trump="H", trick="HA HK", hand=hand) == hand
    # Where partner does not hold it, and where a plain suit was led, nothing changes.
    assert legal(AMSTERDAM_2022, trump="H", trick="HK HA", hand=hand) == "HJ"
    assert legal(AMSTERDAM_2022, trump="H", trick="CA C7", hand="CT H7") == "CT"
    deals = [ROTTERDAM.random_deal(Rng(number), number) for number in range(60)]
    others = sum(play_lowest(AMSTERDAM_2022, d) != play_lowest(AMSTERDAM, d) for d in deals)
    assert 5 <= others < 60


@pytest.mark.parametrize(
    ("trick", "leader", "right", "in_2017"),
    [
        ("C7 C9 C8 D7", 1, 2, 1),  # none of the clubs has points: E is the lowest seat
        ("C9 C7 CA C8", 0, 2, 2),
        ("C8 H7 H8 CA", 2, 0, 0),
        ("C8 CA H8 H7", 3, 1, 1),
        ("H7 H8 C9 CA", 0, 1, 0),
    ],
)
def test_the_program_of_2017_compares_points_and_then_seats(trick, leader, right, in_2017):
    cards = parse_cards(trick)
    assert ROTTERDAM.taker(leader, cards, 2) == right
    assert ROTTERDAM_2017.taker(leader, cards, 2) == in_2017


def test_the_winner_by_points_is_another_in_some_rounds():
    other = 0
    for number in range(200):
        the_deal = ROTTERDAM.random_deal(Rng(number), number)
        other += play_lowest(ROTTERDAM, the_deal) != play_lowest(ROTTERDAM_2017, the_deal)
    assert 2 <= other <= 60


def test_the_shuffle_of_2017_gives_seats_too_few_cards_of_their_suit():
    counts = np.zeros((4, 4))
    for number in range(2000):
        for seat, hand in enumerate(ROTTERDAM_2017.random_deal(Rng(number), number).hands):
            for card in hand:
                counts[seat, suit_of(card)] += 1 / 2000
    few = [counts[seat, "CDHS".index(suit)] for seat, suit in enumerate("DCHS")]
    # No card stays where it was: of the eight each has 7 places in 31 left, not 8 in 32.
    assert few == pytest.approx([8 * 7 / 31] * 4, abs=0.08)
    assert counts.sum(axis=1) == pytest.approx([8.0] * 4)


def test_pit_is_for_declarers_who_take_everything():
    rules = ROTTERDAM
    the_deal = deal(ONE_SUIT_EACH, trump="H", declarer="S", leader="S")
    # Ranks that never match: no roem at all, 162 points and 100 for pit.
    plays = " ".join(
        f"H{a} S{b} C{c} D{d}"
        for a, b, c, d in zip("789TJQKA", "879JKTAQ", "9T7AQJ8K", "JQK789TA", strict=True)
    )
    _, outcome = play(rules, the_deal, plays)
    assert outcome.bonus == (0, 0)
    assert (outcome.scores, outcome.flags) == ((262, 0), ("pit",))


# --- bidding -----------------------------------------------------------------------------


def auction(system, calls, turn_ups="C D S"):
    the_deal = deal(ONE_SUIT_EACH, dealer="N", turn_ups=turn_ups)
    rules = Klaverjas(bidding=system)
    state = rules.start(the_deal)
    for call in calls:
        rules.apply(state, call)
    return state


CLUBS, DIAMONDS, HEARTS, SPADES = range(4)


@pytest.mark.parametrize(
    ("system", "calls", "declarer", "trump", "forced"),
    [
        ("classical", [PLAY], 1, CLUBS, False),
        ("classical", [PASS] * 3 + [PLAY], 0, CLUBS, False),
        ("classical", [PASS] * 5 + [PLAY], 2, DIAMONDS, False),
        ("classical", [PASS] * 8, 1, SPADES, True),
        ("classical-redeal", [PASS] * 7 + [PLAY], 0, DIAMONDS, False),
        ("classical-elder-picks", [PASS] * 8 + [choose_trump(HEARTS)], 1, HEARTS, True),
        ("free-choice", [PASS, choose_trump(HEARTS)], 2, HEARTS, False),
        ("free-choice", [PASS] * 4 + [choose_trump(HEARTS)], 1, HEARTS, True),
        ("utrecht", [choose_trump(SPADES)], 1, SPADES, True),
    ],
)
def test_auctions(system, calls, declarer, trump, forced):
    state = auction(system, calls)
    assert (state.declarer, state.trump, state.forced) == (declarer, trump, forced)
    # The elder hand, left of the dealer, leads whoever declares.
    assert (state.phase, state.turn, state.leader) == ("play", 1, 1)
    assert [bid.action for bid in state.bids] == calls


def test_thrown_in_when_all_pass_twice():
    state = auction("classical-redeal", [PASS] * 8)
    assert (state.phase, state.turn, state.declarer) == ("over", None, None)
    outcome = Klaverjas(bidding="classical-redeal").outcome(state)
    assert (outcome.scores, outcome.flags) == ((0, 0), ("redeal",))


def test_turned_suits_appear_one_by_one():
    assert auction("classical", []).turn_ups == (CLUBS,)
    assert auction("classical", [PASS] * 4).turn_ups == (CLUBS, DIAMONDS)
    assert auction("classical", [PASS] * 8).turn_ups == (CLUBS, DIAMONDS, SPADES)


def test_a_forced_elder_hand_must_name_a_suit():
    assert PASS not in auction("classical-elder-picks", [PASS] * 8).legal
    assert PASS not in auction("free-choice", [PASS] * 4).legal
    assert PASS not in auction("utrecht", []).legal


def test_each_system_ends_otherwise_than_the_classical_one():
    # The hands are four whole suits: who names their own suit takes every trick. When
    # everybody passes, classical bidding forces E to play spades, W's suit.
    def finish(system, calls):
        rules = Klaverjas(bidding=system)
        state = auction(system, calls)
        while state.turn is not None:
            rules.apply(state, state.legal[0])
        return rules.outcome(state)

    passes = [PASS] * 8
    classical = finish("classical", passes)
    assert classical.scores[1] == 162 + 900 + 100  # W takes all for E: pit, and four alike
    assert finish("classical-redeal", passes).scores == (0, 0)
    clubs = finish("classical-elder-picks", [*passes, choose_trump(CLUBS)])
    assert clubs.flags == ("nat",)
    assert clubs.scores == (162 + 900, 0)
    assert finish("free-choice", [choose_trump(CLUBS)]).scores == clubs.scores
    assert finish("utrecht", [choose_trump(CLUBS)]).scores == clubs.scores


# --- matches -----------------------------------------------------------------------------


def test_a_match_is_sixteen_rounds_with_a_rotating_dealer():
    rules = Klaverjas(bidding="classical")
    first = rules.random_deal(Rng(1), 0)
    elders = [rules.start(rules.in_match(first, number)).leader for number in range(5)]
    assert elders == [0, 1, 2, 3, 0]
    assert not rules.match.is_over(Standing(15, (900, 800)))
    assert rules.match.is_over(Standing(16, (900, 800)))


# --- options and deals that cannot be ----------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "roterdam"}, "did you mean 'rotterdam'"),
        ({"bidding": "leiden"}, "allowed: classical"),
        ({"four_jacks": 150}, "allowed: 100, 200"),
        ({"tie_is_nat": 1}, "allowed: False, True"),
    ],
)
def test_unknown_options_are_refused(options, message):
    with pytest.raises(RulesError, match=message):
        Klaverjas(**options)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"declarer": "N", "leader": "N"}, "trump is missing"),
        ({"trump": "H", "leader": "N"}, "declarer is missing"),
        ({"trump": "H", "declarer": "N"}, "leader and dealer are missing"),
        ({"trump": "O", "declarer": "N", "leader": "N"}, "no such trump"),
    ],
)
def test_a_given_deal_needs_its_fields(fields, message):
    with pytest.raises(RulesError, match=message):
        ROTTERDAM.check_deal(deal(ONE_SUIT_EACH, **fields))


def test_an_auction_needs_its_turned_suits():
    rules = Klaverjas(bidding="classical")
    with pytest.raises(RulesError, match="needs 3 turn-up suits, found 1"):
        rules.check_deal(deal(ONE_SUIT_EACH, dealer="N", turn_ups="C"))
    with pytest.raises(RulesError, match="must differ"):
        rules.check_deal(deal(ONE_SUIT_EACH, dealer="N", turn_ups="C C D"))


# --- properties --------------------------------------------------------------------------

any_rules = st.builds(
    Klaverjas,
    variant=st.sampled_from(["rotterdam", "amsterdam", "amsterdam-official"]),
    bidding=st.sampled_from(SYSTEMS),
    four_jacks=st.sampled_from([100, 200]),
    tie_is_nat=st.booleans(),
)


@given(any_rules, st.integers(0, 2**64 - 1))
def test_random_rounds_add_up(rules, seed):
    rng = Rng(seed)
    the_deal = rules.random_deal(rng, seed % 4)
    rules.check_deal(the_deal)
    state, _ = play_at_random(rules, the_deal, rng)
    outcome = rules.outcome(state)
    low, high = rules.margin_bounds
    assert low <= outcome.scores[0] - outcome.scores[1] <= high
    if outcome.flags == ("redeal",):
        assert outcome.tricks == (0, 0)
        return
    assert sum(outcome.points) == ROUND_POINTS == 162
    assert sum(outcome.tricks) == 8
    pit = 100 if "pit" in outcome.flags else 0
    assert sum(outcome.scores) == ROUND_POINTS + sum(outcome.bonus) + pit
    assert {card for trick in state.tricks for card in trick.cards} == {
        card for hand in the_deal.hands for card in hand
    }

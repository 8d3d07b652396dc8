"""Schieber, rule by rule; each option with a round that ends otherwise without it."""

from __future__ import annotations

import itertools
from dataclasses import fields, replace
from functools import cache

import pytest
from helpers.rounds import deal, legal, play, play_at_random, play_lowest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.cards import SEATS, TRUMPS, mask_of, parse_cards, parse_trump
from arena.core.rules import PUSH, IllegalAction, RulesError, Standing, choose_trump
from arena.core.seeds import Rng
from arena.games.schieber import Schieber
from arena.games.schieber.tables import (
    FOUR_ALIKE,
    MOST_WEIS,
    MULTIPLIERS,
    NATURAL_ORDER,
    POINTS,
    ROUND_POINTS,
    RUN,
)
from arena.games.schieber.weis import announced

THESIS = Schieber()
HIGHEST = Schieber(bidding="given")
JASSKIT = Schieber(bidding="given", undertrump="jasskit")
PYSCHIEBER = Schieber(bidding="given", undertrump="pyschieber")
READINGS = (HIGHEST, JASSKIT, PYSCHIEBER)


# --- which cards may be played -----------------------------------------------------------


def test_the_leader_may_play_anything():
    assert legal(THESIS, trump="H", trick="", hand="C6 HJ SA") == "C6 HJ SA"


@pytest.mark.parametrize("trump", ["O", "U"])
def test_without_a_trump_suit_follow_or_play_anything(trump):
    assert legal(THESIS, trump=trump, trick="C8 CA", hand="C6 CT HJ SA") == "C6 CT"
    assert legal(THESIS, trump=trump, trick="C8 CA", hand="H6 HJ SA") == "H6 HJ SA"


def test_trump_led_must_be_followed():
    assert legal(THESIS, trump="H", trick="H9", hand="C6 H6 HA SA") == "H6 HA"


def test_the_trump_jack_is_never_forced_out():
    assert legal(THESIS, trump="H", trick="H9", hand="C6 HJ SA") == "C6 HJ SA"


def test_the_trump_jack_beside_another_trump_does_not_free_the_hand():
    assert legal(THESIS, trump="H", trick="H9", hand="C6 H6 HJ SA") == "H6 HJ"


def test_a_plain_jack_has_no_privilege():
    assert legal(THESIS, trump="H", trick="CA", hand="CJ D6 SA") == "CJ"
    assert legal(THESIS, trump="O", trick="CA", hand="CJ D6 SA") == "CJ"


def test_no_trump_at_all():
    assert legal(THESIS, trump="H", trick="H9", hand="C6 SA") == "C6 SA"


def test_a_trump_may_be_played_even_by_who_could_follow():
    assert legal(THESIS, trump="H", trick="CA", hand="C6 H6 HJ SA") == "C6 H6 HJ"


def test_who_cannot_follow_may_play_anything():
    assert legal(THESIS, trump="H", trick="CA", hand="D6 H6 SA") == "D6 H6 SA"


@pytest.mark.parametrize("rules", READINGS)
def test_nobody_may_trump_lower(rules):
    # The nine is the second trump: king and ace are below it, only the jack is above.
    assert legal(rules, trump="H", trick="CA H9", hand="C6 HK HA HJ") == "C6 HJ"
    assert legal(rules, trump="H", trick="CA H9", hand="D6 HK HA HJ") == "D6 HJ"


@pytest.mark.parametrize("rules", READINGS)
def test_who_trumped_first_does_not_bind_who_follows_a_trump_lead(rules):
    assert legal(rules, trump="H", trick="H6 HJ", hand="C6 H7 HA") == "H7 HA"


def test_only_trumps_left():
    position = {"trump": "H", "trick": "CA HK", "hand": "H6 H8 HA"}
    assert legal(HIGHEST, **position) == "H6 H8 HA"
    assert legal(JASSKIT, **position) == "H6 H8 HA"
    assert legal(PYSCHIEBER, **position) == "HA"


def test_only_lower_trumps_left():
    for rules in READINGS:
        assert legal(rules, trump="H", trick="CA H9", hand="H6 HA") == "H6 HA"


def test_a_second_trump_must_be_beaten_too():
    # Ten and seven both beat the six but not the king.
    assert legal(HIGHEST, trump="H", trick="CA H6 HK", hand="H7 HT C6 SA") == "C6"


def test_of_two_trumps_jasskit_takes_the_lower_natural_rank():
    # Jack over ten: the printed rules ask for more than the jack, jass-kit for more than the ten.
    position = {"trump": "H", "trick": "CA HT HJ", "hand": "C6 H8 HQ H9"}
    assert legal(HIGHEST, **position) == "C6"
    assert legal(PYSCHIEBER, **position) == "C6"
    assert legal(JASSKIT, **position) == "C6 H9 HQ"


def test_a_natural_rank_below_is_not_always_a_lower_trump():
    # The nine ranks naturally below the ace and beats it: both readings ask for the jack.
    for rules in READINGS:
        assert legal(rules, trump="H", trick="CA HA H9", hand="C6 HK HJ") == "C6 HJ"


# --- who takes a trick and what it is worth ----------------------------------------------


@pytest.mark.parametrize(
    ("trump", "trick", "winner"),
    [
        ("H", "C6 C8 CA CT", 2),
        ("H", "CT CJ CQ CK", 3),
        ("H", "C6 D8 DA DT", 0),
        ("H", "C6 H6 CA H8", 3),
        ("H", "HA H9 HK HT", 1),
        ("H", "H9 HJ HA HK", 1),
        ("O", "C6 C8 CA HJ", 2),
        ("O", "C6 DA HA SA", 0),
        ("U", "C8 C7 CA C9", 1),
        ("U", "CA D6 H6 S6", 0),
        ("U", "C7 C6 CA CK", 1),
    ],
)
def test_who_takes_the_trick(trump, trick, winner):
    assert THESIS.trick_winner(parse_cards(trick), parse_trump(trump)) == winner


@pytest.mark.parametrize(
    ("trump", "trick", "points"),
    [
        ("H", "HJ H9 HA HT", 20 + 14 + 11 + 10),
        ("H", "CJ C9 CA CT", 2 + 0 + 11 + 10),
        ("H", "C8 C6 CK CQ", 0 + 0 + 4 + 3),
        ("O", "HJ H9 H8 H6", 2 + 0 + 8 + 0),
        ("U", "HA H6 H8 HK", 0 + 11 + 8 + 4),
    ],
)
def test_what_a_trick_is_worth(trump, trick, points):
    cards = parse_cards(trick)
    assert THESIS.trick_value(cards, parse_trump(trump), last=False) == (points, 0)
    assert THESIS.trick_value(cards, parse_trump(trump), last=True) == (points + 5, 0)


def test_all_six_games_have_the_same_points():
    assert {sum(points) for points in POINTS} == {152}
    assert ROUND_POINTS == 157


# --- Weis --------------------------------------------------------------------------------


def weis_of(trump, forehand, **hands):
    """The Weis that count, as points by seat letter; seats that are not named hold nothing."""
    masks = [mask_of(parse_cards(hands.get(seat, ""))) for seat in SEATS]
    found = announced(masks, parse_trump(trump), SEATS.index(forehand))
    return {SEATS[seat]: [weis.points for weis in several] for seat, several in found.items()}


@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("H6 H7 C8", []),
        ("H6 H7 H8", [20]),
        ("H6 H7 H8 H9", [50]),
        ("H6 H7 H8 H9 HT", [100]),
        ("H6 H7 H8 H9 HT HJ", [100]),
        ("H6 H7 H8 H9 HT HJ HQ", [100]),
        ("H6 H7 H8 H9 HT HJ HQ HK", [100]),
        ("H6 H7 H8 H9 HT HJ HQ HK HA", [100]),
        ("HQ HK HA D6 D7 D8", [20, 20]),
        ("HQ HK HA D6", [20]),
        ("HK HA D6", []),
        ("C6 D6 H6 S6", [100]),
        ("C9 D9 H9 S9", [150]),
        ("CJ DJ HJ SJ", [200]),
        ("CA DA HA SA HK HQ", [20, 100]),
        ("CA DA HA", []),
    ],
)
@pytest.mark.parametrize("trump", "HOU")
def test_what_counts(hand, points, trump):
    found = weis_of(trump, "N", N=hand).get("N", [])
    assert sorted(found) == sorted(points)


def test_the_best_single_weis_wins_and_brings_in_partners():
    found = weis_of("H", "N", N="C6 C7 C8", S="D6 D7 D8 D9", E="S6 S7 S8", W="ST SJ SQ")
    assert found == {"S": [50], "N": [20]}


def test_the_sum_does_not_decide():
    found = weis_of("H", "N", N="C6 C7 C8 D6 D7 D8 S6 S7 S8", E="DT DJ DQ DK")
    assert found == {"E": [50]}


@pytest.mark.parametrize(
    ("better", "worse", "trump"),
    [
        ("CJ DJ HJ SJ", "C9 D9 H9 S9", "H"),
        ("C9 D9 H9 S9", "ST SJ SQ SK SA", "H"),
        ("S6 S7 S8 S9 ST", "CA DA HA SA", "H"),  # both 100: more cards
        ("S6 S7 S8 S9 ST SJ", "HT HJ HQ HK HA", "H"),  # both 100: more cards, though not trump
        ("CA DA HA SA", "CK DK HK SK", "C"),
        ("C6 D6 H6 S6", "CA DA HA SA", "U"),  # une-ufe: six is high
        ("CQ CK CA", "HJ HQ HK", "H"),  # the top card, before trump
        ("C6 C7 C8", "D7 D8 D9", "U"),
        ("H7 H8 H9", "C7 C8 C9", "H"),  # equal height: trump
    ],
)
def test_of_two_weis_one_is_better_whoever_speaks_first(better, worse, trump):
    for forehand in "NESW":
        assert list(weis_of(trump, forehand, N=better, E=worse)) == ["N"]
        assert list(weis_of(trump, forehand, E=better, N=worse)) == ["E"]


@pytest.mark.parametrize(("forehand", "winner"), [("N", "N"), ("W", "E"), ("S", "E"), ("E", "E")])
def test_equal_weis_go_to_who_speaks_first(forehand, winner):
    # Counter-clockwise from W: W, S, E and then N.
    assert list(weis_of("H", forehand, N="C7 C8 C9", E="D7 D8 D9")) == [winner]


# --- options that change the end ---------------------------------------------------------

# The best hands of all: N with nines and jacks, S with aces and kings.
ALL_OF_IT = """N: HJ H9 HT CJ C9 DJ D9 SJ S9; E: H8 H7 H6 CQ CT C8 C7 C6 DQ;
               S: HA HK HQ CA CK DA DK SA SK; W: DT D8 D7 D6 SQ ST S8 S7 S6"""
# Obe-abe: S plays from the top; the turn goes S E N W.
PLAYS_IN_OBE = """HA H6 HT D6  HK H7 H9 D7  HQ H8 HJ D8  CA C6 C9 S6  CK C7 CJ S7
                  DA DQ D9 DT  DK C8 DJ S8  SA CT S9 ST  SK CQ SJ SQ"""
# Hearts: the nine takes the king, so N draws the last trump and leads back to S.
PLAYS_IN_HEARTS = """HA H6 HT D6  HK H7 H9 D7  HJ D8 HQ H8  CJ S6 CA C6  CK C7 C9 S7
                     DA DQ D9 DT  DK C8 DJ S8  SA CT S9 ST  SK CQ SJ SQ"""


def all_of_it(trump, **options):
    rules = Schieber(bidding="given", **options)
    the_deal = deal(ALL_OF_IT, trump=trump, declarer="S", leader="S")
    return play(rules, the_deal, PLAYS_IN_HEARTS if trump == "H" else PLAYS_IN_OBE)


def test_match_bonus():
    assert all_of_it("H")[1].scores == (157, 0)
    assert all_of_it("H")[1].flags == ("match",)
    assert all_of_it("H", match_bonus=100)[1].scores == (257, 0)


def test_weis():
    # N: four jacks 200, four nines 150, H9 HT HJ 20; S: aces and kings 200, HQ HK HA 20.
    # E and W have runs of 20; they count for nothing.
    state, outcome = all_of_it("H", weis=True)
    assert outcome.scores == (157 + 370 + 220, 0)
    assert outcome.bonus == (590, 0)
    north = mask_of(parse_cards("HJ H9 HT CJ C9 DJ D9 SJ S9"))
    south = mask_of(parse_cards("HA HK HQ CA CK DA DK SA SK"))
    assert dict(state.shown) == {0: north, 2: south}
    assert all_of_it("H")[0].shown == ()


def test_stoeck():
    assert all_of_it("H", stoeck=True)[1].scores == (177, 0)
    assert all_of_it("O", stoeck=True)[1].scores == (157, 0)


def test_stoeck_is_for_one_hand_that_has_both():
    split = deal(
        ALL_OF_IT.replace("HK", "x").replace("HT", "HK").replace("x", "HT"),
        trump="H", declarer="S", leader="S",
    )  # fmt: skip
    outcome = play_lowest(Schieber(bidding="given", stoeck=True), split)
    assert outcome.bonus == (0, 0)


def test_stoeck_goes_to_the_holder_not_to_who_takes_the_trick():
    # W holds HQ HK and takes nothing with them: N draws both with jack and nine.
    hands = """N: HJ H9 HA C6 C7 C8 C9 CT CJ; E: CQ CK CA DJ DQ DK DA SK SA;
               S: H6 H7 H8 HT D6 D7 D8 D9 DT; W: HQ HK S6 S7 S8 S9 ST SJ SQ"""
    the_deal = deal(hands, trump="H", declarer="N", leader="N")
    rules = Schieber(bidding="given", stoeck=True)
    state = rules.start(the_deal)
    for card in parse_cards("HJ HQ H6 DJ H9"):
        rules.apply(state, card)
    assert state.bonus == (0, 0)
    for card in parse_cards("HK H7"):
        rules.apply(state, card)
    # The king lies there, but the trick is not complete yet.
    assert state.bonus == (0, 0)
    rules.apply(state, parse_cards("DQ")[0])
    assert state.bonus == (0, 20)


@pytest.mark.parametrize(
    ("multipliers", "trump", "factor"),
    [
        ("none", "O", 1),
        ("pyschieber", "H", 1),
        ("pyschieber", "O", 3),
        ("swisslos", "H", 1),
        ("swisslos", "O", 3),
    ],
)
def test_multipliers_are_for_everything(multipliers, trump, factor):
    _, outcome = all_of_it(trump, multipliers=multipliers, match_bonus=100, weis=True)
    assert outcome.scores == (factor * (157 + 100 + 590), 0)
    assert outcome.points == (157, 0)


def test_multipliers_by_trump():
    assert dict(zip(TRUMPS, MULTIPLIERS["pyschieber"], strict=True)) == {
        "C": 1, "H": 1, "D": 2, "S": 2, "O": 3, "U": 3,
    }  # fmt: skip
    assert dict(zip(TRUMPS, MULTIPLIERS["swisslos"], strict=True)) == {
        "D": 1, "H": 1, "C": 2, "S": 2, "O": 3, "U": 3,
    }  # fmt: skip


def test_157_points_without_all_tricks_are_no_match():
    # E takes the first trick with D9, which is worth nothing; N has the rest with trumps.
    the_deal = deal(
        """N: SJ S9 SA SK SQ ST S8 S7 D8; E: D9 DT DJ DQ DK DA C6 C7 C8;
           S: D6 S6 H8 H9 HT HJ HQ HK HA; W: D7 C9 CT CJ CQ CK CA H6 H7""",
        trump="S",
        leader="N",
    )
    rules = Schieber(bidding="given", match_bonus=100)
    state = rules.start(the_deal)
    for card in parse_cards("D8 D7 D6 D9  C6 S7 C9 H8"):
        rules.apply(state, card)
    while state.turn is not None:
        rules.apply(state, state.legal[0])
    outcome = rules.outcome(state)
    assert (outcome.scores, outcome.tricks, outcome.flags) == ((157, 0), (8, 1), ())
    assert rules.facts(state)["match"] is None


def test_undertrump_jasskit():
    # Random deal 754, everybody plays the lowest legal card. In trick 6 S leads S6, E trumps
    # with H8, N over-trumps with HA; W holds D J K, HK and ST. By the printed rules they must
    # follow (ST), by jass-kit the lower trump to beat is H8, and HK may go.
    #   highest:  S6 H8 HA ST (N 21)  S9 DJ S7 H9 (E 16)  HJ SJ HK SK (E 30)  S8 SQ DK SA (S 23)
    #   jasskit:  S6 H8 HA HK (N 15)  S9 ST S7 H9 (E 24)  HJ SJ DJ SK (E 28)  S8 SQ DK SA (S 23)
    # Tricks 1 to 5 are the same: E 0, S 23, N 14, N 17, S 13.
    the_deal = deal(
        """N: C8 CJ CK DA HT HA S9 SJ SQ; E: C9 CT CQ DQ H6 H8 H9 HJ S8;
           S: C7 CA D9 DT HQ S6 S7 SK SA; W: C6 D6 D7 D8 DJ DK H7 HK ST""",
        trump="H", declarer="S", leader="S",
    )  # fmt: skip
    assert play_lowest(HIGHEST, the_deal).scores == (67 + 21 + 23, 16 + 30)
    assert play_lowest(JASSKIT, the_deal).scores == (67 + 15 + 23, 24 + 28)
    assert play_lowest(PYSCHIEBER, the_deal) == play_lowest(HIGHEST, the_deal)


def test_undertrump_pyschieber():
    # Random deal 194, everybody plays the lowest legal card. In trick 8 E leads H7, N HT, W
    # trumps with SQ; S has only S7 and SJ left. They may under-trump, except in pyschieber.
    #   highest:     H7 HT SQ S7 (W 13)  SA SJ HA HQ (S 45 + 5)
    #   pyschieber:  H7 HT SQ SJ (S 33)  S7 HA HQ SA (W 25 + 5)
    # Tricks 1 to 7 are the same: NS 0 + 14 + 8 + 18, EW 21 + 19 + 14.
    the_deal = deal(
        """N: C7 CT CK CA D9 DQ HT HQ S8; E: C6 C9 CJ CQ DA H6 H7 HA SK;
           S: C8 D6 D8 DJ H8 HJ S6 S7 SJ; W: D7 DT DK H9 HK S9 ST SQ SA""",
        trump="S", declarer="S", leader="S",
    )  # fmt: skip
    assert play_lowest(HIGHEST, the_deal).scores == (40 + 50, 54 + 13)
    assert play_lowest(PYSCHIEBER, the_deal).scores == (40 + 33, 54 + 30)
    assert play_lowest(JASSKIT, the_deal) == play_lowest(HIGHEST, the_deal)


# --- naming trump ------------------------------------------------------------------------

ONE_SUIT_EACH = """N: C6 C7 C8 C9 CT CJ CQ CK CA; E: D6 D7 D8 D9 DT DJ DQ DK DA;
                   S: H6 H7 H8 H9 HT HJ HQ HK HA; W: S6 S7 S8 S9 ST SJ SQ SK SA"""
SIX = tuple(choose_trump(trump) for trump in range(6))


def test_the_forehand_sits_right_of_the_dealer_and_may_push():
    state = THESIS.start(deal(ONE_SUIT_EACH, dealer="N"))
    assert (state.phase, SEATS[state.turn]) == ("bid", "W")
    assert state.legal == (PUSH, *SIX)


def test_the_partner_must_name_a_trump_and_the_forehand_leads():
    state = THESIS.start(deal(ONE_SUIT_EACH, dealer="N"))
    THESIS.apply(state, PUSH)
    assert (SEATS[state.turn], state.legal) == ("E", SIX)
    with pytest.raises(IllegalAction):
        THESIS.apply(state, PUSH)
    THESIS.apply(state, choose_trump(parse_trump("U")))
    assert (state.phase, SEATS[state.turn], SEATS[state.declarer]) == ("play", "W", "E")
    assert (TRUMPS[state.trump], state.forced) == ("U", False)  # any of six: it tells something
    assert [SEATS[bid.seat] for bid in state.bids] == ["W", "E"]


def test_the_forehand_names_trump_himself():
    state = THESIS.start(deal(ONE_SUIT_EACH, dealer="N"))
    THESIS.apply(state, choose_trump(0))
    assert (SEATS[state.turn], SEATS[state.declarer], state.forced) == ("W", "W", False)


def test_what_is_named_decides_the_round():
    # Whole suits: who has the trump suit takes everything; without one, the leader does.
    the_deal = deal(ONE_SUIT_EACH, dealer="N", trump="C")

    def finish(rules, *calls):
        state = rules.start(the_deal)
        for call in calls:
            rules.apply(state, call)
        while state.turn is not None:
            rules.apply(state, state.legal[0])
        return rules.outcome(state).scores

    assert finish(Schieber(bidding="given")) == (157, 0)
    assert finish(THESIS, choose_trump(parse_trump("S"))) == (0, 157)
    assert finish(THESIS, PUSH, choose_trump(parse_trump("H"))) == (157, 0)
    assert finish(THESIS, PUSH, choose_trump(parse_trump("O"))) == (0, 157)


def test_play_goes_counter_clockwise():
    state = HIGHEST.start(deal(ONE_SUIT_EACH, trump="O", leader="N"))
    seats = []
    for _ in range(4):
        seats.append(SEATS[state.turn])
        HIGHEST.apply(state, state.legal[0])
    assert "".join(seats) == "NWSE"


# --- what is known of Weis ---------------------------------------------------------------


def test_weis_are_shown_when_the_first_trick_is_complete():
    rules = Schieber(bidding="given", weis=True)
    # Four runs of nine, all 100: clubs are trump, so N's is the best, and S's counts too.
    state = rules.start(deal(ONE_SUIT_EACH, trump="C", declarer="E", leader="E"))
    for _ in range(4):
        assert all(rules.view(state, seat).shown == () for seat in range(4))
        assert state.bonus == (0, 0)
        rules.apply(state, state.legal[0])
    clubs = mask_of(parse_cards("C6 C7 C8 C9 CT CJ CQ CK CA"))
    hearts = mask_of(parse_cards("H6 H7 H8 H9 HT HJ HQ HK HA"))
    for seat in range(4):
        view = rules.view(state, seat)
        assert view.shown == ((0, clubs), (2, hearts))
        assert view.bonus == (200, 0)


@given(st.integers(0, 2**64 - 1), st.integers(0, 30))
def test_a_view_stays_the_same_when_unseen_cards_change_places(seed, plays):
    # Worlds in which the same cards can have been played look the same, unless other Weis
    # are shown in them.
    rules, rng = Schieber(weis=True, stoeck=True), Rng(seed)
    the_deal = rules.random_deal(rng, 0)
    _, actions = play_at_random(rules, the_deal, rng)
    calls = 1 + (actions[0] == PUSH)
    so_far = actions[: calls + plays]
    state = rules.start(the_deal)
    for action in so_far:
        rules.apply(state, action)
    seat = state.turn
    here = rules.view(state, seat)
    for _ in range(10):
        other = rules.start(deal_unseen_anew(the_deal, seat, mask_of(so_far[calls:]), rng))
        if not all(can_apply(rules, other, action) for action in so_far):
            continue
        there = rules.view(other, seat)
        if plays < 4 or (there.shown == here.shown and there.bonus == here.bonus):
            assert there == here


def deal_unseen_anew(the_deal, seat, played, rng):
    """The deal with the cards that others have not played dealt among them again."""
    others = [s for s in range(4) if s != seat]
    unseen = [c for s in others for c in the_deal.hands[s] if not played >> c & 1]
    rng.shuffle(unseen)
    hands = list(the_deal.hands)
    for s in others:
        hands[s] = tuple(c if played >> c & 1 else unseen.pop() for c in hands[s])
    return replace(the_deal, hands=tuple(hands))


def can_apply(rules, state, action):
    if action not in state.legal:
        return False
    rules.apply(state, action)
    return True


# --- the order of counting ---------------------------------------------------------------


def test_the_ledger_counts_stoeck_then_weis_then_tricks_then_match():
    rules = Schieber(bidding="given", weis=True, stoeck=True, match_bonus=100)
    state, outcome = all_of_it("H", weis=True, stoeck=True, match_bonus=100)
    lines = rules.ledger(state)
    assert [what for what, _ in itertools.groupby(line.what for line in lines)] == [
        "stoeck", "weis", "trick", "match",
    ]  # fmt: skip
    assert sum(line.points for line in lines) == outcome.scores[0] == 867


def test_stoeck_reaches_a_target_before_the_other_sides_weis():
    # EW needs 20 and NS needs 50 to reach the target: W's Stöck comes before N's Weis,
    # though it was played later.
    hands = """N: S6 S7 S8 S9 HA H9 CA DA D6; E: HJ H7 H8 CT CJ CK D8 D9 SK;
               S: HT H6 C8 C9 CQ DT DJ DK SJ; W: HK HQ C6 C7 D7 DQ ST SQ SA"""
    rules = Schieber(bidding="given", weis=True, stoeck=True)
    state, _ = play_at_random(rules, deal(hands, trump="H", declarer="N", leader="N"), Rng(1))
    first, second = rules.ledger(state)[:2]
    assert (first.what, first.side, first.points) == ("stoeck", 1, 20)
    assert (second.what, second.side, second.points) == ("weis", 0, 50)


# --- matches -----------------------------------------------------------


def test_a_match_is_a_hundred_rounds_and_the_forehand_moves_counter_clockwise():
    first = THESIS.random_deal(Rng(1), 0)
    forehands = [THESIS.start(THESIS.in_match(first, number)).leader for number in range(5)]
    assert "".join(SEATS[seat] for seat in forehands) == "NWSEN"
    made = [THESIS.start(THESIS.random_deal(Rng(1), number)).leader for number in range(5)]
    assert made == forehands
    assert not THESIS.match.is_over(Standing(99, (9000, 6000)))
    assert THESIS.match.is_over(Standing(100, (9000, 6000)))


# --- the best margin there is ------------------------------------------------------------


@cache
def weis_of_runs(owners):
    """Weis in a suit whose nine cards are with hand 1, with hand 2 or elsewhere (0)."""
    groups = ((owner, len(list(cards))) for owner, cards in itertools.groupby(owners))
    return sum(RUN.get(length, 0) for owner, length in groups if owner)


def best_together(one, two, hand_size=9):
    """By the cards used of either hand, the most Weis of two parts put together."""
    return {
        (a + c, b + d): worth
        for worth, a, b, c, d in sorted(
            (x + y, a, b, c, d)
            for ((a, b), x), ((c, d), y) in itertools.product(one.items(), two.items())
            if a + c <= hand_size and b + d <= hand_size
        )
    }


def most_weis_of_two_hands():
    """The most Weis that two hands of nine can hold together, by exhaustion.

    For every choice of ranks that either hand has four of, and every way to give the other
    cards of a suit to the first hand, the second or neither, keep the best by the number
    of cards used; then put four such suits together.
    """
    ranks = range(len(NATURAL_ORDER))
    fours = [chosen for n in (0, 1, 2) for chosen in itertools.combinations(ranks, n)]
    most = 0
    for one, two in itertools.combinations_with_replacement(fours, 2):
        if set(one) & set(two):
            continue  # a rank has only four cards
        owners = [(1,) if r in one else (2,) if r in two else (0, 1, 2) for r in ranks]
        suit = {}
        for pattern in itertools.product(*owners):
            used = pattern.count(1), pattern.count(2)
            suit[used] = max(suit.get(used, 0), weis_of_runs(pattern))
        half = best_together(suit, suit)
        whole = best_together(half, half)
        alike = sum(FOUR_ALIKE[NATURAL_ORDER[rank]] for rank in one + two)
        most = max([most, *(alike + worth for worth in whole.values())])
    return most


def test_no_two_hands_hold_more_weis():
    assert most_weis_of_two_hands() == MOST_WEIS == 590


@pytest.mark.parametrize("match_bonus", [0, 100])
@pytest.mark.parametrize("weis", [False, True])
@pytest.mark.parametrize("stoeck", [False, True])
@pytest.mark.parametrize("multipliers", list(MULTIPLIERS))
def test_the_best_margin_is_reached(match_bonus, weis, stoeck, multipliers):
    options = {
        "match_bonus": match_bonus, "weis": weis, "stoeck": stoeck, "multipliers": multipliers,
    }  # fmt: skip
    reached = max(all_of_it(trump, **options)[1].scores[0] for trump in "HO")
    assert Schieber(**options).margin_bounds == (-reached, reached)


# --- options and deals that cannot be ----------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"undertrump": "higest"}, "schieber: undertrump: .*did you mean 'highest'"),
        ({"bidding": "classical"}, "allowed: given, schieben"),
        ({"match_bonus": 50}, "match_bonus: unknown 50; allowed: 0, 100"),
        ({"match_bonus": True}, "match_bonus: unknown True"),
        ({"weis": "yes"}, "weis: unknown 'yes'; allowed: False, True"),
        ({"stoeck": 1}, "stoeck: unknown 1"),
        ({"multipliers": "swislos"}, "did you mean 'swisslos'"),
    ],
)
def test_unknown_options_are_refused(options, message):
    with pytest.raises(RulesError, match=message):
        Schieber(**options)


def test_every_option_is_explained():
    assert set(Schieber.options_help) == {field.name for field in fields(Schieber)}


@pytest.mark.parametrize(
    ("rules", "given_fields", "message"),
    [
        (HIGHEST, {"leader": "N"}, "trump is missing"),
        (HIGHEST, {"trump": "H"}, "leader and dealer are missing"),
        (HIGHEST, {"trump": "H", "leader": "N", "declarer": "E"}, "declarer must be"),
        (THESIS, {}, "leader and dealer are missing"),
    ],
)
def test_a_deal_needs_its_fields(rules, given_fields, message):
    with pytest.raises(RulesError, match=message):
        rules.check_deal(deal(ONE_SUIT_EACH, **given_fields))


def test_filters_look_at_the_trumps():
    the_deal = deal(ALL_OF_IT, trump="H", leader="N", declarer="S")
    assert Schieber.measures["leader-trump-points"](the_deal) == 20 + 14 + 10
    assert Schieber.measures["declarer-trump-points"](the_deal) == 11 + 4 + 3


# --- properties --------------------------------------------------------------------------

any_rules = st.builds(
    Schieber,
    bidding=st.sampled_from(["schieben", "given"]),
    undertrump=st.sampled_from(["highest", "jasskit", "pyschieber"]),
    match_bonus=st.sampled_from([0, 100]),
    weis=st.booleans(),
    stoeck=st.booleans(),
    multipliers=st.sampled_from(sorted(MULTIPLIERS)),
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
    assert sum(outcome.points) == 157
    assert sum(outcome.tricks) == 9
    assert (9 in outcome.tricks) == ("match" in outcome.flags)
    factor = MULTIPLIERS[rules.multipliers][state.trump]
    match = rules.match_bonus if "match" in outcome.flags else 0
    assert sum(outcome.scores) == factor * (157 + sum(outcome.bonus) + match)
    written = [0, 0]
    for line in rules.ledger(state):
        if line.what in ("stoeck", "weis"):
            written[line.side] += line.points
    # The bonus counted card by card is the bonus of the score sheet.
    assert tuple(written) == tuple(factor * bonus for bonus in outcome.bonus)
    assert {card for trick in state.tricks for card in trick.cards} == {
        card for hand in the_deal.hands for card in hand
    }


@given(st.integers(0, 2**64 - 1))
def test_every_position_has_a_legal_card_and_highest_allows_the_least(seed):
    rng = Rng(seed)
    state = HIGHEST.start(HIGHEST.random_deal(rng, seed % 4))
    while state.turn is not None:
        hand, position = state.hands[state.turn], HIGHEST.view(state, state.turn).position
        highest, jasskit, pyschieber = (rules.playable(hand, position) for rules in READINGS)
        assert highest
        assert pyschieber
        assert highest & ~jasskit == 0
        assert pyschieber & ~highest == 0
        HIGHEST.apply(state, rng.choice(state.legal))

"""Bidders: the examples and totals of the thesis, and all forms of the auction."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from helpers.rounds import deal

from agents.bidding.monte_carlo import MonteCarlo
from agents.bidding.points import PointsBidder, hand_points
from agents.bidding.rule import RuleBidder, worth_playing
from agents.bidding.simple import Always, Never, RandomBidder
from agents.search.flat_mc import Sums, judge
from arena.core.agent import Bidder
from arena.core.cards import CardSet, parse_trump
from arena.core.registry import AGENTS
from arena.core.rules import PASS, PLAY, PUSH, View, action_name, chosen_trump
from arena.core.seeds import Rng
from arena.games.kernel.rng import rng_array
from arena.games.klaverjas import Klaverjas
from arena.games.klaverjas.tables import DECK
from arena.games.schieber import Schieber

STRONG_HEARTS = "HJ H9 HA H8 C7 D8 S9 SQ"
HANDS = f"N: {STRONG_HEARTS}; E: C8 C9 CT CJ DT DJ DQ DK; S: H7 HT HQ HK ST SJ SK SA; \
W: CQ CK CA D7 D9 DA S7 S8"
WEAK = "N: C7 C8 D7 D8 H7 S7 SK S8; E: C9 CT CJ CQ D9 DT DJ DQ; S: H9 HT HJ HQ S9 ST SJ SQ; \
W: CK CA DK DA HK HA SA H8"
DEALER = {"dealer": "W"}  # so that N speaks first


def first_view(bidding: str, turn_ups: str = "H C S") -> View:
    rules = Klaverjas(bidding=bidding)  # type: ignore[arg-type]
    state = rules.start(deal(HANDS, turn_ups=turn_ups, **DEALER))
    return rules.view(state, 0)


def after(view: View, *calls: int) -> View:
    """What the next seat sees after these calls."""
    rules: Any = view.rules
    state = rules.start(deal(HANDS, turn_ups="H C S", **DEALER))
    for call in calls:
        rules.apply(state, call)
    seen: View = rules.view(state, state.turn)
    return seen


def hand(text: str) -> int:
    return CardSet.parse(text).mask


# --- section 4.1 -------------------------------------------------------------------------


@pytest.mark.parametrize("trump", range(4))
def test_all_cards_together_have_39_points(trump: int) -> None:
    assert hand_points(DECK, trump) == 39


@pytest.mark.parametrize(
    ("cards", "points"),
    [
        ("SA D7", 3),  # ace
        ("ST D7", 0),  # a bare ten counts nothing
        ("ST S7", 2),
        ("SK D7", 1),
        ("HA", 4),  # the ace of trump is an ace and a trump
        ("HT H7", 2 + 1 + 1),
        ("HT", 1),  # a bare ten of trump is only a trump
        ("HK", 2),
        ("HJ H9", 9),
        ("HJ H9 H7", 10),  # "with one additional king or trump card"
        ("HJ H9 SK", 10),
    ],
)
def test_points_of_a_hand(cards: str, points: int) -> None:
    assert hand_points(hand(cards), parse_trump("H")) == points


def test_points_must_exceed_the_threshold() -> None:
    view = first_view("classical")
    worth = hand_points(view.hand, parse_trump("H"))
    assert worth == 14
    assert PointsBidder(threshold=worth - 1).bid(view, Rng(0)) == PLAY
    assert PointsBidder(threshold=worth).bid(view, Rng(0)) == PASS


def test_points_look_at_the_suit_that_is_turned_up_last() -> None:
    view = first_view("classical")
    second = after(view, PASS, PASS, PASS, PASS)
    assert second.seat == 0 and second.turn_ups == (2, 0)
    assert PointsBidder().bid(view, Rng(0)) == PLAY
    assert PointsBidder().bid(second, Rng(0)) == PASS


# --- section 4.3 -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "as_written", "as_published"),
    [
        ("HJ H9 C7 D7 S7 S8 C8 D8", True, True),
        ("HJ H7 H8 HT C7 D7 S7 S8", True, True),  # three other trumps
        ("HJ H7 H8 C7 D7 S7 S8 C8", False, True),  # two others: one less than the text asks for
        ("HJ H7 C7 D7 S7 S8 C8 D8", False, False),
        ("HJ H7 CA DA S7 S8 C8 D8", True, True),  # two aces
        ("HJ HA CA D7 S7 S8 C8 D8", False, True),  # the ace of trump is no ace of another suit
        ("H9 CA DA SA S7 S8 C8 D8", False, False),  # the only trump: never
        ("H9 H7 H8 HT HQ C7 D7 S7", True, True),  # four others
        ("H9 H7 H8 HT C7 D7 S7 S8", False, True),
        ("H9 H7 H8 C7 D7 S7 S8 C8", False, False),
        ("H9 H7 CA DA S7 S8 C8 D8", True, True),
        ("HA HT HK HQ H8 H7 CA DA", False, False),  # neither jack nor nine
    ],
)
def test_rule_for_a_hand(cards: str, as_written: bool, as_published: bool) -> None:
    trump = parse_trump("H")
    assert worth_playing(hand(cards), trump, "as-written") is as_written
    assert worth_playing(hand(cards), trump, "as-published") is as_published


def test_the_program_plays_whatever_the_text_plays() -> None:
    rng = Rng(1)
    cards = [card for card in range(52) if DECK >> card & 1]
    differ = 0
    for _ in range(3000):
        rng.shuffle(cards)
        held = sum(1 << card for card in cards[:8])
        written = worth_playing(held, 2, "as-written")
        published = worth_playing(held, 2, "as-published")
        assert published or not written
        differ += published and not written
    assert differ > 100


def test_rule_passes_on_a_suit_without_jack_and_nine() -> None:
    assert RuleBidder().bid(first_view("classical"), Rng(0)) == PLAY
    assert RuleBidder().bid(first_view("classical", turn_ups="C H S"), Rng(0)) == PASS


# --- every form of the auction -----------------------------------------------------------

BIDDERS: list[Bidder] = [
    PointsBidder(),
    RuleBidder(),
    RuleBidder(mode="as-published"),
    Always(),
    Never(),
    RandomBidder(),
    MonteCarlo(playouts=5),
]
SCORING: list[Bidder] = [PointsBidder(), RuleBidder(), RuleBidder(mode="as-published")]
SYSTEMS = (
    "classical",
    "classical-redeal",
    "classical-elder-picks",
    "free-choice",
    "utrecht",
)


@pytest.mark.parametrize("bidding", SYSTEMS)
@pytest.mark.parametrize("bidder", BIDDERS, ids=repr)
def test_every_call_is_legal(bidding: str, bidder: Bidder) -> None:
    rules = Klaverjas(bidding=bidding)  # type: ignore[arg-type]
    rng = Rng(3)
    for number in range(50):
        state = rules.start(rules.random_deal(rng, number))
        while state.phase == "bid":
            assert state.turn is not None
            rules.apply(state, bidder.bid(rules.view(state, state.turn), rng))


@pytest.mark.parametrize("bidding", ["free-choice", "utrecht"])
@pytest.mark.parametrize("bidder", SCORING, ids=repr)
def test_the_suit_with_the_best_score_is_chosen(bidding: str, bidder: Bidder) -> None:
    call = bidder.bid(first_view(bidding), Rng(0))
    assert action_name(call) == "trump-H"


@pytest.mark.parametrize("bidder", SCORING, ids=repr)
def test_free_choice_is_passed_with_a_bad_hand_but_not_when_forced(bidder: Bidder) -> None:
    rules = Klaverjas(bidding="free-choice")
    state = rules.start(deal(WEAK, **DEALER))
    assert bidder.bid(rules.view(state, 0), Rng(0)) == PASS
    for _ in range(4):
        rules.apply(state, PASS)
    forced = bidder.bid(rules.view(state, 0), Rng(0))
    assert chosen_trump(forced) == parse_trump("S")  # three cards


def test_always_and_never() -> None:
    classical, free, utrecht = map(first_view, ("classical", "free-choice", "utrecht"))
    assert Always().bid(classical, Rng(0)) == PLAY
    assert Never().bid(classical, Rng(0)) == PASS
    for seed in range(20):
        assert chosen_trump(Always().bid(free, Rng(seed))) in range(4)
        assert Never().bid(free, Rng(seed)) == PASS
        assert chosen_trump(Never().bid(utrecht, Rng(seed))) in range(4)
    assert len({Always().bid(free, Rng(seed)) for seed in range(20)}) == 4


def test_simple_bidders_know_schieben() -> None:
    rules = Schieber()
    state = rules.start(rules.random_deal(Rng(1), 0))
    assert state.turn is not None
    view = rules.view(state, state.turn)
    assert Never().bid(view, Rng(0)) == PUSH
    assert chosen_trump(Always().bid(view, Rng(0))) in range(6)
    rules.apply(state, PUSH)
    assert chosen_trump(Never().bid(rules.view(state, state.turn), Rng(0))) in range(6)


# --- section 4.2 -------------------------------------------------------------------------


@pytest.mark.parametrize("rollout", ["random", "semi-random"])
def test_monte_carlo_plays_strong_hands_and_passes_weak_ones(rollout: Any) -> None:
    bidder = MonteCarlo(rollout=rollout, playouts=400)
    rules = Klaverjas(bidding="classical")
    weak = rules.view(rules.start(deal(WEAK, turn_ups="H C S", **DEALER)), 0)
    for seed in range(5):
        assert bidder.bid(first_view("classical"), Rng(seed)) == PLAY
        assert bidder.bid(weak, Rng(seed)) == PASS


@pytest.mark.parametrize("bidding", ["free-choice", "utrecht"])
def test_monte_carlo_names_the_best_suit(bidding: str) -> None:
    call = MonteCarlo(playouts=400).bid(first_view(bidding), Rng(0))
    assert action_name(call) == "trump-H"


def test_monte_carlo_names_trumps_in_schieber_or_pushes() -> None:
    rules = Schieber()
    hands = "N: HJ H9 HA HK HQ HT C7 D7 S7; E: H6 H7 H8 C6 CA C8 C9 CT CJ; \
S: CQ CK D6 DA D8 D9 DT DJ DQ; W: DK S6 SA S8 S9 ST SJ SQ SK"
    view = rules.view(rules.start(deal(hands, dealer="E")), 0)
    assert view.legal[0] == PUSH
    assert action_name(MonteCarlo(playouts=300).bid(view, Rng(0))) == "trump-H"
    assert MonteCarlo(playouts=300, threshold=157.0).bid(view, Rng(0)) == PUSH


def test_the_threshold_is_the_margin_in_points() -> None:
    view = first_view("classical")
    margin = estimated_margin(view, 2, playouts=4000)
    assert margin > 0
    assert MonteCarlo(playouts=4000, threshold=margin - 5).bid(view, Rng(7)) == PLAY
    assert MonteCarlo(playouts=4000, threshold=margin + 5).bid(view, Rng(7)) == PASS


def estimated_margin(view: View, trump: int, playouts: int, rollout: Any = "semi-random") -> float:
    sums = Sums.zeros(1)
    question = MonteCarlo(rollout=rollout)._question(view, trump, view.seat)
    judge(question, playouts, 1, True, rng_array(Rng(7)), sums)
    return float(sums.values[0]) / playouts


@pytest.mark.parametrize("seat", [0, 2])
@pytest.mark.parametrize("rollout", ["random", "semi-random"])
def test_the_margin_is_what_such_players_make_of_the_hand(seat: int, rollout: str) -> None:
    """By the rule book: the same hand, the other cards dealt at random, and played alike."""
    rules, rng = Klaverjas(bidding="classical"), Rng(5)
    player = AGENTS.get(rollout)()
    start = rules.start(deal(HANDS, turn_ups="H C S", **DEALER))
    for _ in range(seat):
        rules.apply(start, PASS)
    view = rules.view(start, seat)
    hidden = [card for card in range(52) if view.unseen >> card & 1]
    margins = []
    for _ in range(400):
        rng.shuffle(hidden)
        rest = iter(hidden)
        hands = tuple(
            view.dealt_hand if other == seat else tuple(next(rest) for _ in range(8))
            for other in range(4)
        )
        state = rules.start(replace(start.deal, hands=hands))
        while state.turn is not None:
            seen = rules.view(state, state.turn)
            if state.phase == "bid":
                rules.apply(state, PLAY if state.turn == seat else PASS)
            else:
                rules.apply(state, player.act(seen, rng))
        scores = rules.outcome(state).scores
        margins.append(scores[seat % 2] - scores[1 - seat % 2])
    mean = sum(margins) / len(margins)
    se = (sum((m - mean) ** 2 for m in margins) / len(margins) ** 2) ** 0.5
    assert estimated_margin(view, 2, 20_000, rollout) == pytest.approx(mean, abs=4.5 * se)


def test_monte_carlo_is_the_same_for_the_same_seed() -> None:
    rules = Klaverjas(bidding="free-choice")
    rng = Rng(6)
    for number in range(20):
        state = rules.start(rules.random_deal(rng, number))
        assert state.turn is not None
        view = rules.view(state, state.turn)
        bidder = MonteCarlo(playouts=20)
        assert bidder.bid(view, Rng(1)) == bidder.bid(view, Rng(1))

"""Trump selection in Schieber: known ratings, hands that decide themselves, and pushing."""

from __future__ import annotations

import csv
import gzip
from typing import Any

import pytest
from helpers.paths import DATA
from helpers.rounds import deal

from agents.bidding.monte_carlo import MonteCarlo
from agents.bidding.ranked_rule import RankedRule, best_trump, ratings
from agents.bidding.simple_rule import SimpleRule, certain_tricks
from agents.papers.mcts_bidder import MctsBidder
from arena.core.agent import Bidder
from arena.core.cards import TRUMPS, CardSet, parse_trump
from arena.core.rules import PUSH, View, action_name, chosen_trump
from arena.core.seeds import Rng
from arena.games.kernel.rng import rng_array
from arena.games.schieber import Schieber

RANKED = DATA / "schieber_trump_ranked.csv.gz"
STRONG = "N: HJ H9 HA HK HQ HT C7 D7 S7; E: H6 H7 H8 C6 CA C8 C9 CT CJ; \
S: CQ CK D6 DA D8 D9 DT DJ DQ; W: DK S6 SA S8 S9 ST SJ SQ SK"
NOTHING = "N: C8 CT CQ D8 DT DQ H8 HT HQ; E: C6 C9 CK D6 D9 H6 H9 S6 S7; \
S: SJ S9 SA SK SQ ST C7 D7 H7; W: CJ CA DJ DK DA HJ HK HA S8"
BIDDERS: list[Bidder] = [
    MonteCarlo(playouts=200),
    RankedRule(),
    SimpleRule(),
    MctsBidder(worlds=12, iterations=60),
]


def forehand(hands: str) -> View:
    rules = Schieber()
    return rules.view(rules.start(deal(hands, dealer="E")), 0)


def after_push(hands: str) -> View:
    rules = Schieber()
    state = rules.start(deal(hands, dealer="E"))
    rules.apply(state, PUSH)
    return rules.view(state, 2)


# --- known answers -----------------------------------------------------------------------


def known_hands() -> list[dict[str, str]]:
    with gzip.open(RANKED, "rt") as file:
        return list(csv.DictReader(file))


def test_ratings_are_those_of_the_program_on_every_hand() -> None:
    rows = known_hands()
    assert len(rows) == 500
    for row in rows:
        hand = CardSet.parse(row["hand"]).mask
        rated = {TRUMPS[trump]: rating for trump, rating in ratings(hand).items()}
        assert rated == {trump: int(row[trump]) for trump in TRUMPS}, row["hand"]
        rated = {TRUMPS[trump]: r for trump, r in ratings(hand, pushed=True).items()}
        pushed = {**row, "O": row["after_push_O"], "U": row["after_push_U"]}
        assert rated == {trump: int(pushed[trump]) for trump in TRUMPS}, row["hand"]


def test_choices_are_those_of_the_program_on_every_hand() -> None:
    for row in known_hands():
        hand = CardSet.parse(row["hand"]).mask
        assert TRUMPS[best_trump(hand, pushed=True)] in row["after_push"]
        first = forehand(STRONG)._replace(hand=hand)
        call = RankedRule().bid(first, Rng(0))
        assert ("P" if call == PUSH else TRUMPS[chosen_trump(call) or 0]) in row["forehand"]


# --- hands that decide themselves --------------------------------------------------------


@pytest.mark.parametrize("bidder", BIDDERS, ids=repr)
def test_a_long_strong_suit_is_named(bidder: Bidder) -> None:
    assert action_name(bidder.bid(forehand(STRONG), Rng(0))) == "trump-H"


@pytest.mark.parametrize("bidder", BIDDERS, ids=repr)
def test_a_hand_without_anything_is_pushed_and_partner_names_their_suit(bidder: Bidder) -> None:
    assert bidder.bid(forehand(NOTHING), Rng(0)) == PUSH
    assert action_name(bidder.bid(after_push(NOTHING), Rng(0))) == "trump-S"


@pytest.mark.parametrize("bidder", BIDDERS, ids=repr)
def test_every_call_is_legal(bidder: Bidder) -> None:
    rules, rng = Schieber(), Rng(3)
    for number in range(12):
        state = rules.start(rules.random_deal(rng, number))
        while state.phase == "bid":
            assert state.turn is not None
            rules.apply(state, bidder.bid(rules.view(state, state.turn), rng))


@pytest.mark.parametrize(
    ("cards", "trump", "tricks"),
    [
        ("HJ H9 HA", "H", 3),
        ("HJ HA HK", "H", 1),  # the nine is missing
        ("HJ H9 HA HK HQ H6", "H", 6),  # three are missing, and drawn
        ("HJ H9 SA SK D6", "H", 4),  # side suits count from the ace
        ("D6 D7 D8 S6", "U", 4),
        ("D6 D7 D8 S6", "O", 0),
    ],
)
def test_certain_tricks(cards: str, trump: str, tricks: int) -> None:
    assert certain_tricks(CardSet.parse(cards).mask, parse_trump(trump)) == tricks


# --- pushing -----------------------------------------------------------------------------


@pytest.mark.parametrize("bidder", [MonteCarlo(playouts=200), RankedRule()], ids=repr)
def test_about_half_of_the_hands_are_pushed(bidder: Bidder) -> None:
    rules, rng = Schieber(), Rng(8)
    pushed = 0
    for number in range(60):
        state = rules.start(rules.random_deal(rng, number))
        assert state.turn is not None
        pushed += bidder.bid(rules.view(state, state.turn), rng) == PUSH
    assert 18 <= pushed <= 42


def test_pushing_is_compared_with_the_best_trump() -> None:
    bidder: Any = MonteCarlo(playouts=1000)
    for hands, names in ((STRONG, True), (NOTHING, False)):
        view = forehand(hands)
        best = max(bidder._margins(view, 1000, rng_array(Rng(1))).values())
        push = bidder._margin_of_push(view, rng_array(Rng(1)))
        assert abs(best - push) > 20, "no doubt about either"
        assert (best > push) == names


def test_the_threshold_is_what_naming_must_be_better_by() -> None:
    view = forehand(STRONG)
    assert MonteCarlo(playouts=200, threshold=300.0).bid(view, Rng(0)) == PUSH
    assert MonteCarlo(playouts=200, threshold=-300.0).bid(forehand(NOTHING), Rng(0)) != PUSH


def test_after_a_push_the_forehand_leads_from_their_own_cards() -> None:
    """Forehand has all clubs: who leads them takes all tricks, who gets them late takes none."""
    hands = "N: C6 C7 C8 C9 CT CJ CQ CK CA; E: D6 D7 D8 H6 H7 H8 S6 S7 S8; \
S: D9 DT DJ H9 HT HJ S9 ST SJ; W: DQ DK DA HQ HK HA SQ SK SA"
    known = after_push(hands)._replace(shown=((0, forehand(hands).hand),))
    bidder: Any = MctsBidder(iterations=50)
    assert bidder._margin(known, parse_trump("O"), 2, 5, Rng(0)) == 157

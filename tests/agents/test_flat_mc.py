"""Flat Monte Carlo: known answers, and agreement with enumerating everything."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from helpers.rounds import deal

from agents.beliefs.hoogenboom import Certain, Probabilities, Probable
from agents.flat_mc import FlatMC
from agents.papers.hoogenboom_2017 import Hoogenboom2017
from agents.papers.kiele_2024 import Kiele2024
from agents.papers.playouts import bad_card_that_stays
from agents.search.worlds import SAMPLED, UNIFORM, deal_world
from agents.searchers.budget import Budget
from agents.searchers.flat_search import CardEstimate
from agents.semi_random import SemiRandom
from arena.core.agent import Player
from arena.core.cards import CardSet, card_name, cards_of, parse_card, parse_cards
from arena.core.errors import ArenaError
from arena.core.registry import BIDDERS
from arena.core.rules import View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.infoset import InfoSet, probably_void, round_of
from arena.games.kernel.layout import HANDS, USUAL_FLAGS
from arena.games.kernel.playout import playout_semi, with_loops
from arena.games.kernel.rng import rng_array
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.step import final_scores
from arena.games.klaverjas import Klaverjas
from arena.games.klaverjas.semi_random import bad_cards, better_cards
from arena.games.klaverjas.semi_random import candidates as semi_random_candidates
from arena.games.schieber import Schieber
from arena.testing import check_agent

GAMES = [Klaverjas(bidding="classical"), Schieber(), Hearts()]


def positions(rules: Any, seed: int, tricks_left: int, rounds: int = 1000) -> Iterator[Any]:
    """States of rounds between semi-random players when so many tricks are left."""
    rng, player = Rng(seed), SemiRandom()
    for number in range(rounds):
        state = rules.start(rules.random_deal(rng, number))
        while state.turn is not None:
            if state.phase == "play" and rules.hand_size - len(state.tricks) == tricks_left:
                yield state
            rules.apply(state, player.act(rules.view(state, state.turn), rng))


def choices(rules: Any, seed: int, tricks_left: int, count: int) -> list[View]:
    """Some views with more than one legal card, spread over rounds and places in the trick."""
    views = (
        rules.view(state, state.turn)
        for state in positions(rules, seed, tricks_left)
        if len(state.legal) > 1
    )
    return list(itertools.islice(views, 0, 3 * count, 3))


# --- figure 6 of the thesis --------------------------------------------------------------

FIGURE_6 = "N: HT C7 C8 CJ C9 CA DA SA; E: H8 HK D7 D8 D9 S7 S8 S9; S: H7 CQ CK CT DQ DK ST SJ; \
W: H9 HA HQ HJ DT DJ SQ SK"


def figure_6() -> View:
    """East is last, cannot beat the ten, and holds the eight, which makes a run of four.

    North declared and is sure to make it, so that their roem changes nothing for east's side.
    """
    rules = Klaverjas()
    state = rules.start(deal(FIGURE_6, trump="C", declarer="N", leader="S"))
    for card in parse_cards("H7 H9 HT"):
        rules.apply(state, card)
    view = rules.view(state, 1)
    assert [card_name(card) for card in view.legal] == ["H8", "HK"]
    return view


@pytest.mark.parametrize("rollout", ["random", "semi-random"])
@pytest.mark.parametrize(
    ("player", "card"),
    [
        (FlatMC(roem_punishment=False), "H8"),  # what the first version of the thesis did
        (FlatMC(), "HK"),
        (FlatMC(value="share", roem_punishment=False), "HK"),
        (FlatMC(value="difference", roem_punishment=False), "HK"),
    ],
    ids=["own points", "punished", "share", "difference"],
)
def test_figure_6_do_not_give_away_50_roem(player: FlatMC, card: str, rollout: Any) -> None:
    chosen = replace(player, rollout=rollout, playouts=2000)
    for seed in range(5):
        assert card_name(chosen.act(figure_6(), Rng(seed))) == card


def test_the_punishment_is_the_roem_given_and_never_leads_below_zero() -> None:
    view = figure_6()
    free = FlatMC(roem_punishment=False).estimates(view, Rng(1))
    punished = FlatMC().estimates(view, Rng(1))
    assert punished[1] == free[1]
    assert free[0].mean - 50 <= punished[0].mean < free[0].mean
    assert punished[0].mean >= 0


def test_roem_for_partner_is_not_punished() -> None:
    view = figure_6()
    swapped = view._replace(table=parse_cards("H9 HT H7"))  # now west, the partner, has the ten
    assert FlatMC().punishment(view, parse_card("H8")) == 50.0
    assert FlatMC().punishment(view, parse_card("HK")) == 0.0
    assert FlatMC().punishment(swapped, parse_card("H8")) == 0.0


# --- against enumeration -----------------------------------------------------------------

Policy = Callable[[View], list[int]]


def at_random(view: View) -> list[int]:
    return list(view.legal)


def semi_randomly(view: View) -> list[int]:
    return semi_random_candidates(view)


def expected(state: Any, rules: Any, side: int, policy: Policy) -> float:
    """Expected final score of a side if everybody plays any of the policy's cards."""
    if state.turn is None:
        return float(rules.outcome(state).scores[side])
    cards = policy(rules.view(state, state.turn))
    return sum(expected(_after(state, card, rules), rules, side, policy) for card in cards) / len(
        cards
    )


def _after(state: Any, card: int, rules: Any) -> Any:
    following = copy(state)
    following.hands = list(state.hands)
    rules.apply(following, card)
    return following


def all_worlds(known: InfoSet) -> Iterator[list[int]]:
    """Every way to give the unseen cards to those who may hold them."""

    def give(cards: list[int], hands: list[int]) -> Iterator[list[int]]:
        if not cards:
            yield list(hands)
            return
        for seat in range(len(hands)):
            if known.may[seat] >> cards[0] & 1 and hands[seat].bit_count() < known.sizes[seat]:
                hands[seat] |= 1 << cards[0]
                yield from give(cards[1:], hands)
                hands[seat] ^= 1 << cards[0]

    hands = [0] * len(known.sizes)
    hands[known.seat] = known.hand
    yield from give(cards_of(known.unseen), hands)


def enumerated(view: View, policy: Policy, beliefs: Probabilities | None) -> dict[int, float]:
    """The exact value of each legal card, over all worlds and all playouts."""
    known, rules = InfoSet.of(view), view.rules
    table = beliefs.table(view, known, probably_void(view)) if beliefs else None
    totals, weights = dict.fromkeys(view.legal, 0.0), 0.0
    for hands in all_worlds(known):
        weight = 1.0
        if table is not None:
            for seat, hand in enumerate(hands):
                for card in cards_of(hand & known.unseen):
                    weight *= table[seat][card]
        weights += weight
        state = round_of(view, hands)
        for card in view.legal:
            value = expected(_after(state, card, rules), rules, rules.side_of(view.seat), policy)
            totals[card] += weight * value
    return {card: total / weights for card, total in totals.items()}


def check_estimates(estimates: list[CardEstimate], exact: dict[int, float]) -> None:
    for estimate in estimates:
        # A mean of equal values has no error, but sums of floats have.
        allowed = 4.5 * estimate.se + 1e-9
        assert estimate.mean == pytest.approx(exact[estimate.card], abs=allowed)


def few_worlds(view: View, most: int) -> bool:
    return sum(1 for _ in itertools.islice(all_worlds(InfoSet.of(view)), most + 1)) <= most


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("shared_worlds", [True, False])
def test_endings_of_two_tricks_converge_to_enumeration(rules: Any, shared_worlds: bool) -> None:
    player = FlatMC(
        rollout="random", playouts=20_000, shared_worlds=shared_worlds, roem_punishment=False
    )
    for view in choices(rules, seed=1, tricks_left=2, count=8):
        exact = enumerated(view, at_random, None)
        check_estimates(player.estimates(view, Rng(2)), exact)


def test_endings_of_three_tricks_converge_to_enumeration() -> None:
    player = FlatMC(rollout="random", playouts=50_000, roem_punishment=False)
    rules = Klaverjas(bidding="classical")
    views = [v for v in choices(rules, seed=3, tricks_left=3, count=40) if few_worlds(v, 40)]
    assert len(views) >= 4
    for view in views[:6]:
        exact = enumerated(view, at_random, None)
        check_estimates(player.estimates(view, Rng(2)), exact)


def test_semi_random_playouts_converge_to_enumeration() -> None:
    player = FlatMC(playouts=20_000, roem_punishment=False)
    for view in choices(Klaverjas(bidding="classical"), seed=4, tricks_left=2, count=8):
        exact = enumerated(view, semi_randomly, None)
        check_estimates(player.estimates(view, Rng(2)), exact)


def test_weighted_worlds_converge_to_enumeration() -> None:
    player = FlatMC(
        rollout="random",
        playouts=20_000,
        roem_punishment=False,
        beliefs=Probabilities(m1=1.6, m2=1.4),
    )
    beliefs = Probabilities(m1=1.6, m2=1.4)
    views = choices(Klaverjas(bidding="classical"), seed=5, tricks_left=2, count=200)
    telling = list(itertools.islice((v for v in views if _chances_differ(v, beliefs)), 6))
    assert len(telling) == 6
    for view in telling:
        check_estimates(player.estimates(view, Rng(2)), enumerated(view, at_random, beliefs))


def _chances_differ(view: View, beliefs: Probabilities) -> bool:
    """Whether some card is likelier with one player than with another, and it matters."""
    known = InfoSet.of(view)
    table = beliefs.table(view, known, probably_void(view))
    differ = any(
        len({round(row[card], 9) for row in table if card in row}) > 1
        for card in cards_of(known.unseen)
    )
    if not differ:
        return False
    exact = enumerated(view, at_random, beliefs)
    return exact != pytest.approx(enumerated(view, at_random, None))


def test_who_sees_all_cards_plays_in_the_true_world() -> None:
    player = FlatMC(rollout="random", playouts=20_000, sees="all", roem_punishment=False)
    assert player.sees_all_cards and not FlatMC().sees_all_cards
    rules = Klaverjas(bidding="classical")
    states = (s for s in positions(rules, seed=6, tricks_left=2) if len(s.legal) > 1)
    for state in itertools.islice(states, 0, 24, 3):
        view = rules.view(state, state.turn, all_hands=True)
        side = rules.side_of(view.seat)
        exact = {c: expected(_after(state, c, rules), rules, side, at_random) for c in view.legal}
        check_estimates(player.estimates(view, Rng(2)), exact)


# --- playouts ----------------------------------------------------------------------------


def test_semi_random_playouts_are_the_semi_random_agent_card_for_card() -> None:
    """The agent is given the very numbers that the kernel draws: one for each real choice."""
    rules, agent = Klaverjas(bidding="classical"), SemiRandom()
    for number, state in enumerate(positions(rules, seed=7, tricks_left=8, rounds=60)):
        numbers = Rng(number)
        game = with_loops(kernel_game(rules, state.trump), "semi")
        compiled = game.state(state, state.hands, state.turn)
        playout_semi(compiled, game.words, rng_array(numbers), USUAL_FLAGS)
        scores = np.zeros(4, dtype=np.int64)
        final_scores(compiled, game.words, scores)

        played = copy(state)
        played.hands = list(state.hands)
        while played.turn is not None:
            view = rules.view(played, played.turn)
            card = agent.act(view, copy_of(numbers))
            if len(semi_random_candidates(view)) > 1:
                numbers.next64()
            rules.apply(played, card)
        assert tuple(scores[:2]) == rules.outcome(played).scores


def copy_of(rng: Rng) -> Rng:
    return Rng(rng.state)


# --- values ------------------------------------------------------------------------------


def test_difference_and_share_of_a_constant_sum() -> None:
    """In Schieber without bonuses both sides have 157 points together."""
    rules = Schieber()
    for view in choices(rules, seed=8, tricks_left=7, count=5):
        own, difference, share = (
            FlatMC(rollout="random", playouts=200, value=value).estimates(view, Rng(1))
            for value in ("own-points", "difference", "share")
        )
        for a, b, c in zip(own, difference, share, strict=True):
            assert b.mean == pytest.approx(2 * a.mean - 157)
            assert c.mean == pytest.approx(a.mean / 157)


def test_in_hearts_few_points_are_good() -> None:
    """Last to play on a queen of spades: going under her trick is free, taking it costs 13."""
    rules = Hearts()
    hands = "N: SQ C3 C4 D2 D3 D4 D5 D6 H2 H3 H4 H5 H6; E: C2 S3 S4 C5 C6 C7 D7 D8 D9 DT H7 H8 H9; \
S: S5 S6 C8 C9 CT CJ DJ DQ DK HT HJ HQ S7; W: S2 SA SK CQ CK CA DA HK HA S8 S9 ST SJ"
    state = rules.start(deal(hands))
    for card in parse_cards("C2 C8 CA C3 SK"):
        rules.apply(state, card)
    assert [card_name(c) for c in state.legal] == ["SQ"]
    for card in parse_cards("SQ S3 S5"):
        rules.apply(state, card)
    assert state.turn == 3  # west leads again, having taken the queen
    for value in ("own-points", "difference", "share"):
        player = FlatMC(rollout="random", playouts=500, value=value)
        view = rules.view(state, 3)
        estimates = player.estimates(view, Rng(3))
        chosen = player.act(view, Rng(3))
        assert chosen == min(estimates, key=lambda e: e.mean).card


# --- looking ahead, worlds and playouts, time --------------------------------------------


def last_in_first_trick() -> View:
    """South is last to a trick of clubs that holds the queen of spades."""
    rules = Hearts()
    hands = "N: C2 D2 D3 D4 D5 D6 D7 H2 H3 H4 H5 H6 H7; E: SQ D8 D9 DT DJ DQ DK H8 H9 HT HJ HQ HK; \
S: C3 CA CK S2 S3 S4 S5 S6 S7 S8 S9 ST SJ; W: C4 C5 C6 C7 C8 C9 CT CJ CQ SK SA DA HA"
    state = rules.start(deal(hands))
    rotated = {"C2": "N", "SQ": "E"}
    for card in rotated:
        rules.apply(state, parse_card(card))
    assert state.turn == 2
    return rules.view(state, 2)


def test_no_lookahead_counts_the_points_of_this_trick() -> None:
    view = last_in_first_trick()
    player = FlatMC(rollout="random", playouts=300, lookahead=0)
    by_card = {card_name(e.card): e.mean for e in player.estimates(view, Rng(1))}
    assert by_card["CA"] == 13.0  # nothing beats it
    assert by_card["C3"] == 0.0  # west has a club
    assert card_name(player.act(view, Rng(1))) == "C3"


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_looking_ahead_to_the_end_is_playing_it_out_but_for_the_final_score(rules: Any) -> None:
    view = choices(rules, seed=9, tricks_left=4, count=1)[0]
    far = FlatMC(rollout="random", playouts=100, lookahead=3).estimates(view, Rng(1))
    full = FlatMC(rollout="random", playouts=100).estimates(view, Rng(1))
    assert far == full
    near = FlatMC(rollout="random", playouts=100, lookahead=1).estimates(view, Rng(1))
    assert near != full


def test_worlds_times_playouts() -> None:
    view = choices(Hearts(), seed=10, tricks_left=9, count=1)[0]
    estimates = FlatMC(worlds=7, playouts=4, lookahead=9, rollout="random").estimates(view, Rng(1))
    assert {estimate.playouts for estimate in estimates} == {28}
    assert any(_worlds_matter(view) for view in choices(Hearts(), 10, tricks_left=9, count=5))


def _worlds_matter(view: View) -> bool:
    """Whether searches in one world each differ by more than their playouts explain."""
    one_world = FlatMC(worlds=1, playouts=2000, rollout="random")
    found = [one_world.estimates(view, Rng(seed))[0] for seed in range(6)]
    means = [estimate.mean for estimate in found]
    return max(means) - min(means) > 10 * max(estimate.se for estimate in found)


def test_a_time_budget_is_marked_as_not_reproducible() -> None:
    player = FlatMC(budget=Budget(milliseconds=3.0), rollout="random")
    assert FlatMC().reproducible and not player.reproducible
    view = choices(Klaverjas(bidding="classical"), seed=11, tricks_left=8, count=1)[0]
    estimates = player.estimates(view, Rng(1))
    assert {estimate.playouts for estimate in estimates} != {0}
    assert player.act(view, Rng(1)) in view.legal


def test_worlds_and_budget_exclude_each_other() -> None:
    with pytest.raises(ArenaError, match="either worlds or budget"):
        FlatMC(budget=Budget(milliseconds=3.0), worlds=7)


# --- published deviations of the Hearts program ------------------------------------------


def test_integer_means_prefer_high_hearts_and_spades() -> None:
    view = last_in_first_trick()
    player = Kiele2024(rollout="random", playouts=50, lookahead=0, as_published=("integer-means",))
    # The ace and the king both cost 13: only the three of clubs is cheaper.
    assert card_name(player.act(view, Rng(1))) == "C3"
    rules = Hearts()
    state = next(positions(rules, seed=12, tricks_left=1))
    hopeless = rules.view(state, state.turn)
    assert len(hopeless.legal) == 1
    estimates = [CardEstimate(parse_card(c), 3.4, 0.1, 9) for c in ("C5", "H2", "S9", "SK")]
    assert card_name(player.best(view, estimates)) == "H2"
    better = [*estimates[:-1], estimates[-1]._replace(mean=2.9)]
    assert card_name(player.best(view, better)) == "SK"


def test_cards_are_doubled_only_when_last_to_play_and_in_three_worlds_of_four() -> None:
    """The program draws each of k cards from one place too many; the facts say 75% on average."""
    rules = Klaverjas(bidding="classical")
    player = Hoogenboom2017(as_published=("doubled-cards",))
    rng, shares = rng_array(Rng(3)), []
    for cards in range(1, 8):
        doubled = worlds = 0
        for view in choices(rules, seed=16, tricks_left=cards + 1, count=40):
            question = player.question(view, rng_array(Rng(0)))
            if len(view.table) < 3:
                assert question.worlds.kind == UNIFORM
                continue
            assert question.worlds.kind == SAMPLED
            state = question.root.copy()
            for _ in range(100):
                deal_world(question.worlds, rng, state)
                others = [int(state[HANDS + seat]) for seat in range(4) if seat != view.seat]
                assert {hand.bit_count() for hand in others} == {cards}
                doubled += others[0] | others[1] | others[2] != sum(others)
                worlds += 1
            assert player.act(view, Rng(1)) in view.legal
        shares.append(doubled / worlds)
        assert shares[-1] == pytest.approx(cards / (cards + 1), abs=0.08)
    assert sum(shares) / len(shares) == pytest.approx(0.75, abs=0.03)


def test_a_bad_card_is_kept_as_often_as_in_the_program() -> None:
    rules = Klaverjas(bidding="classical", four_jacks=100)
    rng, decisions, kept, played = rng_array(Rng(4)), 0, 0, 0.0
    for tricks_left in range(2, 8):
        for state in itertools.islice(positions(rules, 17, tricks_left), 600):
            view = rules.view(state, state.turn)
            bad = bad_cards(view) if view.table else []
            if len(bad) < 2 or len(bad) == len(view.legal) or better_cards(view):
                continue
            game = kernel_game(rules, view.trump)
            words, cards = game.view_state(view), game.masks([sum(1 << c for c in view.legal)])[0]
            for _ in range(20):
                stays = int(bad_card_that_stays(words, game.words, cards, rng))
                assert not stays or game.card(stays) in bad
                good = len(view.legal) - len(bad)
                played += 1 / (good + 1) if stays else 0.0
                kept += stays != 0
                decisions += 1
    assert kept / decisions == pytest.approx(0.58, abs=0.02)
    assert played / decisions == pytest.approx(0.187, abs=0.03)  # the facts say 18.7%


def test_careless_playouts_differ_from_careful_ones() -> None:
    view = choices(Klaverjas(bidding="classical"), seed=18, tricks_left=6, count=1)[0]
    careless = Hoogenboom2017(as_published=("keeps-bad-cards",)).estimates(view, Rng(1))
    assert careless != FlatMC().estimates(view, Rng(1))
    with pytest.raises(ArenaError, match="goes neither with lookahead"):
        Hoogenboom2017(lookahead=1, as_published=("doubled-cards",))


def moon_in_reach() -> tuple[View, dict[int, float]]:
    """A seat that has all points so far and may well get the rest; and what its cards cost."""
    rules = Hearts()
    for seed in range(20_000):
        rng = Rng(seed)
        state = rules.start(rules.random_deal(rng, 0))
        while len(state.tricks) < 11:
            rules.apply(state, rng.choice(state.legal))
        seat, points = state.turn, state.points
        if len(state.legal) > 1 and 26 > points[seat] == sum(points) >= 15:
            view = rules.view(state, seat)
            exact = enumerated(view, at_random, None)
            if min(exact.values()) < points[seat]:  # only a moon brings points back
                return view, exact
    raise AssertionError("no such position")


def test_own_moon_costs_as_in_the_program() -> None:
    view, exact = moon_in_reach()
    honest = FlatMC(rollout="random", playouts=5000).estimates(view, Rng(1))
    check_estimates(honest, exact)
    published = Kiele2024(
        rollout="random", playouts=5000, as_published=("own-moon-costs",)
    ).estimates(view, Rng(1))
    assert all(a.mean <= b.mean for a, b in zip(honest, published, strict=True))
    assert all(b.mean >= view.points[view.seat] for b in published)
    assert any(a.mean < b.mean for a, b in zip(honest, published, strict=True))


def test_shooting_the_moon_takes_the_most_points() -> None:
    view, _ = moon_in_reach()
    player = Kiele2024(rollout="random", shoot_the_moon=True, as_published=("own-moon-costs",))
    estimates = player.estimates(view, Rng(1))
    assert player.act(view, Rng(1)) == max(estimates, key=lambda e: e.mean).card
    late = view._replace(standing=view.standing._replace(scores=(80,) * 4))
    assert player.act(late, Rng(1)) == min(estimates, key=lambda e: e.mean).card


def test_unknown_deviations_are_refused() -> None:
    with pytest.raises(ArenaError, match="did you mean 'integer-means'"):
        Kiele2024(as_published=("integer-mean",))


# --- an agent ----------------------------------------------------------------------------


@pytest.mark.parametrize("beliefs", [Certain(), Probable(), Probabilities()])
@pytest.mark.parametrize("rules", [*GAMES, Hearts(passing="left"), Hearts(players=2)], ids=repr)
def test_plays_whole_rounds_legally_and_the_same_for_the_same_seed(
    rules: Any, beliefs: Any
) -> None:
    player = FlatMC(playouts=5, beliefs=beliefs)
    played = []
    for _ in range(2):
        rng = Rng(13)
        state = rules.start(rules.random_deal(rng, 1))
        actions = []
        while state.turn is not None:
            actions.append(player.act(rules.view(state, state.turn), rng))
            rules.apply(state, actions[-1])
        played.append(actions)
    assert played[0] == played[1]


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_hidden_cards_do_not_change_what_is_thought(rules: Any) -> None:
    player = FlatMC(playouts=20, beliefs=Probabilities())
    for view in choices(rules, seed=14, tricks_left=5, count=3):
        base = player.estimates(view, Rng(1))
        for hands in itertools.islice(all_worlds(InfoSet.of(view)), 3):
            seen = rules.view(round_of(view, hands), view.seat)
            assert player.estimates(seen, Rng(1)) == base


def test_a_single_legal_card_is_played_without_a_draw() -> None:
    state = next(positions(Klaverjas(bidding="classical"), seed=15, tricks_left=1))
    rng = Rng(1)
    FlatMC().act(state_view(state), rng)
    assert rng.state == Rng(1).state


def state_view(state: Any) -> View:
    rules = Klaverjas(bidding="classical")
    assert CardSet(state.hands[state.turn])
    return rules.view(state, state.turn)


@pytest.mark.parametrize("game", ["klaverjas", "schieber", "hearts"])
def test_conforms_under_all_options(game: str) -> None:
    check_agent(lambda: FlatMC(playouts=2), game=game, deals=1, other_process=False)


@pytest.mark.parametrize(
    "player",
    [
        FlatMC(playouts=3, rollout="random", beliefs=Probabilities(), value="difference"),
        FlatMC(playouts=30, rollout="random", beliefs=Probable(), shared_worlds=False),
        FlatMC(playouts=2, worlds=2, lookahead=1),
        FlatMC(playouts=3, sees="all", value="share"),
    ],
    ids=["probabilities", "probable", "lookahead", "sees all"],
)
@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_conforms_with_other_parameters(player: FlatMC, rules: Any) -> None:
    check_agent(lambda: player, game=rules, deals=1, other_process=False)


def test_plays_the_same_in_another_process() -> None:
    check_agent(SmallFlatMC, game=Klaverjas(bidding="classical"), deals=1)


class SmallFlatMC(FlatMC):
    """Few playouts, under a name that another process can import."""

    def __init__(self) -> None:
        super().__init__(playouts=2)


@pytest.mark.parametrize("bidder", BIDDERS.names())
def test_conforms_with_every_bidder(bidder: str) -> None:
    make = BIDDERS.get(bidder)
    player = Player(FlatMC(playouts=2), make())
    check_agent(lambda: player, game=Klaverjas(bidding="classical"), deals=2, other_process=False)

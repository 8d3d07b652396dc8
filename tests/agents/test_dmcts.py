"""The family dmcts: votes, worlds per trick, time, conformance."""

from __future__ import annotations

import time

import numpy as np
import pytest
from helpers.endings import endings, worlds_of, worth_of_cards

from agents.dmcts import Dmcts, elected
from agents.search.decision import least_value
from agents.search.determinized import Ballots
from agents.searchers.budget import Budget
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.infoset import round_of
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.testing import check_agent


@pytest.mark.parametrize("rules", [Klaverjas(), Schieber(), Hearts()], ids=lambda r: r.name)
@pytest.mark.parametrize("vote", ["visits", "value", "count-times-mean", "count"])
def test_conformance(rules, vote):
    agent = Dmcts(worlds=3, iterations=10, vote=vote)
    check_agent(lambda: agent, game=rules, deals=1, other_process=False)


def ballots_of(game, rows):
    """Ballots by card: visits, mean, how often chosen, mean where chosen."""
    ballots = Ballots.empty()
    for card, (visits, mean, chosen, chosen_mean) in rows.items():
        bit = game.bits[card]
        ballots.seen[bit] = 1
        ballots.visits[bit], ballots.values[bit] = visits, visits * mean
        ballots.chosen[bit], ballots.chosen_means[bit] = chosen, chosen * chosen_mean
    return ballots


def test_every_vote_can_elect_another_card():
    game = kernel_game(Klaverjas(), 0)
    ballots = ballots_of(
        game,
        {
            5: (900, 10.0, 3, 20.0),  # most visits
            8: (100, 50.0, 2, 25.0),  # best mean
            20: (400, 30.0, 4, 40.0),  # chosen less often than the next, but better
            23: (500, 9.0, 5, 10.0),
        },
    )
    assert elected(game, ballots, "visits") == 5
    assert elected(game, ballots, "value") == 8
    assert elected(game, ballots, "count-times-mean") == 20
    assert elected(game, ballots, "count") == 23


def test_a_card_that_no_tree_chose_is_not_elected_by_negative_means():
    game = kernel_game(Klaverjas(), 0)
    ballots = ballots_of(game, {5: (900, -60.0, 4, -50.0), 8: (100, -90.0, 0, 0.0)})
    assert elected(game, ballots, "count-times-mean") == 5


def test_being_chosen_more_often_is_no_disadvantage_when_means_are_negative():
    game = kernel_game(Klaverjas(), 0)
    ballots = ballots_of(game, {5: (900, -60.0, 9, -50.0), 8: (100, -90.0, 1, -90.0)})
    assert elected(game, ballots, "count-times-mean") == 8, "nine times -50 is less than -90"
    worst = least_value(Klaverjas(), "difference")
    assert elected(game, ballots, "count-times-mean", worst) == 5
    assert least_value(Klaverjas(), "own-points") == 0, "as published"


def test_worlds_times_iterations():
    rules = Schieber()
    state = next(endings(rules, tricks=7, count=1))
    view = rules.view(state, state.turn)
    found = Dmcts(worlds=6, iterations=50).explain(view, Rng(1))
    assert sum(statistics.visits for statistics in found.values()) == 6 * 50
    assert {statistics.available for statistics in found.values()} == {6}
    found = Dmcts(worlds_per_trick=2, iterations=50).explain(view, Rng(1))
    assert sum(statistics.visits for statistics in found.values()) == 2 * 7 * 50


def test_by_the_clock_every_world_has_its_tree():
    rules = Schieber()
    state = next(endings(rules, tricks=7, count=1))
    view = rules.view(state, state.turn)
    agent = Dmcts(worlds_per_trick=2, budget=Budget(20.0), vote="count-times-mean")
    assert not agent.reproducible
    agent.act(view, Rng(1))
    started = time.perf_counter()
    found = agent.explain(view, Rng(1))
    assert time.perf_counter() - started >= 0.015
    assert max(statistics.available for statistics in found.values()) == 14


@pytest.mark.parametrize("vote", ["visits", "value", "count"])
def test_the_trees_elect_what_perfect_play_gains_most_over_all_worlds(vote):
    """In the last two tricks, judged by every world that the player must reckon with."""
    rules = Klaverjas()
    lost = lost_at_random = 0.0
    for number, state in enumerate(endings(rules, tricks=2, count=15, cards_played=1)):
        view = rules.view(state, state.turn)
        worths = [worth_of_cards(rules, round_of(view, hands)) for hands in worlds_of(view)]
        worth = {card: float(np.mean([w[card] for w in worths])) for card in view.legal}
        card = Dmcts(worlds=200, iterations=60, vote=vote).act(view, Rng(number))
        lost += max(worth.values()) - worth[card]
        lost_at_random += max(worth.values()) - float(np.mean(list(worth.values())))
    assert lost < 0.1 * lost_at_random

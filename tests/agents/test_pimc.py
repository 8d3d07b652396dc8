"""The family pimc: exact endings are the expectation over all worlds."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.endings import endings, worlds_of, worth_of_cards

from agents.pimc import Pimc
from agents.searchers.budget import Budget
from agents.searchers.endings import Endings
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.infoset import round_of
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.needs import why_not
from arena.games.schieber import Schieber
from arena.games.schieber.kernel import FACTOR
from arena.solver.solution import Solver
from arena.testing import check_agent


@pytest.mark.parametrize("rules", [Klaverjas(), Schieber()], ids=lambda rules: rules.name)
def test_conformance(rules):
    agent = Pimc(worlds=3, iterations=10, endings=Endings(3, 3))
    check_agent(lambda: agent, game=rules, deals=1, other_process=False)


@pytest.mark.parametrize("rules", [Klaverjas(), Schieber()], ids=lambda rules: rules.name)
def test_its_values_are_means_of_perfect_play_over_all_worlds(rules):
    for number, state in enumerate(endings(rules, tricks=2, count=8, cards_played=1)):
        view = rules.view(state, state.turn)
        worths = [worth_of_cards(rules, round_of(view, hands)) for hands in worlds_of(view)]
        found = Pimc(endings=Endings(2, 3000)).explain(view, Rng(number))
        for card, statistics in found.items():
            values = [worth[card] for worth in worths]
            error = 5 * float(np.std(values)) / 3000**0.5
            assert statistics.value == pytest.approx(np.mean(values), abs=error + 1e-6)


def test_before_the_exact_part_it_is_dmcts():
    rules = Klaverjas()
    state = next(endings(rules, tricks=6, count=1))
    view = rules.view(state, state.turn)
    found = Pimc(worlds=4, iterations=30, endings=Endings(5)).explain(view, Rng(1))
    assert sum(statistics.visits for statistics in found.values()) == 4 * 30
    found = Pimc(worlds=4, iterations=30, endings=Endings(6, 7)).explain(view, Rng(1))
    assert {statistics.visits for statistics in found.values()} == {7}


def test_by_the_clock_it_solves_as_many_worlds_as_there_is_time_for():
    rules = Klaverjas()
    state = next(endings(rules, tricks=3, count=1))
    view = rules.view(state, state.turn)
    agent = Pimc(endings=Endings(3), budget=Budget(10.0))
    assert not agent.reproducible
    agent.act(view, Rng(1))
    found = agent.explain(view, Rng(1))
    assert min(statistics.visits for statistics in found.values()) > 1


def test_points_are_the_score_where_the_end_adds_nothing():
    """Schieber without match bonus is nothing but points, times what the trump is worth."""
    rules = Schieber(match_bonus=0)
    for state in endings(rules, tricks=3, count=5):
        view = rules.view(state, state.turn)
        score = Pimc(endings=Endings(3, 9)).explain(view, Rng(1))
        points = Pimc(endings=Endings(3, 9, "points")).explain(view, Rng(1))
        factor = int(kernel_game(rules, view.trump).words[FACTOR])
        assert {card: factor * found.value for card, found in points.items()} == pytest.approx(
            {card: found.value for card, found in score.items()}
        )


@pytest.mark.parametrize("rules", [Klaverjas(variant="rotterdam-2017"), Hearts()], ids=repr)
def test_games_without_a_score_form_are_solved_by_their_rules(rules):
    """The published Rotterdam rules, and Hearts by max-n."""
    (state,) = endings(rules, tricks=2, count=1, cards_played=1)
    view = rules.view(state, state.turn)
    found = Pimc(endings=Endings(2, 40)).explain(view, Rng(1))
    worths = [Solver(8).solve(rules, round_of(view, hands)).cards for hands in worlds_of(view)]
    values = {card: [worth[card].low for worth in worths] for card in view.legal}
    for card, statistics in found.items():
        assert min(values[card]) <= statistics.value <= max(values[card])
        error = 5 * float(np.std(values[card])) / 40**0.5
        assert statistics.value == pytest.approx(np.mean(values[card]), abs=error + 1e-6)


def test_points_alone_need_a_game_that_the_solver_knows():
    agent = Pimc(endings=Endings(objective="points"))
    why = why_not(agent, Klaverjas(variant="rotterdam-2017"))
    assert "the solver does not know its score" in str(why)

"""The family ismcts: parameters, conformance, time."""

from __future__ import annotations

import time

import pytest
from helpers.endings import endings

from agents.beliefs.hoogenboom import Probabilities
from agents.ismcts import Ismcts
from agents.mcts import Mcts
from agents.search.decision import CardStatistics, best_card, exploration
from agents.searchers.budget import Budget
from arena.core.agent import Player, Setup, is_reproducible, sees_all_cards
from arena.core.errors import ArenaError
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.testing import check_agent

GAMES = [Klaverjas(), Klaverjas(bidding="classical"), Schieber(weis=True, stoeck=True), Hearts()]


@pytest.mark.parametrize(
    "rules", [*GAMES, Hearts(players=2, passing="left"), Hearts(players=3)], ids=str
)
def test_conformance(rules):
    check_agent(lambda: Ismcts(simulations=20), game=rules, deals=1, other_process=False)


@pytest.mark.parametrize(
    "parameters",
    [
        {"reuse_tree": True},
        {"beliefs": Probabilities(m1=2.0), "ucb": "parent"},
        {"rollouts": 3, "rollout": "semi-random", "final": "value"},
        {"value": "win", "c_normalised": 0.7, "ucb": "global"},
        {"value": "own-points", "lookahead": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("rules", [Klaverjas(), Hearts()], ids=lambda rules: rules.name)
def test_conformance_with_other_parameters(rules, parameters):
    agent = Ismcts(simulations=20, **parameters)
    check_agent(lambda: agent, game=rules, deals=1, other_process=False)


def test_mcts_sees_all_cards_and_says_so():
    check_agent(lambda: Mcts(simulations=20), game=Klaverjas(), deals=1, other_process=False)
    assert sees_all_cards(Mcts())


def test_exploration_is_in_points_or_a_share_of_the_range():
    rules = Klaverjas()
    assert exploration(rules, 50.0, None, "difference") == 50.0
    worst, best = rules.margin_bounds
    assert exploration(rules, None, 0.5, "difference") == 0.5 * (best - worst)
    assert exploration(rules, None, 0.5, "win") == 0.5
    with pytest.raises(ArenaError, match="either c or c_normalised"):
        Ismcts(c=1.0, c_normalised=0.1)


@pytest.mark.parametrize(
    ("rules", "points"), [(Klaverjas(), 200), (Schieber(), 160), (Hearts(), 20)], ids=str
)
def test_exploration_goes_with_what_is_at_stake_in_a_game(rules, points):
    assert exploration(rules, None, None, "difference") == points
    assert exploration(rules, None, None, "own-points") == points / 2
    assert exploration(rules, None, None, "win") == 0.7


def test_the_card_is_chosen_by_visits_or_value_and_the_other_decides_ties():
    cards = {
        3: CardStatistics(10, 5.0, 20),
        5: CardStatistics(10, 6.0, 20),
        7: CardStatistics(2, 9.0, 20),
        9: CardStatistics(0, 99.0, 20),
    }
    assert best_card(cards, "visits") == 5
    assert best_card(cards, "value") == 7


def test_a_reused_tree_begins_with_what_it_knew():
    """The remembering player's second search starts with visits from the first."""
    rules = Klaverjas()
    state = next(endings(rules, tricks=8, count=1))
    seat = state.turn
    player = Ismcts(simulations=3000, reuse_tree=True).take_seat(Setup(rules, seat))
    rules.apply(state, player.act(rules.view(state, seat), Rng(1)))
    rng = Rng(2)
    while state.turn != seat:
        rules.apply(state, max(state.legal, key=lambda card: rng.next64()))
    assert len(state.legal) > 1  # or there would be nothing to search
    player.act(rules.view(state, seat), Rng(3))
    visits = int(player._tree.slots["visits"][0])
    assert 3000 <= visits < 6000


@pytest.mark.parametrize("family", [Ismcts, Mcts])
def test_a_time_budget_is_not_reproducible_and_is_spent(family):
    agent = family(budget=Budget(5.0))
    assert not is_reproducible(Player(agent))
    assert is_reproducible(Player(family()))
    rules = Klaverjas()
    state = next(endings(rules, tricks=8, count=1))
    view = rules.view(state, state.turn, all_hands=family is Mcts)
    agent.act(view, Rng(1))
    started = time.perf_counter()
    agent.act(view, Rng(1))
    assert time.perf_counter() - started >= 0.005


# --- Hearts ------------------------------------------------------------------------------


def test_moon_and_lookahead_change_what_a_round_is_worth():
    """All points in one hand: as points, as something to prevent, as the rules score it."""
    import numpy as np

    from agents.search.leaves import Leaves, values_of
    from arena.games.kernel.layout import STATE_WORDS, TAKEN
    from arena.games.kernel.spec import kernel_game

    game = kernel_game(Hearts(), None)
    state = np.zeros(STATE_WORDS, dtype=np.uint64)
    state[int(TAKEN) + 1] = 26
    scores, values = np.zeros(4, dtype=np.int64), np.zeros(4)

    def worth(moon):
        values_of(state, game.words, Leaves(1, 0, 1, moon, 0, 0.0), scores, values)
        return values.tolist()

    assert worth(0) == [0, -26, 0, 0]
    assert worth(1) == [-26, -26, -26, -26]
    assert worth(2) == [-26, 0, -26, -26]

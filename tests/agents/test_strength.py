"""Searches that play below their strength."""

from __future__ import annotations

from collections import Counter
from math import exp

import pytest
from scipy.stats import chisquare

import arena
from agents.champion import Champion
from agents.dmcts import Dmcts
from agents.flat_mc import FlatMC
from agents.ismcts import Ismcts
from agents.mcts import Mcts
from agents.pimc import Pimc
from agents.search.decision import CardStatistics
from agents.searchers.strength import LOSSES, Strength
from arena.core.errors import ArenaError
from arena.core.seeds import Rng
from arena.games.base import TrickGame
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.testing import check_agent


def opening(rules: TrickGame, seed: int = 5):
    """The view of the leader."""
    state = rules.start(rules.random_deal(Rng(seed), 0))
    return rules.view(state, state.turn, all_hands=True)


def test_chances_are_those_of_the_values():
    values = {1: 4.0, 2: 0.0, 3: -12.0}
    cards = {card: CardStatistics(10, value, 10) for card, value in values.items()}
    cards[4] = CardStatistics(0, 99.0, 0)  # never tried, so nothing is known about it
    weak, view, rng = Strength(temperature=5.0), opening(Klaverjas()), Rng(1)
    drawn = Counter(weak.drawn(view, cards, rng) for _ in range(4000))
    weights = [exp(value / 5.0) for value in values.values()]
    expected = [4000 * weight / sum(weights) for weight in weights]
    assert set(drawn) == set(values)
    assert chisquare([drawn[card] for card in values], expected).pvalue > 0.001


@pytest.mark.parametrize("game", LOSSES)
def test_more_points_are_a_higher_temperature(game):
    losses = LOSSES[game]
    assert [*losses] == sorted(losses)
    assert [*losses.values()] == sorted({*losses.values()}), "each temperature costs more"
    for temperature, loss in losses.items():
        assert Strength(strength=-loss).temperature_in(game) == pytest.approx(temperature)
    lowest = min(losses)
    assert 0.0 < Strength(strength=-losses[lowest] / 2).temperature_in(game) < lowest


@pytest.mark.parametrize(
    "agent",
    [
        Ismcts(simulations=20, strength=-10),
        Dmcts(worlds=3, iterations=10, strength=-10),
        Mcts(simulations=20, temperature=5),
        Pimc(worlds=3, iterations=10, strength=-10),
        FlatMC(playouts=4, strength=-10),
        Champion(simulations=20, worlds=20, strength=-10),
    ],
    ids=lambda agent: type(agent).__name__,
)
def test_all_searches_can_be_weak(agent):
    check_agent(lambda: agent, game=Klaverjas(), deals=1, other_process=False)
    view = opening(Klaverjas())
    cards = {agent.act(view, Rng(seed)) for seed in range(12)}
    assert len(cards) > 1


def test_a_very_low_temperature_plays_the_best_card():
    view = opening(Hearts(passing="none"))
    for seed in range(5):
        cold, card = Ismcts(simulations=50, final="value"), Rng(seed)
        assert Ismcts(simulations=50, temperature=1e-9).act(view, Rng(seed)) == cold.act(view, card)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"strength": -5, "temperature": 2.0}, "give either strength or temperature"),
        ({"strength": -5, "value": "win"}, "need values in points"),
        ({"strength": -5, "reuse_tree": True}, "reuse_tree goes with neither"),
    ],
)
def test_what_does_not_fit_is_refused(parameters, message):
    with pytest.raises(ArenaError, match=message):
        Ismcts(**parameters)


def test_games_without_a_measurement_are_refused():
    assert Ismcts(strength=-5).games == tuple(LOSSES)
    assert Ismcts(strength=-1000).games == ()
    assert Ismcts(temperature=5).games is None


def test_it_loses_about_as_much_as_it_says():
    full = {"family": "ismcts", "simulations": 200}
    agents = {"full": full, "weak": {**full, "strength": -40}}
    run = arena.run(arena.Experiment("klaverjas", agents, deals=100, seed=3), jobs=1, quiet=True)
    (pair,) = run.pairs.itertuples()
    assert {pair.first: pair.margin, pair.second: -pair.margin}["full"] == pytest.approx(40, abs=25)

"""Klaverjas and Schieber as games of OpenSpiel, judged by OpenSpiel's own tests and bots."""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from helpers.paths import TESTS
from scipy import stats

import arena
from arena.core.errors import ArenaError
from arena.envs.encoding import observe

pyspiel = pytest.importorskip(
    "pyspiel", reason="pip install open_spiel (no wheels for Intel Macs and Python 3.15)"
)
from open_spiel.python.algorithms import (  # noqa: E402
    evaluate_bots,
    generate_playthrough,
    ismcts,
    mcts,
)
from open_spiel.python.bots import uniform_random  # noqa: E402

from arena.envs import open_spiel  # noqa: E402

GAMES = [
    "arena_klaverjas",
    "arena_klaverjas(bidding=classical)",
    "arena_klaverjas(bidding=classical-redeal,variant=amsterdam)",
    "arena_schieber(weis=True,stoeck=True)",
    "arena_schieber(bidding=given,match_bonus=100)",
]
GOLDEN = TESTS / "golden" / "playthrough_klaverjas.txt"
SHOWN = (
    "# State",
    "CurrentPlayer",
    "InformationStateString",
    "StringLegalActions",
    "Returns",
    "action: ",
)


def dealt(game: Any, seed: int) -> Any:
    """A state after the deal."""
    state, rng = game.new_initial_state(), random.Random(seed)
    while state.is_chance_node():
        state.apply_action(rng.choice(state.chance_outcomes())[0])
    return state


@pytest.mark.parametrize("name", GAMES)
def test_open_spiels_own_test_passes(name: str) -> None:
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", GAMES)
def test_a_resampled_state_looks_the_same(name: str) -> None:
    rng = random.Random(name)
    state = dealt(pyspiel.load_game(name), 1)
    others = 0
    while not state.is_terminal():
        for player in range(state.num_players()):
            again = state.resample_from_infostate(player, rng.random)
            assert again.information_state_string(player) == state.information_state_string(player)
            assert again.information_state_tensor(player) == state.information_state_tensor(player)
            assert again.current_player() == state.current_player()
            assert again.rules.view(again.round, player) == state.rules.view(state.round, player)
            others += again.round.hands != state.round.hands
        player = state.current_player()
        view = state.rules.view(state.round, player)
        assert state.information_state_tensor(player) == observe(view).tolist()
        assert tuple(state.legal_actions()) == view.legal
        state.apply_action(rng.choice(state.legal_actions()))
    assert others > 50
    assert sum(state.returns()) == 0
    assert state.returns()[0] == state.returns()[2]


def test_all_worlds_are_equally_likely() -> None:
    state, rng = dealt(pyspiel.load_game("arena_klaverjas"), 2), random.Random(1)
    while len(state.round.tricks) < 5 or state.round.table:
        state.apply_action(rng.choice(state.legal_actions()))
    worlds: Counter[tuple[int, ...]] = Counter()
    for _ in range(800):
        worlds[tuple(state.resample_from_infostate(0, rng.random).round.hands)] += 1
    assert len(worlds) > 5
    assert stats.chisquare(list(worlds.values())).pvalue > 1e-4


def test_a_copy_goes_its_own_way() -> None:
    state = dealt(pyspiel.load_game("arena_schieber"), 3)
    copy = state.clone()
    copy.apply_action(copy.legal_actions()[-1])
    assert copy.round.bids
    assert not state.round.bids
    while not copy.is_terminal():
        copy.apply_action(copy.legal_actions()[0])
    assert all(state.round.hands)
    dealing = pyspiel.load_game("arena_schieber").new_initial_state()
    dealing.clone().apply_action(0)
    assert str(dealing) == "dealing "


class Search(ismcts.ISMCTSBot):  # type: ignore[misc]
    """OpenSpiel's bot, with what its `evaluate_bots` asks of every bot."""

    def restart_at(self, state: Any) -> None:
        self.reset()


@pytest.mark.parametrize(
    "name", ["arena_klaverjas(bidding=classical)", "arena_schieber(weis=True)"]
)
def test_open_spiels_search_and_evaluation_run(name: str) -> None:
    game, rng = pyspiel.load_game(name), np.random.RandomState(1)
    rollout = mcts.RandomRolloutEvaluator(1, rng)
    bots = [
        Search(game, rollout, 50.0, 4, random_state=rng),
        uniform_random.UniformRandomBot(1, rng),
        open_spiel.AgentBot("random"),
        open_spiel.AgentBot("rule"),
    ]
    returns = evaluate_bots.evaluate_bots(game.new_initial_state(), bots, rng)
    assert sum(returns) == 0


def test_an_agent_decides_as_in_the_arena() -> None:
    state = dealt(pyspiel.load_game("arena_klaverjas(bidding=classical)"), 5)
    deal, actions = state.round.deal, []
    bot = open_spiel.AgentBot("rule", seed=4)
    while not state.is_terminal():
        actions.append(bot.step(state))
        state.apply_action(actions[-1])
    played = arena.play(state.rules, ["rule"] * 4, seed=4, deal=deal)
    assert tuple(actions) == played.actions
    assert played.outcome is not None
    scores = played.outcome.scores
    assert state.returns()[:2] == [scores[0] - scores[1], scores[1] - scores[0]]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("arena_klaverjas(bidding=clasical)", "bidding: unknown value"),
        ("arena_klaverjas(variant=rotterdam-2017)", "cannot say"),
    ],
)
def test_options_are_checked(name: str, said: str) -> None:
    with pytest.raises(ArenaError, match=said):
        pyspiel.load_game(name)


def test_a_playthrough_is_as_it_was() -> None:
    """`REWRITE=1 pytest` writes it again, with the same actions."""
    kept = GOLDEN.read_text(encoding="utf-8")
    actions = [int(line.split()[1]) for line in kept.splitlines() if line.startswith("action: ")]
    game = "arena_klaverjas(bidding=classical)"
    lines = generate_playthrough.playthrough_lines(game, action_sequence=actions, seed=1)
    text = "".join(f"{line}\n" for line in lines if line.startswith(SHOWN))
    if os.environ.get("REWRITE"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == kept

"""Networks as judges of leaves: a tiny fixed one, against numpy and as part of a search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.endings import endings

from agents.ismcts import Ismcts
from agents.mcts import Mcts
from agents.networks.dense_network import Network, read_network, save_network
from agents.search.network import INPUTS, expected_margin, judge_of_worlds, load_network
from agents.searchers.evaluators import NetworkJudge
from arena.config.model_file import ModelFile
from arena.core.errors import ArenaError
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber


def tiny(seed: int = 1) -> Network:
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(INPUTS + 1) * 5 + 6).astype(np.float32)
    return Network(np.array([INPUTS, 5, 1]), weights)


def judge(path: Path, mix: float = 1.0) -> NetworkJudge:
    return NetworkJudge(ModelFile.find(str(path)), mix)


def counting_own_cards() -> Network:
    """One linear layer that adds up the cards in the hand of who is to move, each worth 3."""
    weights = np.zeros(INPUTS + 1, dtype=np.float32)
    weights[:64] = 3.0
    weights[-1] = 0.5
    return Network(np.array([INPUTS, 1]), weights)


def looked_at(game, state, rules):
    """The inputs, from the rule book's round and not from the kernel's words."""
    values = np.zeros(INPUTS)
    played = [0] * 4
    for trick in state.tricks:
        for place, card in enumerate(trick.cards):
            played[rules.seat_after(trick.leader, place)] |= 1 << card
    for place, card in enumerate(state.table):
        played[rules.seat_after(state.table_leader, place)] |= 1 << card
    for place in range(4):
        seat = rules.seat_after(state.turn, place)
        for first, cards in ((64 * place, state.hands[seat]), (64 * (4 + place), played[seat])):
            for card, bit in game.bits.items():
                values[first + bit] = cards >> card & 1
    for card in state.table:
        values[512 + game.bits[card]] = 1
    side = rules.side_of(state.turn)
    values[576] = (state.points[side] + state.bonus[side]) / 100
    values[577] = (state.points[1 - side] + state.bonus[1 - side]) / 100
    values[578] = rules.side_of(state.declarer) == side
    return values


@pytest.mark.parametrize("rules", [Klaverjas(), Schieber()], ids=lambda rules: rules.name)
def test_the_forward_pass_is_that_of_numpy(rules):
    network = tiny()
    first = network.weights[: INPUTS * 5].reshape(5, INPUTS).astype(np.float64)
    biases = network.weights[INPUTS * 5 : INPUTS * 5 + 5].astype(np.float64)
    second, bias = network.weights[-6:-1].astype(np.float64), float(network.weights[-1])
    for state in endings(rules, tricks=5, count=10, cards_played=2):
        game = kernel_game(rules, state.trump)
        words = game.state(state, state.hands, state.turn)
        hidden = np.maximum(first @ looked_at(game, state, rules) + biases, 0)
        judge = judge_of_worlds(network, game)
        assert expected_margin(words, game.words, judge) == pytest.approx(
            second @ hidden + bias, rel=1e-4
        )


def test_a_model_is_arrays_with_a_hash_and_a_recipe(tmp_path):
    path = tmp_path / "tiny.npz"
    save_network(path, tiny(), "random weights, seed 1")
    assert load_network(ModelFile.find(str(path))).sha256 == tiny().sha256 != tiny(2).sha256
    assert Ismcts(evaluator=judge(path)).model_hash == tiny().sha256
    assert Ismcts().model_hash is None


@pytest.mark.parametrize("what", ["text", "shape", "weights", "missing"])
def test_a_bad_model_is_reported(tmp_path, what):
    path = tmp_path / "bad.npz"
    if what == "text":
        path.write_text("no model")
    elif what == "shape":
        save_network(path, Network(np.array([7, 1]), np.zeros(8, dtype=np.float32)), "")
    elif what == "weights":
        save_network(path, Network(np.array([INPUTS, 1]), np.zeros(3, dtype=np.float32)), "")
    with pytest.raises(ArenaError, match=r"bad\.npz"):
        load_network(ModelFile.find(str(path)))


def test_values_come_from_the_network_and_mix_with_playouts(tmp_path):
    path = tmp_path / "count.npz"
    save_network(path, counting_own_cards(), "three points for every card in hand")
    rules = Klaverjas()
    state = next(endings(rules, tricks=6, count=1))
    view = rules.view(state, state.turn, all_hands=True)

    def values(mix, simulations):
        agent = Mcts(simulations=simulations, evaluator=judge(path, mix), proves=False)
        return [found.value for found in agent.explain(view, Rng(1)).values()]

    # One visit each: the next player, an opponent, holds six cards, which is good for them.
    assert values(1.0, len(view.legal)) == [-(3 * 6 + 0.5)] * len(view.legal)
    pure = [f.value for f in Mcts(simulations=len(view.legal), proves=False)
            .explain(view, Rng(1)).values()]  # fmt: skip
    half = values(0.5, len(view.legal))
    assert half == pytest.approx([0.5 * -18.5 + 0.5 * value for value in pure])
    assert values(0.0, 50) == [
        f.value for f in Mcts(simulations=50, proves=False).explain(view, Rng(1)).values()
    ]


def test_a_model_is_known_by_its_content(tmp_path):
    path, copy = tmp_path / "one.npz", tmp_path / "two.npz"
    save_network(path, tiny(1), "")
    copy.write_bytes(path.read_bytes())
    found = ModelFile.find(str(path))
    assert found == ModelFile.find(str(copy)) and hash(found) == hash(ModelFile.find(str(copy)))
    save_network(path, tiny(2), "")
    assert ModelFile.find(str(path)) != found
    assert load_network(ModelFile.find(str(path))).sha256 == tiny(2).sha256
    read_network.cache_clear()  # as in a worker that starts later
    with pytest.raises(ArenaError, match=r"one\.npz: was replaced by another model"):
        load_network(found)


def test_what_makes_no_sense_is_refused(tmp_path):
    path = tmp_path / "tiny.npz"
    save_network(path, tiny(), "")
    with pytest.raises(ArenaError, match="difference"):
        Ismcts(evaluator=judge(path), value="win")
    rules = Hearts()
    state = next(endings(rules, tricks=5, count=1))
    with pytest.raises(ArenaError, match="two sides"):
        Ismcts(evaluator=judge(path)).act(rules.view(state, state.turn), Rng(1))

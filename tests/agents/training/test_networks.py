"""Training of networks, with numpy: tiny ones, in seconds."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest

from agents.beliefs.network import SEAT_OUTPUTS, NetworkBeliefs
from agents.benches.network import _NETWORKS, NetworkBench
from agents.bidding.network import TRUMP_USE, NetworkBidder, trump_inputs
from agents.networks.dense_network import forward, read_network
from agents.policy import PolicyPlayer
from agents.random_ import Random
from agents.search.network import load_network
from agents.training.networks.card_network import loss_of
from agents.training.networks.learner import Learner, squared_error
from agents.training.networks.positions import PlayoutMargins, positions_of
from agents.training.networks.seat import SeatTask
from agents.training.networks.trump import _loss as trump_loss
from agents.training.policy_play import policy_rounds
from agents.training.recordings import recorded_rounds
from agents.training.rounds import play_rounds
from arena.cli import main
from arena.config.loader import load
from arena.config.model_file import ModelFile
from arena.core.cards import CardSet
from arena.core.deals import DealSet
from arena.core.seeds import Rng
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.tournament.record import record

EXPERIMENT = """
name: few
game: {{name: {game}}}
deals: {{set: {deals}, limit: 20}}
agents:
  one: {{family: random}}
  other: {{family: rule}}
seed: 1
"""
VALUE = """
games: [games]
encoding: {encoding}
hidden: [8, 4]
epochs: 2
batch: 256
stretch: 10
seed: 3
"""
SETS = {"klaverjas": "klaverjas-given-1000", "schieber": "schieber-1000"}


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """A small recording for each game."""
    found = {}
    for game, deals in SETS.items():
        folder = tmp_path_factory.mktemp(game)
        (folder / "few.yaml").write_text(EXPERIMENT.format(game=game, deals=deals))
        list(record(load(str(folder / "few.yaml"), []), folder / "games"))
        found[game] = folder
    return found


def trained(kind, folder, text, *options, out="model.npz"):
    recipe = folder / f"{kind}.yaml"
    recipe.write_text(text)
    assert main(["train", kind, str(recipe), "--out", str(folder / out), *options]) == 0
    return ModelFile.find(str(folder / out))


def test_rounds_of_a_recording(recordings):
    rounds = recorded_rounds(recordings["klaverjas"] / "games")
    assert len(rounds) == 40 and rounds.rules == Klaverjas()
    assert all(len(set(cards)) == 32 for cards in rounds.cards.tolist())


@pytest.mark.parametrize("encoding", ["places", "world"])
@pytest.mark.parametrize("game", SETS)
def test_value(recordings, game, encoding, capsys):
    model = trained("value", recordings[game], VALUE.format(encoding=encoding))
    network = load_network(model)
    assert network.encoding == f"{encoding} 1" and network.sizes.tolist()[1:] == [8, 4, 1]
    header = json.loads(str(model.arrays()["recipe"]))
    assert header["recipe"]["seed"] == 3 and header["data"]["games"][0]["seed"] == 1
    assert "epoch 2: " in capsys.readouterr().out
    assert (recordings[game] / "model.svg").exists()


def test_half_the_bits(recordings):
    """The same network in half the space, rounded."""
    folder, text = recordings["klaverjas"], VALUE.format(encoding="places")
    whole = trained("value", folder, text, out="whole.npz")
    half = trained("value", folder, text, "--set", "bits=16", out="half.npz")
    assert half.arrays()["weights"].dtype == np.float16
    weights = load_network(half).weights
    assert weights.dtype == np.float32
    assert np.allclose(weights, load_network(whole).weights, rtol=1e-3, atol=1e-7)
    wrong = ["train", "value", str(folder / "value.yaml"), "--set", "bits=8"]
    assert main(wrong) == 2


def test_the_same_seed_gives_the_same_model(recordings):
    folder = recordings["klaverjas"]
    text = VALUE.format(encoding="places")
    whole = trained("value", folder, text, "--set", "seed=4", out="whole.npz")
    again = trained("value", folder, text, "--set", "seed=4", out="again.npz")
    other = trained("value", folder, text, "--set", "seed=5", out="other.npz")
    assert whole.sha256 == again.sha256 != other.sha256


@pytest.mark.parametrize("sizes", [(299, 64, 16, 1), (299, 1024, 512, 128, 16, 1)], ids=str)
def test_our_forward_pass_is_that_of_the_learner(sizes):
    """In hundreds of points, as networks learn; a model's answer is a hundred times that."""
    rounds = play_rounds(Klaverjas(), [Random()], 1, range(5))
    inputs = positions_of(rounds, "places", everyone=True).inputs
    learner = Learner(sizes, lambda outputs, targets: (0.0, outputs), 0.0, 1)
    network = learner.network("places 1", np.ones(1, np.float32))
    ours = np.array([forward(network.layers, row)[0] for row in inputs])
    assert np.max(np.abs(ours - learner.outputs(inputs)[:, 0])) < 1e-4


def test_the_bench_has_trained_weights_that_numpy_agrees_on():
    bench = NetworkBench()
    figures = bench.measure(repeats=1)
    assert figures["network_largest_difference"] < 1e-4
    names = ("published", "selfplay", "small", "world")
    assert {f"network_{name}_{unit}" for name in names for unit in ("ms", "us")} <= set(figures)
    for name in names[:-1]:
        model, sizes = _NETWORKS[name]
        assert load_network(ModelFile.find(model)).sizes.tolist() == list(sizes)


def known_values(rng, rows):
    values = rng.normal(size=(rows, 32)).astype(np.float32)
    values[:, 2:][rng.random((rows, 30)) < 0.7] = np.nan
    return {"values": values}


def owners_card_and_margin(rng, rows):
    """The targets of a seat network: who may hold and holds each card, the play, a margin."""
    may = rng.random((rows, 3, 64)) < 0.6
    holder = np.where(may.any(axis=1), may.argmax(axis=1), -1)
    held = np.arange(3)[None, :, None] == holder[:, None, :]
    legal = rng.random((rows, 64)) < 0.2
    legal[:, 5] = True
    return {
        "may": may.reshape(rows, -1).astype(np.uint8),
        "held": held.reshape(rows, -1).astype(np.uint8),
        "legal": legal.astype(np.uint8),
        "card": legal.argmax(axis=1),
        "margin": rng.normal(size=rows),
    }


LOSSES = {
    "cards": (loss_of, known_values, 32),
    "trump": (trump_loss, lambda rng, rows: {"margins": known_values(rng, rows)["values"]}, 32),
    "seat": (partial(SeatTask.loss, None), owners_card_and_margin, SEAT_OUTPUTS),
}


@pytest.mark.parametrize("name", LOSSES)
def test_slopes_are_those_of_the_loss(name):
    """The derivative that a loss gives, against differences, through the whole network."""
    loss, targets_for, outputs = LOSSES[name]
    rng = np.random.default_rng(1)
    targets = targets_for(rng, 20)
    found = rng.normal(size=(20, outputs)).astype(np.float64)
    _, slopes = loss(found.copy(), targets)
    for row, column in rng.integers(0, (20, outputs), (40, 2)):
        step = np.zeros_like(found)
        step[row, column] = 1e-4
        change = loss(found + step, targets)[0] - loss(found - step, targets)[0]
        assert slopes[row, column] == pytest.approx(change / 2e-4, abs=1e-5)


def test_it_learns():
    """Points taken so far are half the truth: a network finds that out, one that sees them not."""
    rounds = play_rounds(Klaverjas(), [Random()], 1, range(200))
    examples = positions_of(rounds, "world", everyone=False)
    targets = {"margin": examples.margins[:, None] / 100}
    learner = Learner(
        (581, 16, 1), lambda outputs, wanted: squared_error(outputs - wanted["margin"]), 0.01, 1
    )
    losses = [learner.step(examples.inputs, targets) for _ in range(30)]
    assert losses[-1] < 0.5 * float(np.var(targets["margin"]))


SELFPLAY = """
hidden: [8]
simulations: 4
cycles: 2
rounds: 4
buffer: 200
measured_every: 1
deals: 4
"""


def test_selfplay(tmp_path):
    """The learning curve is written next to the model, and the best network is kept."""
    model = trained("selfplay", tmp_path, SELFPLAY)
    curve = (tmp_path / "model.csv").read_text().splitlines()
    assert curve[0] == "cycle,mean,low,high,deals" and len(curve) == 4
    header = json.loads(str(model.arrays()["recipe"]))
    assert [point["cycle"] for point in header["curve"]] == [0, 1, 2]
    assert (tmp_path / "model.svg").exists()


def test_trump(tmp_path, capsys):
    """The network pushes without trumps and names the suit of a strong hand, after little play."""
    text = "hidden: [16]\ndeals: 600\nepochs: 6\nbatch: 64\nlearning_rate: 0.01\n"
    model = trained("trump", tmp_path, text)
    again = trained("trump", tmp_path, text, out="again.npz")
    assert model.sha256 == again.sha256 == ModelFile.find(str(tmp_path / "model.npz")).sha256
    assert "it pushes in" in capsys.readouterr().out
    bidder = NetworkBidder(model)
    assert bidder.model_hash
    strong = CardSet.parse("HJ H9 HA HK HQ H8 SA SK CA").mask
    layers = read_network(model, TRUMP_USE).layers
    values = forward(layers, trump_inputs(strong, pushed=True))
    assert values[:6].argmax() == 2


@pytest.mark.parametrize("rules", [Klaverjas(), Schieber()], ids=lambda rules: rules.name)
def test_playouts_say_what_positions_are_worth(rules):
    """Many of them come to the same from both sides, and at the end to how the round ended."""
    rounds = play_rounds(rules, [Random()], 1, range(4))
    ended = positions_of(rounds, "places", everyone=True)
    judged = positions_of(rounds, "places", everyone=True, playouts=PlayoutMargins(20, 1.0))
    assert np.array_equal(ended.inputs, judged.inputs)
    steps = judged.margins.reshape(len(rounds), -1, 4)
    assert np.array_equal(steps[..., 0], -steps[..., 1])
    assert np.array_equal(steps[:, -1], ended.margins.reshape(steps.shape)[:, -1])
    assert not np.array_equal(steps[:, 0], ended.margins.reshape(steps.shape)[:, 0])


def test_seat(recordings, capsys):
    text = "games: [games]\nhidden: [16]\nepochs: 2\nbatch: 256\nstretch: 20\n"
    for game, folder in recordings.items():
        model = trained("seat", folder, text, out="seat.npz")
        rules = recorded_rounds(folder / "games").rules
        state = rules.start(rules.random_deal(Rng(1), 1))
        while state.phase == "bid":
            rules.apply(state, state.legal[0])
        view = rules.view(state, state.turn)
        chances = PolicyPlayer(model=model).chances(view)
        assert set(chances) == set(view.legal) and sum(chances.values()) == pytest.approx(1)
        assert PolicyPlayer(model=model).act(view, Rng(1)) == max(chances, key=chances.get)
        guess = NetworkBeliefs(model).of(view)[0]
        assert guess.weights is not None, game
    assert "of the holders of unseen cards" in capsys.readouterr().out


def test_deals_that_a_policy_plays(tmp_path):
    """The games of a recipe may be a set of deals."""
    path = tmp_path / "few.csv"
    options = ["--game", "klaverjas", "--option", "bidding=given", "--seed", "3"]
    assert main(["deals", "make", *options, "--count", "15", "--out", str(path)]) == 0
    rounds = policy_rounds(DealSet.load(path), 2, 1.0, "", 1)
    assert len(rounds) == 30 and np.array_equal(rounds.trump[::2], rounds.trump[1::2])
    assert not np.array_equal(rounds.cards[::2], rounds.cards[1::2])
    assert all(len(set(cards)) == 32 for cards in rounds.cards.tolist())
    model = trained("value", tmp_path, "games: [few.csv]\nhidden: [4]\nepochs: 1\nplayouts: 2\n")
    assert json.loads(str(model.arrays()["recipe"]))["data"]["games"][0]["seed"] == 3

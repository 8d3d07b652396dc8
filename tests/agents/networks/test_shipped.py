"""The bundled networks: what their files say, and that agents play with them."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest
from helpers.paths import ROOT

from agents.beliefs.network import NetworkBeliefs, read_seat_network
from agents.bidding.network import TRUMP_USE
from agents.dmcts import Dmcts
from agents.ismcts import Ismcts
from agents.networks.dense_network import forward, read_network
from agents.policy import PolicyPlayer
from agents.rule import Rule
from agents.search.network import load_network
from agents.semi_random import SemiRandom
from agents.training.networks.card_network import CardNetworkRecipe
from agents.training.networks.positions import margins_of, positions_of
from agents.training.networks.seat import SeatRecipe
from agents.training.networks.selfplay import SelfPlayRecipe
from agents.training.networks.trump import TrumpRecipe
from agents.training.networks.value import ValueRecipe
from agents.training.rounds import play_rounds
from arena.config.model_file import ModelFile
from arena.config.recipe import read_recipe
from arena.config.strict_yaml import read
from arena.core.registry import GAMES
from arena.core.seeds import Rng
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber

MODELS = ROOT / "agents" / "models"
RECIPES = {
    "value": ValueRecipe,
    "selfplay": SelfPlayRecipe,
    "seat": SeatRecipe,
    "trump": TrumpRecipe,
    "policy": CardNetworkRecipe,
}
ENCODINGS = {"seat": "seat 1", "policy": "cards 1"}
NETWORKS = sorted(
    path.stem for path in MODELS.glob("*.npz") if path.stem.partition("-")[0] in RECIPES
)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_model_says_how_it_was_made(name):
    """As the recipe beside it says, from which games, and what it is shown."""
    arrays = ModelFile.find(name).arrays()
    header = json.loads(str(arrays["recipe"]))
    recipe = asdict(read_recipe(RECIPES[name.split("-")[0]], read(MODELS / f"{name}.yaml")))
    wanted = json.loads(json.dumps(recipe))
    # A model that is older than a parameter was made with its default.
    assert wanted | header["recipe"] == wanted
    assert set(header["data"]) >= {"seed"} or header["data"]["games"][0]["seed"] == recipe["seed"]
    if not name.startswith("trump"):
        assert str(arrays["encoding"]) == ENCODINGS.get(name.split("-")[0], "places 1")
    assert arrays["weights"].itemsize * 8 == wanted.get("bits", 32)


def view_of(rules):
    state = rules.start(rules.random_deal(Rng(1), 1))
    while state.phase == "bid":
        rules.apply(state, state.legal[0])
    for _ in range(5):
        rules.apply(state, state.legal[0])
    return rules.view(state, state.turn)


@pytest.mark.parametrize("rules", [Klaverjas(), Schieber()], ids=lambda rules: rules.name)
def test_searches_believe_the_network_of_a_seat(rules):
    """P-ISMCTS and P-DMCTS: who holds what is not a matter of equal chances to them."""
    model = ModelFile.find(f"seat-{rules.name}")
    beliefs = NetworkBeliefs(model)
    view = view_of(rules)
    guess = beliefs.of(view)[0]
    assert guess.weights is not None
    chances = {round(chance, 3) for hand in guess.weights for chance in hand.values()}
    assert len(chances) > 20  # the rules alone say 1, 1/2 and 1/3
    for search in (
        Ismcts(simulations=200, beliefs=beliefs),
        Dmcts(worlds=5, iterations=40, beliefs=beliefs),
    ):
        assert search.act(view, Rng(1)) in view.legal
    assert read_seat_network(model).sha256 == beliefs.model_hash


JUDGES = [name for name in NETWORKS if name.startswith(("value-", "selfplay-"))]


@pytest.mark.parametrize("name", JUDGES)
def test_judges_foresee_more_than_the_points_so_far(name):
    """In rounds between rule players, which none of them has learnt from."""
    examples = positions_of(play_rounds(Klaverjas(), [Rule()], 1, range(40)), "places", True)
    layers = load_network(ModelFile.find(name)).layers
    judged = np.array([forward(layers, row)[0] for row in examples.inputs])
    so_far = examples.inputs[:, -2] - examples.inputs[:, -1]
    errors = [np.mean((each - examples.margins) ** 2) for each in (judged, so_far)]
    assert errors[0] < 0.8 * errors[1]


def test_the_trump_network_is_for_bidding():
    assert read_network(ModelFile.find("trump-schieber"), TRUMP_USE).sizes.tolist()[-1] == 7


POLICIES = [name for name in NETWORKS if name.startswith("policy-")]


@pytest.mark.long
@pytest.mark.parametrize("name", POLICIES)
def test_networks_that_value_cards_beat_players_who_avoid_blunders(name):
    rules = GAMES.get(name.removeprefix("policy-"))()
    network = PolicyPlayer(model=ModelFile.find(name))
    margins = []
    for lineup in ([network, SemiRandom()], [SemiRandom(), network]):
        played = play_rounds(rules, lineup, 8, range(60))
        margins.append(margins_of(played))
    better = 1.0 if rules.higher_wins else -1.0
    assert better * (margins[0] - margins[1]).mean() > 0.0

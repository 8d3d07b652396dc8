"""Networks that value cards: labels, and training from nothing, in seconds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.policy_twins import plain_values, random_network

from agents.policies.network import read_card_network
from agents.policy import PolicyPlayer
from agents.random_ import Random
from agents.training.networks.card_labels import label
from agents.training.networks.card_rounds import DealBatch, deals_for, play_against, table_players
from agents.training.networks.temperature import likelihood, temperature_of, valued_choices
from agents.training.rounds import play_rounds
from arena.cli import main
from arena.config.model_file import ModelFile
from arena.core.rules import Rules
from arena.games.hearts import Hearts
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber

GAMES: list[Rules] = [Klaverjas(), Schieber(), Hearts(passing="left")]
RECIPE = """
kind: network
game: {game}
hidden: [8, 4]
cycles: 3
first: 2
worlds: 2
deals: 6
kept: 2
batch: 32
measured: 4
measured_every: 2
search: 20
rounds: 8
seed: 5
"""


def some_deals(rules: Rules, count: int = 8) -> DealBatch:
    return deals_for(rules, 3, range(count), "ranked-rule" if rules.name == "schieber" else "")[0]


@pytest.mark.parametrize("worlds", [0, 3])
@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_labels_depend_on_the_deal_alone(rules: Rules, worlds: int) -> None:
    deals = some_deals(rules)
    game = deals.game
    valuer, tables = random_network(game).valuer(game), table_players(game, 2.0)
    whole = label(deals, valuer, tables, worlds, 0.5, 0.1, 1.0)
    assert len(whole) > 5 * len(deals.states)
    legal = ~np.isnan(whole.values)
    assert (legal.sum(axis=1) > 1).all()
    worst, best = rules.margin_bounds
    assert np.nanmin(whole.values) >= worst
    assert np.nanmax(whole.values) <= best
    last = DealBatch(game, deals.states[-1:], deals.seeds[-1:])
    alone = label(last, valuer, tables, worlds, 0.5, 0.1, 1.0)
    assert (whole.inputs[-len(alone) :] == alone.inputs).all()
    assert np.array_equal(whole.values[-len(alone) :], alone.values, equal_nan=True)


@pytest.mark.parametrize("rules", GAMES[:2], ids=lambda rules: rules.name)
def test_what_the_network_plays_comes_to_what_the_round_came_to(rules: Rules) -> None:
    """At every decision of a round the same, for one side or the other."""
    deals = some_deals(rules)
    game = deals.game
    model = random_network(game)
    for number in range(len(deals.states)):
        single = slice(number, number + 1)
        deal = DealBatch(game, deals.states[single], deals.seeds[single])
        labels = label(deal, model.valuer(game), table_players(game, 2.0), 0, 0.0, 0.0, 1.0)
        came_to = set()
        for inputs, values in zip(labels.inputs, labels.values, strict=True):
            there = np.flatnonzero(np.unpackbits(inputs, bitorder="little"))
            found = plain_values(model, set(there.tolist()))
            card = np.where(np.isnan(values), -np.inf, found).argmax()
            came_to.add(abs(float(values[card])))
        assert len(came_to) == 1


def test_a_network_that_has_learnt_nothing_loses_to_the_tables() -> None:
    rules = Klaverjas()
    deals = some_deals(rules, 60)
    valuer = random_network(deals.game).valuer(deals.game)
    margins = play_against(deals, valuer, table_players(deals.game, 8.0))
    assert margins.mean() < -10.0


def test_the_temperature_explains_best_what_was_played() -> None:
    rules = Klaverjas()
    model = random_network(kernel_game(rules, 0))
    rounds = play_rounds(rules, [Random()], 4, range(40))
    choices = valued_choices(model, rounds)
    best = temperature_of(choices)
    found = likelihood(choices, best)
    assert found >= likelihood(choices, best * 1.1)
    assert found >= likelihood(choices, best / 1.1)
    # Random players choose alike, so nothing is better than to find all cards alike.
    assert best > 5.0
    assert found == pytest.approx(choices.uniform, abs=0.02)


def trained(folder: Path, text: str, *options: str) -> ModelFile:
    (folder / "net.yaml").write_text(text)
    out = folder / "net.npz"
    assert main(["train", "policy", str(folder / "net.yaml"), "--out", str(out), *options]) == 0
    return ModelFile.find(str(out))


@pytest.mark.parametrize("game", ["klaverjas", "hearts"])
def test_a_tiny_network_is_trained_from_nothing(game, tmp_path, capsys) -> None:
    model = trained(tmp_path, RECIPE.format(game=game))
    network = read_card_network(model)
    assert network.game == game
    header = json.loads(network.recipe)
    assert header["recipe"]["hidden"] == [8, 4]
    assert header["labels"] > 50
    assert header["figures"]["decisions"] > 20
    assert [each["cycle"] for each in header["curve"]] == [2, 3]
    rules = Klaverjas() if game == "klaverjas" else Hearts()
    once = play_rounds(rules, [PolicyPlayer(model=model)], 2, range(2))
    assert len(once) == 2
    output = capsys.readouterr().out
    assert "points per deal against the tables" in output
    assert "search's plays at temperature" in output


def test_mistakes_in_a_recipe_are_reported(tmp_path, capsys) -> None:
    for text, message in (
        ("kind: network\nhiden: [8]\n", "unknown key; did you mean 'hidden'?"),
        ("kind: network\nhidden: []\n", "hidden: expected numbers of nodes from 1 on"),
        ("kind: network\ngame: hart\n", "unknown game 'hart'"),
        ("kind: network\noptions: {varant: amsterdam}\n", "options of klaverjas: varant: "),
        ("kind: network\nbidder: rul\n", "did you mean 'rule'?"),
    ):
        (tmp_path / "net.yaml").write_text(text)
        out = str(tmp_path / "net.npz")
        assert main(["train", "policy", str(tmp_path / "net.yaml"), "--out", out]) == 2
        assert message in capsys.readouterr().err

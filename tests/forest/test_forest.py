"""The forest player: features by hand, models that are refused, and a tiny one end to end."""

from __future__ import annotations

import json

import numpy as np
import pytest
from klaverjas_views import klaverjas_view
from sklearn.ensemble import RandomForestRegressor

from agents.forest.features import OURS, PUBLISHED, features_of
from agents.forest.model import NODE, Forest, predict, read_forest, save_forest
from agents.forest.training import pack
from arena.cards import card_name
from arena.cli import main
from arena.errors import ArenaError
from arena.model_file import ModelFile


def seen(card: str, *names: str, **view: str) -> dict[str, float]:
    """Some features of a legal card."""
    position = klaverjas_view(**view)
    row = features_of(position)[[card_name(c) for c in position.legal].index(card)]
    return {name: float(row[OURS.index(name)]) for name in names}


def test_there_are_as_many_as_published():
    view = klaverjas_view("HJ H7 C7 SA", "C8 CQ")
    assert features_of(view, "published").shape == (len(view.legal), 42) == (1, len(PUBLISHED))
    assert np.array_equal(features_of(view)[:, :42], features_of(view, "published"))


def test_following_suit_in_third_hand():
    names = ("p_s", "p_t", "1_nt", "2_s", "3_s", "Has_suit", "Has_trump", "t3", "Teammate_played")
    found = seen("CA", *names, hand="CA C7 HJ", table="C8 CQ")
    assert found == {
        "p_s": 1, "p_t": 0, "1_nt": 1, "2_s": 1, "3_s": 0, "Has_suit": 1, "Has_trump": 1, "t3": 1,
        "Teammate_played": 1,
    }  # fmt: skip


def test_ranks_go_by_the_order_of_the_game():
    assert seen("HJ", "rank", hand="HJ C7")["rank"] == 15
    assert seen("C7", "rank", hand="HJ C7")["rank"] == 0
    assert seen("CT", "rank", hand="CT C7")["rank"] == 6


def test_highest_left_and_streets():
    names = ("Is_highest_suit", "Creates_street", "Can_create_street", "takes_trick", "roem")
    found = seen("CJ", *names, hand="CJ C7", table="C9 CT")
    assert found == {
        "Is_highest_suit": 0, "Creates_street": 1, "Can_create_street": 1, "takes_trick": 0,
        "roem": 20,
    }  # fmt: skip
    names = ("Is_highest_suit", "Still_in_game")
    gone = {"hand": "CT C7", "gone": "CA DA SA HA"}
    assert seen("CT", *names, **gone) == {"Is_highest_suit": 1, "Still_in_game": 0}
    assert seen("C7", *names, hand="CT C7") == {"Is_highest_suit": 0, "Still_in_game": 1}


def test_teammate_winning_and_lowest_value():
    names = ("Teammate_winning", "Is_lowest_value", "Is_highest_value", "Has_higher")
    found = seen("C7", *names, hand="C7 CK", table="CA CQ")
    assert found == {
        "Teammate_winning": 1, "Is_lowest_value": 1, "Is_highest_value": 0, "Has_higher": 0,
    }  # fmt: skip


# --- models ------------------------------------------------------------------------------


def test_packed_forests_answer_as_scikit_learn():
    rng = np.random.default_rng(1)
    rows = rng.random((500, 7)).astype(np.float32)
    grown = RandomForestRegressor(n_estimators=9, min_samples_leaf=3, random_state=1)
    grown.fit(rows, rows[:, 0] * rows[:, 1])
    assert predict(pack(grown.estimators_), rows) == pytest.approx(grown.predict(rows), abs=1e-6)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"feature_version": 0}, "made for version 0 of the features"),
        ({"features": "theirs"}, "made for the features 'theirs'"),
        ({}, "nodes that lead nowhere"),
    ],
)
def test_other_models_are_refused(tmp_path, change, complaint):
    header = {"features": "ours", "feature_version": 1, **change}
    nodes = np.array([(0.5, 0, 0), (0.1, -1, 0), (0.2, -1, 0)], dtype=NODE)  # goes round
    save_forest(tmp_path / "m.npz", Forest(nodes, np.zeros(1, dtype=np.int64)), header)
    with pytest.raises(ArenaError, match=complaint):
        read_forest(ModelFile.find(str(tmp_path / "m.npz")))


def test_from_games_to_a_player(tmp_path, capsys):
    experiment = {
        "name": "tiny",
        "game": {"name": "klaverjas", "variant": "rotterdam", "bidding": "given"},
        "deals": {"set": "klaverjas-given-1000", "limit": 4},
        "agents": {
            "a": {"family": "ismcts", "simulations": 20},
            "b": {"family": "ismcts", "simulations": 20},
        },
        "seed": 1,
    }
    (tmp_path / "games.yaml").write_text(json.dumps(experiment))
    command = ["record", str(tmp_path / "games.yaml"), "--out"]
    assert main([*command, str(tmp_path / "data")]) == 0
    assert main([*command, str(tmp_path / "again")]) == 0
    part = "part-00000.parquet"
    assert (tmp_path / "data" / part).read_bytes() == (tmp_path / "again" / part).read_bytes()
    assert main([*command, str(tmp_path / "again")]) == 0
    assert "0 parts written" in capsys.readouterr().out
    recipe = {"recording": "data", "trees": 3, "leaf": 5}
    (tmp_path / "recipe.yaml").write_text(json.dumps(recipe))
    train = ["train", "forest", str(tmp_path / "recipe.yaml"), "--output"]
    assert main([*train, str(tmp_path / "tiny.npz")]) == 0
    assert "held out" in capsys.readouterr().out
    experiment["agents"] = {
        "forest": {"family": "forest", "model": "tiny.npz"}, "random": {"family": "random"},
    }  # fmt: skip
    (tmp_path / "play.yaml").write_text(json.dumps(experiment))
    run = ["run", str(tmp_path / "play.yaml"), "--out", str(tmp_path / "run"), "--quiet"]
    assert main([*run, "--backend", "sequential"]) == 0
    (kept,) = (tmp_path / "run" / "models").iterdir()
    assert kept.read_bytes() == (tmp_path / "tiny.npz").read_bytes()
    (tmp_path / "recipe.yaml").write_text(json.dumps({**recipe, "tree": 3}))
    assert main([*train, str(tmp_path / "tiny.npz")]) == 2
    assert "tree: unknown key; did you mean 'trees'?" in capsys.readouterr().err

"""Models: packed as scikit-learn grew them, and refused if they are not what they say."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.forest_rows import features_of
from helpers.klaverjas_views import klaverjas_view

from agents.benches.forest import ForestBench
from agents.forest import ForestPlayer
from agents.forests.features import FEATURES
from agents.forests.model import NODE, Forest, best_card, predict, read_forest, save_forest
from agents.training.forests.growing import pack
from agents.training.forests.recipe import MOST_BYTES
from arena.cli import main
from arena.config.model_file import ModelFile
from arena.core.cards import card_name
from arena.core.errors import ArenaError
from arena.core.files import find_shipped
from arena.measure.bench import BENCHES


@pytest.mark.parametrize("trees", [1, 4, 9])
def test_packed_forests_answer_as_scikit_learn(trees):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor  # here: it is slow

    rng = np.random.default_rng(1)
    rows = rng.random((500, 7)).astype(np.float32)
    target = rows[:, 0] * rows[:, 1]
    means = RandomForestRegressor(n_estimators=trees, min_samples_leaf=3, random_state=1)
    means.fit(rows, target)
    assert predict(pack(means.estimators_, "ours"), rows) == pytest.approx(
        means.predict(rows), abs=1e-6
    )
    chances = RandomForestClassifier(n_estimators=trees, min_samples_leaf=3, random_state=1)
    chances.fit(rows, target > 0.2)
    expected = chances.predict_proba(rows)[:, 1]
    assert predict(pack(chances.estimators_, "ours"), rows) == pytest.approx(expected, abs=1e-6)


def stump(features: str, name: str) -> Forest:
    """A forest that likes cards with a feature above one half."""
    column = FEATURES[features].index(name)
    nodes = np.array([(0.5, column, 1), (0.0, -1, 0), (1.0, -1, 0)], dtype=NODE)
    return Forest(nodes, np.zeros(1, dtype=np.int64), features)


@pytest.mark.parametrize("features", ["ours", "published", "published-41"])
def test_play_goes_by_the_features_of_training(features):
    view = klaverjas_view("C7 CK CA", "CQ")
    forest = stump(features, "Is_highest_suit")
    assert card_name(best_card(forest, view)) == "CA"
    expected = predict(forest, features_of(view, features))
    assert card_name(view.legal[int(expected.argmax())]) == "CA"


def test_cards_that_are_alike_go_to_the_lowest():
    assert card_name(best_card(stump("ours", "t4"), klaverjas_view("D9 C7 CK"))) == "C7"


@pytest.mark.parametrize("variant", ["rotterdam", "amsterdam"])
def test_shipped_models_say_what_they_are(variant):
    path = find_shipped("agents/models", f"forest-{variant}", ".npz")
    assert path.stat().st_size <= MOST_BYTES
    forest, header = read_forest(ModelFile.find(str(path)))
    assert header["sha256"] == forest.sha256
    assert header["data"]["game"]["variant"] == variant
    assert header["data"]["seed"] == 2022
    assert header["recipe"]["features"] == forest.features


# --- refusals ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"feature_version": 1}, "made for version 1 of the features, this is 2: train it again"),
        ({"features": "theirs"}, "made for the features 'theirs'"),
        ({"sha256": "0" * 64}, "damaged or changed: the sha256 of its trees is"),
    ],
)
def test_other_models_are_refused(tmp_path, change, complaint):
    save_forest(tmp_path / "m.npz", stump("ours", "t4"), change)
    with pytest.raises(ArenaError, match=complaint) as refused:
        read_forest(ModelFile.find(str(tmp_path / "m.npz")))
    assert "\n" not in str(refused.value)


def test_a_tree_that_goes_round_is_refused(tmp_path):
    nodes = np.array([(0.5, 0, 0), (0.1, -1, 0), (0.2, -1, 0)], dtype=NODE)
    save_forest(tmp_path / "m.npz", Forest(nodes, np.zeros(1, dtype=np.int64), "ours"), {})
    with pytest.raises(ArenaError, match="nodes that lead nowhere"):
        read_forest(ModelFile.find(str(tmp_path / "m.npz")))


def test_a_forest_of_legality_does_not_play(tmp_path):
    save_forest(tmp_path / "m.npz", stump("legal-19", "p_t"), {})
    player = ForestPlayer(ModelFile.find(str(tmp_path / "m.npz")))
    with pytest.raises(ArenaError, match="says which cards are legal, not which one to play"):
        player.model_hash  # noqa: B018


# --- speed -------------------------------------------------------------------------------


def test_the_benchmark_has_all_figures(monkeypatch, capsys):
    class Quick(ForestBench):
        def measure(self, rounds: int = 2) -> dict[str, float]:
            return super().measure(rounds)

    monkeypatch.setitem(BENCHES._added, "forest", Quick)
    assert main(["bench", "forest", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert set(figures) == {
        "forest_rotterdam_decisions_per_s", "forest_amsterdam_decisions_per_s",
        "forest_times_predict_proba", "forest_largest_difference",
    }  # fmt: skip
    assert figures["forest_largest_difference"] <= 1e-6

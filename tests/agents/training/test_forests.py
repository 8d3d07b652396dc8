"""From games to a player, and to a judge of what is legal; games of another's format too."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from helpers.klaver_live_rows import COLUMNS, decisions, row_of
from helpers.paths import DATA

from agents.forests.features import rows_of
from agents.forests.model import read_forest
from agents.forests.position import (
    GONE,
    HAND,
    LEFT,
    LEGAL,
    NOT_FOLLOWED,
    SIZE,
    TABLE,
    position_of,
    view_numbers,
)
from agents.training.forests.klaver_live import read_decisions
from arena.cli import main
from arena.config.model_file import ModelFile
from arena.core.errors import ArenaError
from arena.games.kernel.spec import kernel_game

KLAVER_LIVE = DATA / "klaver-live.csv"


def experiment(variant: str, deals: int, **agent: object) -> dict:
    return {
        "name": "tiny",
        "game": {"name": "klaverjas", "variant": variant, "bidding": "given"},
        "deals": {"set": "klaverjas-given-1000", "limit": deals},
        "agents": {"a": agent, "b": agent},
        "seed": 1,
    }


def recorded(folder: Path, content: dict) -> None:
    (folder / "games.yaml").write_text(json.dumps(content))
    assert main(["record", str(folder / "games.yaml"), "--out", str(folder / "data")]) == 0


def trained(folder: Path, **recipe: object) -> int:
    (folder / "recipe.yaml").write_text(json.dumps({"recording": "data", **recipe}))
    command = ["train", "forest", str(folder / "recipe.yaml"), "--out"]
    return main([*command, str(folder / "tiny.npz")])


def test_from_games_to_a_player(tmp_path, capsys):
    content = experiment("rotterdam", 4, family="ismcts", simulations=20)
    recorded(tmp_path, content)
    command = ["record", str(tmp_path / "games.yaml"), "--out"]
    assert main([*command, str(tmp_path / "again")]) == 0
    part = "part-00000.parquet"
    assert (tmp_path / "data" / part).read_bytes() == (tmp_path / "again" / part).read_bytes()
    assert main([*command, str(tmp_path / "again")]) == 0
    assert "0 parts written" in capsys.readouterr().out
    assert main([*command, str(tmp_path / "again"), "--set", "seed=2"]) == 2
    assert "a recording of another experiment (seed differ)" in capsys.readouterr().err

    assert trained(tmp_path, trees=3, leaf=5) == 0
    assert "rule agent" in capsys.readouterr().out
    forest, header = read_forest(ModelFile.find(str(tmp_path / "tiny.npz")))
    assert header["data"]["seed"] == 1 and header["recipe"]["trees"] == 3 == len(forest.roots)
    beside = tmp_path / "tiny"
    with (beside / "accuracy.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert rows[-1]["legal_cards"] == "all"
    assert sum(int(row["decisions"]) for row in rows[:-1]) == int(rows[-1]["decisions"]) == 64
    assert rows[0]["forest"] == rows[0]["rule"] == "1.0000"  # one legal card
    with (beside / "importances.csv").open() as file:
        shares = [float(row["importance"]) for row in csv.DictReader(file)]
    assert len(shares) == 55 and sum(shares) == pytest.approx(1, abs=0.001)
    assert {file.name for file in beside.glob("*.svg")} == {"accuracy.svg", "importances.svg"}

    content["agents"] = {
        "forest": {"family": "forest", "model": "tiny.npz"}, "random": {"family": "random"},
    }  # fmt: skip
    (tmp_path / "play.yaml").write_text(json.dumps(content))
    run = ["run", str(tmp_path / "play.yaml"), "--out", str(tmp_path / "run"), "--quiet"]
    assert main([*run, "--backend", "sequential"]) == 0
    (kept,) = (tmp_path / "run" / "models").iterdir()
    assert kept.read_bytes() == (tmp_path / "tiny.npz").read_bytes()


@pytest.mark.parametrize(
    ("variant", "features"), [("rotterdam", "legal-19"), ("amsterdam", "legal-21")]
)
def test_the_legal_card_forest_makes_no_mistake_on_held_out_deals(
    tmp_path, capsys, variant, features
):
    recorded(tmp_path, experiment(variant, 150, family="random"))
    assert trained(tmp_path, features=features, trees=10, leaf=1, columns=0.5) == 0
    summary = capsys.readouterr().out.splitlines()[-2]
    assert summary.split()[:2] == ["all:", "100.00%"]


@pytest.mark.parametrize(
    ("recipe", "complaint"),
    [
        ({"tree": 3}, "tree: unknown key; did you mean 'trees'?"),
        ({"recording": "nowhere"}, "recording.json: No such file"),
        ({"recording": str(KLAVER_LIVE)}, "say which variant to learn: rotterdam or amsterdam"),
        ({"recording": "no.csv", "variant": "rotterdam"}, "no.csv: cannot be read"),
        (
            {"recording": str(KLAVER_LIVE), "variant": "rotterdam"},
            "record teachers that search, or say target: card",
        ),
    ],
)
def test_recipes_that_cannot_be_followed(tmp_path, capsys, recipe, complaint):
    assert trained(tmp_path, **recipe) == 2
    error = capsys.readouterr().err
    assert complaint in error and error.count("\n") == 1


def test_a_model_that_is_too_large_is_not_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("agents.training.forests.recipe.MOST_BYTES", 100)
    options = {"recording": str(KLAVER_LIVE), "variant": "rotterdam", "target": "card"}
    assert trained(tmp_path, features="published", trees=2, **options) == 2
    assert "raise leaf (20) or ask for fewer trees (2)" in capsys.readouterr().err
    assert not (tmp_path / "tiny.npz").exists()


# --- klaver.live -------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["rotterdam", "amsterdam"])
def test_klaver_live_rows_are_the_positions_of_our_views(variant):
    same = [HAND, LEGAL, GONE, LEFT, *range(TABLE, TABLE + 3)]
    same += range(NOT_FOLLOWED, NOT_FOLLOWED + 3)
    found = list(read_decisions(KLAVER_LIVE, variant))
    expected = list(decisions(variant, 5))
    assert len(found) == len(expected) == 5 * 32
    assert len({decision.deal for decision in found}) == 5
    position = np.empty(SIZE, dtype=np.uint64)
    for decision, (view, card) in zip(found, expected, strict=True):
        game = kernel_game(view.rules, view.trump)
        position_of(view_numbers(view), game.words, game.to_bits, position)
        assert decision.card == card
        assert decision.position[same].tolist() == position[same].tolist()
        for features in ("published-41", "legal-19", "legal-21"):
            theirs = rows_of(decision.position, decision.game, features)
            assert np.array_equal(theirs, rows_of(position, game, features))


def test_a_forest_from_klaver_live(tmp_path, capsys):
    options = {"features": "published-41", "target": "card", "trees": 3, "leaf": 5}
    recipe = {"recording": str(KLAVER_LIVE), "variant": "amsterdam", **options}
    assert trained(tmp_path, **recipe) == 0
    summary = capsys.readouterr().out.splitlines()[-2]
    assert "of 32 as the teacher (rule agent 100.0%)" in summary  # the teacher is the rule
    forest, header = read_forest(ModelFile.find(str(tmp_path / "tiny.npz")))
    assert forest.features == "published-41" and header["data"]["variant"] == "amsterdam"


@pytest.mark.parametrize(
    ("column", "value", "complaint"),
    [
        ("PlayCard", "k7", "klaver-live.csv:2: PlayCard k7 is not among the playable cards"),
        ("Cards", "s8 h13 r7 s9 h14 r8 s10 x7", ":2: 'x7' is no card"),
        ("Cards", "s8 h13 r7 s9 h14 r8 s10 k2", ":2: 'k2' is no card of Klaverjas"),
        ("Center", "h14", ":2: a card is in two places"),
        ("PlayableCardBits", "11", ":2: PlayableCardBits has 2 places, Cards has 8"),
        ("HasColor2", "11", ":2: HasColor is four digits 0 or 1, not '11'"),
        ("CardsPlayed1", "k7", ":2: the players have not played equally many cards"),
    ],
)
def test_rows_that_are_wrong(tmp_path, column, value, complaint):
    view, card = next(decisions("rotterdam", 1))
    path = tmp_path / "klaver-live.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerow({**row_of(view, card), column: value})
    with pytest.raises(ArenaError) as refused:
        list(read_decisions(path, "rotterdam"))
    assert complaint in str(refused.value)


def test_columns_that_are_missing(tmp_path):
    (tmp_path / "few.csv").write_text("Cards,Center\n")
    with pytest.raises(ArenaError, match=r"few\.csv:1: no column CardsPlayed0, CardsPlayed1"):
        list(read_decisions(tmp_path / "few.csv", "rotterdam"))

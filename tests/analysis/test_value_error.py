"""How well agents foresee the end of a round."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agents.mcts import Mcts
from agents.rule import Rule
from arena.analysis.value_error import measure_value_errors
from arena.cli import main
from arena.core.agent import Player
from arena.core.errors import ArenaError
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas


class Card(NamedTuple):
    visits: int
    value: float


@dataclass(frozen=True)
class Says(Rule):
    """Plays as `rule` does, and says that one card is worth `message` and others less."""

    message: float = 0.0

    def explain(self, view: View, rng: Rng) -> Mapping[Action, Any]:
        """The last card is tried more often than the others."""
        cards = {card: Card(1, self.message + 100) for card in view.legal}
        return {**cards, view.legal[-1]: Card(2, self.message)}


def deals(rules: Any, count: int) -> list[Any]:
    rng = Rng(4)
    return [rules.random_deal(rng, number) for number in range(count)]


@pytest.mark.parametrize("rules", [Klaverjas(), Hearts()])
def test_the_error_is_the_value_less_the_margin_of_the_side_on_lead(rules: Any) -> None:
    player = Player(Rule())
    said = {"none": Player(Says()), "ten": Player(Says(message=10.0))}
    found = {(one.agent, one.cards_played): one for one in measure_value_errors(
        rules, deals(rules, 6), player, said, seed=1
    )}  # fmt: skip
    for (agent, cards), one in found.items():
        assert one.deals <= 6 and cards % 4 == 0
        if agent == "ten":
            other = found["none", cards]
            assert one.bias == pytest.approx(other.bias + 10)
            assert one.mean_squared_error == pytest.approx(
                other.mean_squared_error + 20 * other.bias + 100
            )


def test_who_knows_the_cards_foresees_the_end_exactly_near_it() -> None:
    rules = Klaverjas()
    player = Player(Mcts(simulations=2000))
    found = measure_value_errors(rules, deals(rules, 8), player, {"knows": player}, seed=2)
    by_cards = {one.cards_played: one for one in found}
    assert by_cards[24].mean_squared_error < 1 < by_cards[0].mean_squared_error


def test_values_that_are_no_margins_are_refused() -> None:
    rules = Klaverjas()
    own = Player(Mcts(value="own-points"))
    with pytest.raises(ArenaError, match="say value: difference"):
        measure_value_errors(rules, deals(rules, 1), Player(Rule()), {"own": own}, seed=0)
    with pytest.raises(ArenaError, match="does not explain its search"):
        measure_value_errors(
            rules, deals(rules, 1), Player(Rule()), {"rule": Player(Rule())}, seed=0
        )


# --- the command -------------------------------------------------------------------------

CONFIG = """
name: few
game: {name: klaverjas, bidding: given}
deals: {set: klaverjas-given-1000, limit: 2}
agents:
  rule: {family: rule}
  tree: {family: ismcts, simulations: 20}
"""


def test_the_command_prints_a_table_and_draws_a_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "few.yaml"
    config.write_text(CONFIG)
    assert main(["estimate-values", str(config), "--figure", str(tmp_path / "f.svg")]) == 0
    printed = capsys.readouterr().out
    assert "rule plays all seats, 2 deals" in printed
    assert (tmp_path / "f.svg").read_text().startswith("<?xml")
    assert main(["estimate-values", str(config), "--json", "--player", "tree"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    assert {one["agent"] for one in numbers} == {"tree"}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--player", "tre"], "did you mean 'tree'"),
        (["--figure", "f.xyz"], "unknown ending"),
        (["--set", "agents.tree.family=random", "--set", "agents.tree.simulations="], ""),
    ],
)
def test_mistakes_are_reported_in_a_line(
    words: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "few.yaml"
    config.write_text(CONFIG)
    assert main(["estimate-values", str(config), *words]) == 2
    assert complaint in capsys.readouterr().err

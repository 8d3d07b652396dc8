"""The luck of the cards in rounds with people: on real rounds, in the report and in Python."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import arena
from arena.analysis.card_luck import FEWEST_DEALS, DealValues, adjusted, card_luck
from arena.cli import main
from arena.core.errors import ArenaError
from arena.core.generate import make_deals
from arena.core.rules import Rules, Standing
from arena.games.hearts import Hearts
from arena.games.klaverjas import Klaverjas
from arena.games.schieber import Schieber
from arena.report import write
from arena.store import Run

ROUND = "1\n" * 8 + "\n"


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people") / "evening"
    command = ["play", "klaverjas", "--record", str(folder), "--names", "Ann", "--seed", "5"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO(ROUND * 24))
        assert main([*command, "--rounds", "24"]) == 0
    return folder


@pytest.mark.parametrize("rules", [Klaverjas(), Schieber(bidding="schieben"), Hearts()])
def test_what_a_deal_gives_to_one_side_it_takes_from_the_others(rules: Rules) -> None:
    values = DealValues(rules)
    sides = len(rules.sides)
    for deal in make_deals(rules, "x", 5, 1).deals:
        of_sides = [
            values.of(deal, Standing(), [int(other != side) for other in range(sides)])
            for side in range(sides)
        ]
        assert sum(of_sides) == pytest.approx(0) and any(of_sides)


def test_the_cards_explain_much_of_what_a_person_scores(evening: Path) -> None:
    with Run(evening) as run:
        found = card_luck(run, "rule+Ann", "rule")
        turned = card_luck(run, "rule", "rule+Ann")
        values = DealValues(run.rules)
        (pairing,) = run.pairings
        margins, worth = [], []
        for replay in run.replays(pairing):
            margins.append(replay.record.margin)
            worth.append(values.of(replay.deal, replay.standing, [0, 1]))
    assert found.statistics == adjusted(margins, worth)
    assert found.statistics.variance_ratio is not None
    assert found.statistics.variance_ratio < 0.9 and found.statistics.plain.n == 24
    mean, opposite = found.statistics.corrected.mean, turned.statistics.corrected.mean
    assert mean is not None and opposite == pytest.approx(-mean)


def test_the_command_the_report_and_python_say_the_same(
    evening: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["luck", str(evening), "rule+Ann", "rule"]) == 0
    assert "24 rounds" not in (said := capsys.readouterr().out) and "valued by rule" in said
    assert main(["luck", str(evening), "rule+Ann", "rule", "--json"]) == 0
    mean = json.loads(capsys.readouterr().out)["statistics"]["corrected"]["mean"]
    page = write(evening).read_text(encoding="utf-8")
    assert '<h2 id="people"' in page or "People" in page
    part = json.loads((evening / "report.json").read_text(encoding="utf-8"))["people"]
    (score,) = part["people"]["scores"]
    assert score["adjusted"]["value"] == pytest.approx(mean)
    (row,) = arena.load_run(evening).people.to_dict("records")
    assert row["person"] == "rule+Ann" and row["adjusted"] == pytest.approx(mean)


def test_too_few_rounds_are_not_adjusted(evening: Path) -> None:
    few = [1.0] * (FEWEST_DEALS - 1)
    assert adjusted(few, few) is None
    with Run(evening) as run, pytest.raises(ArenaError, match="no agent 'An'"):
        card_luck(run, "An", "rule")

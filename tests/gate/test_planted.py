"""Regressions planted one by one in copies of our agents: each gets the right verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.planted_regressions import Planted, PlantedFlat, PlantedTree

from arena.cli import main
from arena.core.registry import AGENTS

GATE = """\
name: planted
game: {game}
deals: {{set: {game}-{set}1000, limit: {deals}}}
candidate: {{family: planted}}
against: [{{family: {reference}}}]
baseline: {{stored: planted.json}}
test: {{kind: no-regression, worse_by: {worse_by}}}
also: {{median_time_ratio: 2}}
replicates: 1
probe_deals: {probe}
"""


@pytest.mark.parametrize(
    ("family", "flaw", "sizes", "code", "words"),
    [
        (PlantedFlat, "sign flip by depth", (100, "rule", 30, 2), 1, "points per deal"),
        (PlantedTree, "C divided by 100", (300, "rule", 20, 2), 1, "points per deal"),
        (PlantedFlat, "never trumping", (200, "rule", 15, 2), 1, "points per deal"),
        (Planted, "illegal in 1 of 200 deals", (200, "random", 60, 100), 4, "fault: "),
        (Planted, "3 times slower", (64, "random", 60, 10), 1, "median time for a decision"),
        (Planted, "refactored", (64, "random", 60, 10), 0, "no functional change"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_a_planted_regression_is_found(
    family: Any,
    flaw: str,
    sizes: tuple[int, str, int, int],
    code: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(AGENTS._added, "planted", family)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)
    deals, reference, worse_by, probe = sizes
    # In Klaverjas one must trump; in Schieber one may.
    game = "schieber" if flaw == "never trumping" else "klaverjas"
    path = tmp_path / "planted.yaml"
    path.write_text(
        GATE.format(
            game=game,
            set="given-" if game == "klaverjas" else "",
            deals=deals,
            reference=reference,
            worse_by=worse_by,
            probe=probe,
        )
    )
    command = ["gate", str(path), "--jobs", "1", "--quiet"]
    assert main([*command, "--update"]) == 0
    monkeypatch.setattr(family, "FLAW", flaw)
    assert main(command) == code
    said = capsys.readouterr().out
    assert words in said
    found = json.loads((tmp_path / "reports/gates/planted/gate.json").read_text())
    assert found["outcome"] == {0: "pass", 1: "regression", 4: "fault"}[code]

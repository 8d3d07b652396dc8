"""Agents that think for a time instead of a count."""

from __future__ import annotations

import json
from pathlib import Path

from arena.cli import main

CONFIG = """\
name: budget
game: {name: klaverjas, variant: rotterdam, bidding: given}
deals: {set: klaverjas-given-1000, limit: 1}
agents:
  flat: {family: flat-mc, budget: {milliseconds: 1}}
  tree: {family: ismcts, budget: {milliseconds: 1}}
schedule: {type: round-robin}
seed: 1
"""


def test_a_budget_is_played_and_kept_in_the_manifest(tmp_path: Path) -> None:
    config, out = tmp_path / "budget.yaml", tmp_path / "out"
    config.write_text(CONFIG)
    assert main(["run", str(config), "--out", str(out), "--jobs", "1", "--quiet"]) == 0
    manifest = json.loads((out / "manifest.json").read_text())
    (member,) = manifest["entrants"]["flat"]["members"]
    assert member["parameters"]["budget"] == {"milliseconds": 1}
    assert (out / "report.html").exists()

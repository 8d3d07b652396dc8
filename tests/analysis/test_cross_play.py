"""A with partner X against B with partner X."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.analysis.cross_play import with_other_partners
from arena.analysis.results import read
from arena.api.experiments import Experiment
from arena.cli import main
from arena.core.errors import ArenaError
from arena.store import Run

AGENTS = {"rule": "rule", "random": "random", "semi": "semi-random"}


def _experiment(game: str = "klaverjas", **schedule: Any) -> Experiment:
    return Experiment(game, AGENTS, 3, schedule={"type": "cross-play", **schedule})


def test_teams_play_each_other_with_the_same_partner() -> None:
    pairs = _experiment(partner=["rule"]).resolved.pairings
    assert pairs == (
        ("rule", "random"),
        ("rule", "semi"),
        ("random", "semi"),
        ("rule", "random+rule"),
        ("rule", "semi+rule"),
        ("random+rule", "semi+rule"),
    )


def test_the_margin_with_others_is_the_mean_over_deals(tmp_path: Path) -> None:
    config = tmp_path / "cross.yaml"
    config.write_text(
        "name: cross\ngame: klaverjas\ndeals: {set: klaverjas-given-1000, limit: 4}\n"
        "agents:\n  rule: {family: rule}\n  random: {family: random}\n"
        "schedule: {type: cross-play, partner: [rule]}\n"
    )
    out = tmp_path / "run"
    assert main(["run", str(config), "--out", str(out), "--no-report", "--quiet"]) == 0
    with Run(out) as run:
        assert run.entrants == ["rule", "random", "random+rule"]
        results = read([run])
        found = with_other_partners(run, results)
    pair = next(pair for pair in results.pairs if "random+rule" in (pair.first, pair.second))
    margins = pair.margins if pair.first == "random+rule" else -pair.margins
    assert list(found) == ["random"]
    assert found["random"].value == pytest.approx(float(np.mean(margins)))
    assert found["random"].n == 4
    assert "with other partners" in (out / "standings.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("game", "schedule", "said"),
    [
        ("klaverjas", {}, "partner: missing; cross-play needs it"),
        ("klaverjas", {"partner": ["ruel"]}, "unknown agent 'ruel'"),
        ("klaverjas", {"partner": ["rule"], "only": ["rule"]}, "belongs to round-robin"),
        ("hearts", {"partner": ["rule"]}, "hearts is played without partners"),
    ],
)
def test_mistakes_say_what_is_missing(game: str, schedule: dict[str, Any], said: str) -> None:
    with pytest.raises(ArenaError, match=said):
        _experiment(game, **schedule)

"""The section on cards and seeds: only with several seeds, with the numbers of the games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.experiments import entrant, make_experiment, play

from arena.report import write
from arena.stats.seed_variance import seed_variance
from arena.store import Run


def test_the_section_has_the_variance_of_every_pair(tmp_path: Path) -> None:
    agents = (entrant("any"), entrant("lowest", "lowest"))
    play(make_experiment(12, agents, seeds_per_deal=3), tmp_path / "run")
    page = write(tmp_path / "run").read_text(encoding="utf-8")
    assert "Cards and seeds" in page and "played with 3 seeds" in page
    part = json.loads((tmp_path / "run" / "report.json").read_text(encoding="utf-8"))["seeds"]
    with Run(tmp_path / "run") as run:
        rounds = run.rounds()
    # A column per seed: games 0 and 1, 2 and 3, 4 and 5.
    by_seed = rounds.groupby(["unit", rounds["seating"] // 2])["margin"].mean().unstack()
    found = seed_variance(by_seed.to_numpy())
    (pair,) = part["pairs"]
    assert pair["variance"]["seeds"] == pytest.approx(found.seeds)
    assert pair["variance"]["cards"] == pytest.approx(found.cards)
    assert pair["more_seeds"] == pytest.approx(found.error_ratio(6))
    assert part["more_deals"] == pytest.approx(0.5**0.5)


def test_one_seed_has_no_such_section(tmp_path: Path) -> None:
    play(make_experiment(4), tmp_path / "run")
    assert "Cards and seeds" not in write(tmp_path / "run").read_text(encoding="utf-8")

"""The experiments that repeat Hoogenboom 2017: they load, and each has a small twin."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.paths import ROOT

from arena.config.loader import load
from arena.tournament.schedule import Schedule

CONFIGS = ROOT / "configs"
PAPERS = sorted(CONFIGS.glob("papers/hoogenboom-2017-*.yaml"))
FULL = [path for path in PAPERS if not path.stem.endswith("-small")]


@pytest.mark.parametrize("path", [*PAPERS, CONFIGS / "bidders.yaml"], ids=lambda path: path.stem)
def test_loads_and_is_named_after_its_file(path: Path) -> None:
    experiment = load(path)
    assert experiment.name == path.stem
    assert len(Schedule(experiment)) > 0


def test_all_parts_of_the_thesis_are_there() -> None:
    found = {path.stem.removeprefix("hoogenboom-2017-") for path in FULL}
    assert found >= {
        "table11",
        "table12",
        "duplicate",
        "figure3-playouts",
        "figure5-probable",
        "figure7-multipliers",
    }


@pytest.mark.parametrize("path", FULL, ids=lambda path: path.stem)
def test_has_a_small_twin(path: Path) -> None:
    small, full = load(path.with_stem(f"{path.stem}-small")), load(path)
    assert small.rules == full.rules
    assert {entrant.name for entrant in small.entrants} <= {e.name for e in full.entrants}
    assert 10 * len(Schedule(small)) <= len(Schedule(full))


def test_every_cell_of_table_11_has_its_published_value() -> None:
    experiment = load(CONFIGS / "papers" / "hoogenboom-2017-table11.yaml")
    published = [r for r in experiment.resolved["reference"] if "table 11" in r["label"]]
    cells = {tuple(reference["pair"]) for reference in published}
    assert cells == {*experiment.pairings, *((b, a) for a, b in experiment.pairings)}
    assert sum(reference["value"] for reference in published) == pytest.approx(2115.50)

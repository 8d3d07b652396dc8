"""The runs that benches measure are runs like others: complete, and with something to compute."""

from __future__ import annotations

from pathlib import Path

from arena.measure.made_runs import make_run, random_field
from arena.store import Run


def test_every_pair_of_a_made_run_differs_from_deal_to_deal(tmp_path: Path) -> None:
    make_run(tmp_path / "run", random_field(4, 8))
    with Run(tmp_path / "run") as run:
        margins = [run.margins(pairing)[1] for pairing in run.pairings]
    assert [len(each) for each in margins] == [8] * 6
    assert all(each.std() > 0 for each in margins)

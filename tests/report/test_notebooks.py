"""`arena.load_run`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from helpers.report_runs import Written

import arena


def test_the_frames_are_tidy(written: Callable[[str], Written]) -> None:
    report = written("klaverjas")
    run = arena.load_run(report.folder)
    assert len(run.deals) == 3 * 16
    assert len(run.rounds) == 3 * 16 * 2
    means = run.rounds.groupby(["first", "second", "unit"])["margin"].mean()
    deals = run.deals.set_index(["first", "second", "unit"])["margin"]
    assert (means.sort_index() == deals.sort_index()).all()
    ladder, pairs = report.document["ladder"]["agents"], report.document["pairs"]["pairs"]
    assert list(run.agents["name"]) == [agent["name"] for agent in ladder]
    assert list(run.agents["rating_low"]) == [agent["rating"]["low"] for agent in ladder]
    assert list(run.pairs["mean"]) == [pair["mean"] for pair in pairs]
    assert repr(run) == "<run 'small': 3 pairs on 16 deals>"


def test_arena_is_light_until_a_run_is_loaded() -> None:
    code = "import sys, arena; raise SystemExit(bool({'pandas', 'scipy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    with pytest.raises(AttributeError, match="no attribute 'lod_run'"):
        _ = arena.lod_run

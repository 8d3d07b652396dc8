"""`arena.load_run`, and the example in the documentation."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from report.conftest import Written

import arena
from arena.cli import main

DOC = Path(__file__).parents[2] / "docs" / "notebooks.md"
CONFIG = """\
name: quickstart
game: {name: klaverjas}
deals: {set: klaverjas-given-1000, limit: 20}
agents: {random: {family: random}, rule: {family: rule}}
"""


def test_the_example_in_the_documentation_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.yaml").write_text(CONFIG)
    main(["run", "x.yaml", "--jobs", "1", "--quiet", "--no-report"])
    code = "\n".join(re.findall(r"```python\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL))
    exec(compile(code, str(DOC), "exec"), {})
    said = capsys.readouterr().out
    assert "points per deal above the field" in said
    assert "MeanDifference" in said


def test_the_frames_are_tidy(written: Callable[[str], Written]) -> None:
    report = written("klaverjas")
    run = arena.load_run(report.folder)
    assert len(run.deals) == 3 * 16
    assert len(run.rounds) == 3 * 16 * 2
    means = run.rounds.groupby(["first", "second", "unit"])["margin"].mean()
    deals = run.deals.set_index(["first", "second", "unit"])["margin"]
    assert (means.sort_index() == deals.sort_index()).all()
    assert list(run.agents["agent"]) == [agent["name"] for agent in report.document["agents"]]
    assert list(run.agents["rating_low"]) == [a["rating"]["low"] for a in report.document["agents"]]
    assert list(run.pairs["difference_mean"]) == [p["mean"] for p in report.document["pairs"]]
    assert repr(run) == "<run 'small': 3 pairs on 16 deals>"


def test_arena_is_light_until_a_run_is_loaded() -> None:
    code = "import sys, arena; raise SystemExit(bool({'pandas', 'scipy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    with pytest.raises(AttributeError, match="no attribute 'lod_run'"):
        _ = arena.lod_run

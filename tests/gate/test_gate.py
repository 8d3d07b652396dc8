"""The gate: verdicts, baselines that become void, the ledger, and what it writes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from helpers.planted_regressions import Planted

from arena.cli import main
from arena.core.errors import ArenaError
from arena.core.registry import AGENTS
from arena.gate.config import TestFile
from arena.gate.ledger import attempts
from arena.gate.tests import GateTest, check_enough, measure
from arena.gate.verdict import Condition, GateVerdict
from arena.measure.calibrate.gate import gate_rates
from arena.tournament.stopping import SequentialTrace

GATE = """\
name: small
game: {name: klaverjas, variant: rotterdam}
deals: {set: klaverjas-given-1000, limit: 400}
candidate: {family: planted}
against: [{family: random}]
baseline: {stored: base/small.json}
test: {kind: no-regression, worse_by: 30}
max_deals: 300
replicates: 2
"""
Output = pytest.CaptureFixture[str]


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(AGENTS._added, "planted", Planted)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    path = tmp_path / "small.yaml"
    path.write_text(GATE)
    return path


def flawed(monkeypatch: pytest.MonkeyPatch, flaw: str) -> None:
    monkeypatch.setattr(Planted, "FLAW", flaw)


def run(path: Path, *more: str) -> int:
    return main(["gate", str(path), "--jobs", "1", "--quiet", *more])


def test_a_gate_from_baseline_to_verdicts(
    gate: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    assert run(gate) == 2
    assert "--update" in capsys.readouterr().err
    assert run(gate, "--update") == 0
    assert "300 deals, 2 seeds" in capsys.readouterr().out

    flawed(monkeypatch, "refactored")
    assert run(gate) == 0
    assert "no functional change" in capsys.readouterr().out

    flawed(monkeypatch, "worst card")
    assert run(gate) == 1
    said = capsys.readouterr().out
    assert "small: regression:" in said and "first attempt" in said  # not by signature
    assert "arena replay" in said
    found = json.loads(Path("reports/gates/small/gate.json").read_text())
    assert found["outcome"] == "regression" and found["test"]["trace"]["estimate"] < -5
    trace = found["test"]["trace"]
    assert trace["n"] < 300 and trace["ratio"] < trace["lower"]
    suite = ElementTree.fromstring(Path("reports/gates/small/junit.xml").read_text())
    assert suite.get("failures") == "1" and len(suite.findall("testcase")) == 1
    assert "| strength | regression |" in Path("reports/gates/small/gate.md").read_text()
    page = Path("reports/gates/small/report/report.html").read_text(encoding="utf-8")
    assert '<p class="banner regression">small: regression:' in page
    data = re.search(r'id="replay-data">(.*?)</script>', page)
    assert data is not None
    shown = [(each["deal"], each["margin"]) for each in json.loads(data[1])["replays"]]
    assert shown == [(lost["deal"], lost["margin"]) for lost in found["worst"]]
    assert len(shown) == 5 and all(lost["margin"] < 0 for lost in found["worst"])

    flawed(monkeypatch, "illegal now and then")
    assert run(gate) == 4
    assert "fault" in capsys.readouterr().out
    assert len(Path("base/small.ledger.jsonl").read_text().splitlines()) == 2


def test_an_unlike_baseline_is_void(
    gate: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    gate.write_text(GATE.replace("max_deals: 300", "max_deals: 70"))
    assert run(gate, "--update") == 0
    gate.write_text(GATE.replace("variant: rotterdam", "variant: amsterdam"))
    assert run(gate) == 2
    assert "void: the rules changed" in capsys.readouterr().err
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
    assert run(gate) == 2
    assert "update it on the main branch" in capsys.readouterr().err
    gate.write_text(GATE.replace("klaverjas-given-1000", "klaverjas-given-10000"))
    assert run(gate) == 2
    assert "void: the deals changed" in capsys.readouterr().err
    flawed(monkeypatch, "worst card")
    gate.write_text(GATE.replace("max_deals: 300", "max_deals: 70").replace("random", "rule"))
    assert run(gate) == 2
    assert "void: the references (random, rule) changed" in capsys.readouterr().err


def test_another_kernel_voids_a_baseline_only_if_the_play_changed(
    gate: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    gate.write_text(GATE.replace("max_deals: 300", "max_deals: 70"))
    assert run(gate, "--update") == 0
    stored = Path("base/small.json")
    stored.write_text(json.dumps({**json.loads(stored.read_text()), "kernel": "another"}))
    assert run(gate) == 0
    assert "no functional change" in capsys.readouterr().out
    flawed(monkeypatch, "worst card")
    assert run(gate) == 2
    assert "void: the compiled kernel changed" in capsys.readouterr().err


def test_head_to_head_for_a_gain(gate: Path, capsys: Output) -> None:
    text = GATE.replace("{stored: base/small.json}", "{agent: {family: random}}")
    text = text.replace("against: [{family: random}]\n", "")
    gate.write_text(text.replace("no-regression, worse_by: 30", "gain, better_by: 20"))
    assert run(gate) == 0
    said = capsys.readouterr().out
    assert "small: pass:" in said and "won both" in said
    once = json.loads(Path("reports/gates/small/gate.json").read_text())
    deals = once["test"]["trace"]["n"]
    assert sum(once["pentanomial"]) >= deals == once["won"] + once["drawn"] + once["lost"]
    # Found again in the folder, and played again elsewhere: the same decision on the same deals.
    assert run(gate) == 0
    assert run(gate, "--out", "elsewhere") == 0
    again = json.loads(Path("elsewhere/gate.json").read_text())
    assert again["test"] == once["test"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("worse_by: 30", "worse: 30", "unknown key"),
        (", worse_by: 30", "", "small.yaml:7: test.worse_by: missing"),
        ("{stored: base/small.json}", "{}", "give one of stored"),
        ("family: planted", "family: plantd", "planted"),
        ("replicates: 2", "also: {floors: {rule: 3}}", "no such reference (allowed: random)"),
        ("against: [{family: random}]\n", "", "needs references"),
    ],
)
def test_mistakes_are_reported_with_their_place(
    gate: Path, capsys: Output, old: str, new: str, message: str
) -> None:
    gate.write_text(GATE.replace(old, new))
    assert run(gate) == 2
    assert message in capsys.readouterr().err


def test_a_gate_that_cannot_decide_is_refused() -> None:
    values = np.random.default_rng(1).normal(0, 60, 64)
    test = TestFile(worse_by=3.0)
    with pytest.raises(ArenaError, match=r"500 deals are too few: .* within [\d,]+ deals"):
        check_enough(values, test, 500, "x.yaml")
    needed = check_enough(values, TestFile(worse_by=30.0), 500, "x.yaml")
    assert needed is not None and needed < 500


def test_fixed_tests_wait_for_all_deals() -> None:
    values = np.random.default_rng(1).normal(0, 10, 200)
    equal = TestFile(kind="equivalence", within=5.0)
    assert measure(values, equal, complete=False).answer == "continue"
    assert measure(values, equal, complete=True).answer == "pass"
    assert measure(values - 20, equal, complete=True).answer == "regression"
    fixed = TestFile(kind="fixed", worse_by=5.0)
    assert measure(values, fixed, complete=True).answer == "pass"
    assert measure(values - 6, fixed, complete=True).answer == "regression"


def verdict(*conditions: Condition) -> GateVerdict:
    trace = SequentialTrace("H0", 50, -3.0, -5.0, -1.0)
    test = GateTest("regression", "a test", trace)
    return GateVerdict("g", "regression", conditions, "abc", False, test)


def test_annotations_are_escaped_and_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = Condition("a,b", "regression", "100%\nof it")
    found = verdict(bad, *[Condition(f"c{i}", "pass", "fine") for i in range(20)])
    notes = found.annotations(Path("x.yaml"))
    assert len(notes) == 10
    assert notes[0] == "::error file=x.yaml,title=g%3A a%2Cb::100%25%0Aof it"
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    found.append_summary()
    assert "regression" in summary.read_text()
    summary.write_bytes(b"x" * 999_990)
    found.append_summary()
    assert summary.stat().st_size == 999_990


def test_exit_codes_and_attempts(tmp_path: Path) -> None:
    unsure = GateVerdict("g", "inconclusive", (), None, False)
    assert [unsure.exit_code(x) for x in (None, "pass", "fail")] == [3, 0, 1]
    assert attempts(tmp_path / "none.jsonl", "g", "x") == 0


def test_error_rates_over_fresh_baselines() -> None:
    """One agent on shared deals: an effect of the deals, and chances of its own each time."""
    rng = np.random.default_rng(4)
    deals = rng.normal(0, 40, 600)
    baselines = [deals + rng.normal(0, 30, (3, 600)) for _ in range(12)]
    candidates = [deals + rng.normal(0, 30, (10, 600)) for _ in range(12)]
    games = [np.abs(table) for table in candidates]
    found = gate_rates(baselines, candidates, games, worse_by=10.0)
    assert found.unchanged_fails.low <= 0.05 and found.worse_passes.low <= 0.05
    assert 0 <= found.unchanged_fails.rate <= found.worst_decile <= 1
    assert found.saved > 0.1
    shifted = gate_rates(baselines, [table - 10 for table in candidates], games, worse_by=10.0)
    assert shifted.unchanged_fails.rate > 0.8

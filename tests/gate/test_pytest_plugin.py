"""The pytest plug-in, in a pytest of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

TESTS = """
import pytest

pytestmark = pytest.mark.strength(
    game="klaverjas", deals={"set": "klaverjas-given-1000", "limit": 400}
)


def test_better(strength):
    found = strength({"family": "rule"}, than={"family": "random"}, better_by=20)
    assert found.passed, found.block


def test_worse(strength):
    found = strength({"family": "random"}, than={"family": "rule"}, worse_by=20)
    assert found.outcome == "regression" and found.mean < 0
"""
GATE = """\
name: {name}
game: klaverjas
deals: {{set: klaverjas-given-1000, limit: 400}}
candidate: {{family: {candidate}}}
baseline: {{agent: {{family: {baseline}}}}}
test: {{kind: gain, better_by: 20}}
"""


def run_pytest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_gates_are_tests(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    (tmp_path / "test_strength.py").write_text(TESTS)
    good = GATE.format(name="good", candidate="rule", baseline="random")
    (tmp_path / "good.gate.yaml").write_text(good)
    (tmp_path / "bad.gate.yaml").write_text(
        GATE.format(name="bad", candidate="random", baseline="rule")
    )
    (tmp_path / "wrong.gate.yaml").write_text(good.replace("rule", "rul"))
    (tmp_path / "other.yaml").write_text("not: a gate\n")
    done = run_pytest(tmp_path, "--junitxml=junit.xml")
    assert done.returncode == 1, done.stdout
    assert "3 passed" in done.stdout and "2 failed" in done.stdout
    assert "bad: regression: " in done.stdout and "margin  " in done.stdout
    assert "wrong.gate.yaml:4: " in done.stdout and "did you mean 'rule'" in done.stdout
    assert "Traceback" not in done.stdout
    cases = ElementTree.fromstring((tmp_path / "junit.xml").read_text()).iter("testcase")
    assert {case.get("name") for case in cases} == {
        "good",
        "bad",
        "wrong",
        "test_better",
        "test_worse",
    }


def test_it_does_nothing_unless_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text(
        "import sys\n\n\ndef test_plain():\n"
        "    assert 'arena.gate.pytest_plugin' in sys.modules\n"
        "    loaded = [name for name in sys.modules if name.startswith('arena.')]\n"
        "    assert loaded == ['arena.gate', 'arena.gate.pytest_plugin']\n"
        "    assert 'numpy' not in sys.modules\n"
    )
    done = run_pytest(tmp_path)
    assert done.returncode == 0, done.stdout

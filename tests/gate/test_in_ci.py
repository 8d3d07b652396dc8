"""Gates where they are used: interrupted, read-only, two at once, in a workflow, in our own CI."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from helpers.paths import ROOT

from arena.api.progress import Progress
from arena.cli import main
from arena.cli.commands.schema import SCHEMAS
from arena.gate.config import gate_of, load_gate
from arena.gate.judge import GateOptions, judge_gate
from arena.gate.verdict import verdict_schema
from arena.tournament.run import RunOptions
from arena.tournament.tally import Tally

GATE: dict[str, Any] = {
    "name": "duel",
    "game": "klaverjas",
    "deals": {"set": "klaverjas-given-1000", "limit": 500},
    "candidate": {"family": "rule"},
    "baseline": {"agent": {"family": "random"}},
    "test": {"kind": "gain", "better_by": 20},
}
Output = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.delenv(name, raising=False)


def written(**changes: Any) -> Path:
    path = Path(f"{changes.get('name', 'duel')}.yaml")
    path.write_text(yaml.safe_dump({**GATE, **changes}))
    return path


def run(path: Path, *more: str) -> int:
    return main(["gate", str(path), "--jobs", "1", "--quiet", *more])


def verdict_of(folder: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(folder, "gate.json").read_text())
    return found


class Impatient(Progress):
    """Presses Ctrl-C in the middle."""

    def update(self, tally: Tally) -> None:
        if tally.done >= 20:
            raise KeyboardInterrupt


def test_an_interrupted_gate_goes_on(tmp_path: Path) -> None:
    gate = gate_of(GATE, "test", tmp_path)
    options = GateOptions(tmp_path / "whole", RunOptions(jobs=1))
    whole = judge_gate(gate, options, Progress("deals", quiet=True))
    options = GateOptions(tmp_path / "parts", RunOptions(jobs=1, chunk_units=5))
    with pytest.raises(KeyboardInterrupt):
        judge_gate(gate, options, Impatient("deals", quiet=True))
    parts = judge_gate(gate, options, Progress("deals", quiet=True))
    assert parts.test == whole.test
    assert parts.attempt == 1  # an attempt is one that had an answer
    jobs = GateOptions(tmp_path / "jobs", RunOptions(jobs=3, backend="threading"))
    again = judge_gate(gate, jobs, Progress("deals", quiet=True))
    assert again.test == whole.test


def test_a_checkout_that_cannot_be_written(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    path = checkout / "stored.yaml"
    stored = {"baseline": {"stored": "base.json"}, "against": [{"family": "random"}]}
    test = {"kind": "no-regression", "worse_by": 40}
    floors = {"also": {"floors": {"random": -999}}}  # which are always played
    path.write_text(yaml.safe_dump({**GATE, **stored, **floors, "test": test, "max_deals": 100}))
    assert run(path, "--update", "--out", "made") == 0
    if os.geteuid() == 0:  # root writes everywhere, but not into a folder
        (checkout / "base.ledger.jsonl").mkdir()
    checkout.chmod(0o555)
    before = sorted(file.name for file in checkout.iterdir())
    try:
        assert run(path, "--out", "elsewhere") == 0
    finally:
        checkout.chmod(0o755)
    assert sorted(file.name for file in checkout.iterdir()) == before
    assert len(Path("elsewhere/ledger.jsonl").read_text().splitlines()) == 1


def test_two_gates_at_once_do_not_disturb_each_other() -> None:
    one, other = written(name="one"), written(name="other", test={"kind": "gain", "better_by": 30})
    words = [sys.executable, "-m", "arena", "gate", "--jobs", "1", "--quiet"]
    both = [
        subprocess.Popen([*words, str(path)], stdout=subprocess.DEVNULL) for path in (one, other)
    ]
    assert [process.wait() for process in both] == [0, 0]
    together = [verdict_of(f"reports/gates/{name}") for name in ("one", "other")]
    for path, found in zip((one, other), together, strict=True):
        assert run(path, "--out", "alone", "--fresh") == 0
        alone = verdict_of("alone")
        assert [alone["test"]["trace"][key] for key in ("n", "estimate")] == [
            found["test"]["trace"][key] for key in ("n", "estimate")
        ]


def test_a_folder_of_gates_divides_the_error_rates(capsys: Output) -> None:
    Path("gates").mkdir()
    for name in ("a", "b"):
        shutil.move(written(name=name), f"gates/{name}.yaml")
    assert run(Path("gates"), "--all") == 0
    assert capsys.readouterr().out.count("errors 0.025 and 0.025") >= 2
    shutil.copy("gates/a.yaml", "gates/c.yaml")
    assert run(Path("gates"), "--all") == 2
    assert "two gates have the same name" in capsys.readouterr().err


def test_pairs_of_games_as_chess_tools_count_them() -> None:
    path = written(test={"kind": "pentanomial", "elo0": 0, "elo1": 60})
    assert run(path) == 0
    found = verdict_of("reports/gates/duel")
    assert found["test"]["unit"] == "Elo" and found["test"]["trace"]["estimate"] > 0
    assert sum(found["pentanomial"]) == found["test"]["trace"]["n"]


def test_fresh_deals_belong_to_the_candidate(capsys: Output) -> None:
    path = written(deals={**GATE["deals"], "fresh": True})
    assert run(path) == 0
    (first,) = Path("reports/gates/duel").glob("deals-*.csv")
    assert run(path) == 0  # the same candidate has the same deals: a second attempt at them
    assert "second attempt" in capsys.readouterr().out
    path = written(deals={**GATE["deals"], "fresh": True}, candidate={"family": "semi-random"})
    run(path)
    assert len(list(Path("reports/gates/duel").glob("deals-*.csv"))) == 2
    assert "first attempt" in capsys.readouterr().out
    assert first.read_text() != (ROOT / "deals" / "klaverjas-given-1000.csv").read_text()
    stored = written(deals={"set": "klaverjas-given-1000", "fresh": True}, baseline={"stored": "x"})
    assert run(stored) == 2
    assert "knows its own deals only" in capsys.readouterr().err


@pytest.mark.skipif(
    not (ROOT / ".git").exists() or not shutil.which("git"), reason="this is no git checkout"
)
def test_an_older_version_of_the_code(capsys: Output) -> None:
    test = {"kind": "no-regression", "worse_by": 40}
    path = written(
        candidate={"family": "semi-random"},
        baseline={"git": "HEAD", "repository": str(ROOT)},
        test=test,
    )
    assert run(path) == 0
    assert "no functional change" in capsys.readouterr().out
    path = written(baseline={"git": "no-such-revision", "repository": str(ROOT)}, test=test)
    assert run(path) == 2
    assert "has no revision 'no-such-revision'" in capsys.readouterr().err


def test_floors_and_the_schema_of_what_is_written() -> None:
    path = written(against=[{"family": "random"}], also={"floors": {"random": 200}})
    assert run(path) == 1
    found = verdict_of("reports/gates/duel")
    assert [c["outcome"] for c in found["conditions"]] == ["pass", "regression"]
    jsonschema.validate(found, verdict_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**found, "outcome": "perhaps"}, verdict_schema())
    assert main(["schema", "gate-json"]) == main(["schema", "gate"]) == 0
    page = Path("reports/gates/duel/report/report.html").read_text(encoding="utf-8")
    assert "<svg" in page and "floor random: regression" in page


def test_the_action_says_its_outputs(tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    install, _, step = action["runs"]["steps"]
    inputs = {name: str(given.get("default", "")) for name, given in action["inputs"].items()}
    inputs |= {"config": str(written()), "jobs": "1"}
    variables = {
        name: inputs[value.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, value in step["env"].items()
    }
    output = tmp_path / "output"
    done = subprocess.run(
        ["bash", "-e", "-c", f"({install['run']}); {step['run']}"],
        env={
            **os.environ,
            **variables,
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_ACTIONS": "true",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "::notice file=" in done.stdout
    message = dict(line.split("=", 1) for line in output.read_text().splitlines())
    assert len(message.pop("key")) == 16  # of the cache of compiled code
    assert message["verdict"] == "pass" and float(message["low"]) < float(message["margin"])
    wanted = {
        name: value["value"].removeprefix("${{ steps.gate.outputs.").removesuffix(" }}")
        for name, value in action["outputs"].items()
    }
    assert set(wanted.values()) == set(message)
    assert (tmp_path / "gate" / "gate.json").exists()


def test_our_own_ci_calls_the_same_script() -> None:
    assert "make gate" in (ROOT / ".ci" / "run").read_text()
    assert ".ci/gate configs/gates" in (ROOT / "Makefile").read_text()
    ours = [load_gate(path) for path in sorted((ROOT / "configs" / "gates").glob("*.yaml"))]
    assert [gate.name for gate in ours] == ["flat-mc", "ismcts", "rule", "semi-random"]
    for gate in ours:
        assert gate.stored is None or gate.stored.is_file()


def test_editors_find_the_schema_of_our_gates() -> None:
    stored = json.loads((ROOT / "configs" / "gate.schema.json").read_text(encoding="utf-8"))
    assert stored == SCHEMAS["gate"](), "arena schema gate > configs/gate.schema.json"
    for path in sorted((ROOT / "configs" / "gates").glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        assert text.startswith("# yaml-language-server: $schema=../gate.schema.json\n")
        jsonschema.validate(yaml.safe_load(text), stored)

"""The version, the hooks and the workflow of the repository."""

from __future__ import annotations

import tomllib
from importlib.metadata import version

import yaml
from helpers.paths import ROOT

import arena


def test_the_version_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"] and project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "arena/__init__.py"
    assert version("arena-tricks") == arena.__version__


def test_hooks_work_in_any_environment() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    entries = [hook["entry"] for repo in hooks["repos"] for hook in repo["hooks"]]
    assert len(entries) == 4
    assert not any("/" in entry or "\\" in entry for entry in entries)


def test_the_workflow_uses_our_script_and_our_action() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert [step["run"] for step in steps if step.get("run") == ".ci/run"]
    (ours,) = [step for step in steps if step.get("uses") == "./"]
    required = {name for name, given in action["inputs"].items() if given.get("required")}
    assert required <= set(ours["with"]) <= set(action["inputs"])
    assert (ROOT / ours["with"]["config"]).is_dir()

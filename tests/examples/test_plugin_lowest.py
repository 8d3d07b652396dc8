"""The worked plug-in under examples/, installed as strangers install theirs, and run."""

from __future__ import annotations

import json

import pytest
from helpers.commands import arena_main
from helpers.plugins import install, installed


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    return install("arena-plugin-lowest", tmp_path_factory.mktemp("plugin"))


@pytest.fixture
def arena(plugin, monkeypatch):
    """Runs a command where the plug-in is installed; its output."""
    monkeypatch.chdir(plugin.source)

    def run(*words):
        done = arena_main(words)
        assert done.code == 0, done.out + done.err
        return done.out

    with installed(plugin.site):
        yield run


def test_it_is_listed_with_its_parameter(arena):
    agents = {agent["name"]: agent for agent in json.loads(arena("list", "agents", "--json"))}
    assert agents["lowest"]["summary"].startswith("Plays the legal card of the lowest rank")
    (parameter,) = agents["lowest"]["parameters"]
    assert parameter == {
        "name": "lead_high",
        "type": "bool",
        "required": False,
        "default": False,
        "help": "whether to lead the highest card instead",
        "kinds": None,
    }


def test_it_is_in_the_schema_for_editors(arena):
    assert '"const": "lowest"' in arena("schema")


def test_its_experiment_is_valid(arena):
    out = arena("validate", "experiment.yaml")
    assert "lowest-lead_high=false (lowest), lowest-lead_high=true (lowest), random" in out


def test_its_experiment_runs(arena, tmp_path):
    out = tmp_path / "run"
    arena("run", "experiment.yaml", "--jobs", "1", "--out", str(out))
    rows = arena("export", str(out), "--format", "jsonl").splitlines()
    assert len(rows) == 2 * 20 * 2, "pairings, deals, seatings"


def test_its_own_tests_pass(plugin):
    assert "2 passed" in plugin.run("pytest", "tests", "-p", "no:cacheprovider")

"""Suites as a condition of gates, and as tests of pytest."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.audit.suite_runs import answer
from arena.audit.suites import Suite, write_suite
from arena.core.agent import Player
from arena.core.cards import card_name
from arena.core.errors import ArenaError
from arena.gate.baseline import Baseline
from arena.gate.config import Gate, gate_of
from arena.gate.suite import suite_condition, suite_lost


def gate(folder: Path, candidate: str, **changes: Any) -> Gate:
    data = {
        "name": "suite",
        "game": "klaverjas",
        "deals": {"set": "klaverjas-given-1000", "limit": 40},
        "candidate": {"family": candidate},
        "baseline": {"agent": {"family": "rule"}},
        "test": {"kind": "no-regression", "worse_by": 5},
        "also": {"suite": {"file": "mistakes.suite.jsonl", "worse_by": 1.0}},
        **changes,
    }
    return gate_of(data, "gate", folder)


def test_a_candidate_that_plays_positions_worse_fails(suite: Suite, tmp_path: Path) -> None:
    write_suite(suite, tmp_path / "mistakes.suite.jsonl")
    (same,) = suite_condition(gate(tmp_path, "rule"), None)
    assert same.outcome == "pass"
    assert "+0.0, 1 allowed" in same.words
    worse = gate(tmp_path, "random")
    more = suite_lost(worse, "candidate") - suite_lost(worse, "baseline")
    (found,) = suite_condition(worse, None)
    assert found.outcome == ("regression" if more > 1 else "pass")
    allowed = {"suite": {"file": "mistakes.suite.jsonl", "worse_by": max(0.0, more - 0.1)}}
    (strict,) = suite_condition(gate(tmp_path, "random", also=allowed), None)
    assert strict.outcome == ("regression" if more > 0 else "pass")
    assert list(suite_condition(gate(tmp_path, "rule", also={}), None)) == []


def test_a_stored_baseline_says_what_was_lost(suite: Suite, tmp_path: Path) -> None:
    write_suite(suite, tmp_path / "mistakes.suite.jsonl")
    asked = gate(tmp_path, "rule")
    now = suite_lost(asked, "candidate")
    stored = Baseline.model_construct(suite_lost=now - 1.5)
    (found,) = suite_condition(asked, stored)
    assert (found.outcome, "+1.5, 1 allowed" in found.words) == ("regression", True)
    (found,) = suite_condition(asked, stored.model_copy(update={"suite_lost": now - 0.5}))
    assert found.outcome == "pass"
    with pytest.raises(ArenaError, match="has no suite; make it again with --update"):
        list(suite_condition(asked, stored.model_copy(update={"suite_lost": None})))


def test_a_suite_of_another_game_is_refused(tmp_path: Path) -> None:
    other = {"suite": {"file": "schieber", "worse_by": 1.0}}
    with pytest.raises(ArenaError, match="a suite of schieber, not of klaverjas"):
        list(suite_condition(gate(tmp_path, "rule", also=other), None))


def test_pytest_collects_suites_that_name_an_agent(suite: Suite, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    player = Player(arena.agent("rule"))
    right, wrong = suite.positions[:2]
    played = [answer(suite.rules, each, "rule", player).card for each in (right, wrong)]
    other = next(card for card in wrong.labels if card != played[1])
    mine = replace(
        suite,
        agent={"family": "rule"},
        positions=(replace(right, should=(played[0],)), replace(wrong, should=(other,))),
    )
    write_suite(mine, tmp_path / "mine.suite.jsonl")
    write_suite(suite, tmp_path / "data.suite.jsonl")
    (tmp_path / "broken.suite.jsonl").write_text('{"suite": "x"}\n')
    command = [sys.executable, "-m", "pytest", "-q", "--continue-on-collection-errors", "-rA"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "1 failed, 1 passed, 1 error" in done.stdout
    assert (
        f"{wrong.id}: played {card_name(played[1])}, should play {card_name(other)}" in done.stdout
    )
    assert "broken.suite.jsonl:1: 'game' is missing" in done.stdout
    assert "Traceback" not in done.stdout

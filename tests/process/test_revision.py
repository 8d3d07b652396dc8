"""Agents as they were at another revision."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from helpers.experiments import Lowest, make_deals
from helpers.paths import ROOT

from arena.config.entrants import AgentSpec, ProcessBuilder, builder_of
from arena.config.loader import load
from arena.core.agent import Player
from arena.core.errors import ArenaError
from arena.core.registry import AGENTS
from arena.games.klaverjas import Klaverjas
from arena.process.revision import GitSource, Revision
from arena.tournament.referee import Lineup, Referee

pytestmark = pytest.mark.skipif(
    not (ROOT / ".git").exists() or not shutil.which("git"), reason="this is no git checkout"
)


def test_a_revision_plays_as_a_process():
    rules = Klaverjas()
    (deal,) = make_deals(rules, 1)

    def played(player: Player) -> bytes:
        lineup = Lineup.of([player, Player(Lowest()), Player(Lowest()), Player(Lowest())])
        result = Referee(rules).play(deal, lineup)
        assert result.fault is None, result.fault
        return result.actions

    there = builder_of(AgentSpec("rule", source=GitSource("HEAD"))).build()
    try:
        assert played(there) == played(AgentSpec("rule").build())
    finally:
        there.cards.close()  # type: ignore[attr-defined]


def test_a_revision_that_does_not_exist_is_reported():
    with pytest.raises(ArenaError, match="has no revision 'no-such-branch'"):
        Revision.find(GitSource("no-such-branch"), ROOT)


def test_families_are_those_of_the_revision(monkeypatch):
    """What is registered today says nothing about what was known then."""
    monkeypatch.setitem(AGENTS._added, "of-today", Lowest)
    with pytest.raises(ArenaError, match=r"revision HEAD \(.*\): unknown agent family 'of-today'"):
        builder_of(AgentSpec("of-today", source=GitSource("HEAD")))
    with pytest.raises(ArenaError, match=r"revision HEAD .*colour"):
        builder_of(AgentSpec("rule", {"colour": 3}, source=GitSource("HEAD")))
    there = builder_of(AgentSpec("semi-random", source=GitSource("HEAD")))
    assert isinstance(there, ProcessBuilder)
    assert there.facts == {"sees_all_cards": False, "reproducible": True}


def test_a_revision_from_before_the_protocol_is_reported():
    words = ["git", "-C", str(ROOT), "rev-list", "--max-parents=0", "HEAD"]
    first = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()[0]
    if Revision.find(GitSource("HEAD"), ROOT).commit == first:
        pytest.skip("the checkout has one commit only")
    with pytest.raises(ArenaError, match="has no 'arena serve-agent': it is too old"):
        builder_of(AgentSpec("rule", source=GitSource(first)))


def test_an_experiment_says_it(tmp_path):
    config = tmp_path / "e.yaml"
    config.write_text(
        "name: e\ngame: klaverjas\ndeals: {set: klaverjas-given-1000, limit: 2}\n"
        "agents:\n  a: {family: was-there-once, source: {git: v1}}\n  b: {family: random}\n"
    )
    experiment = load(config)
    assert experiment.entrant("a").members[0].source == GitSource("v1")
    assert experiment.resolved["agents"]["a"]["source"] == {"git": "v1"}
    config.write_text(config.read_text().replace("git: v1", "gti: v1"))
    with pytest.raises(ArenaError, match="did you mean 'git'"):
        load(config)

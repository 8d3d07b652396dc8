"""Sections: one from outside, one for forfeits, and tables for papers."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from helpers.experiments import entrant, make_experiment, play
from helpers.report_runs import Written, klaverjas
from helpers.report_text import visible

from arena.analysis.results import Results, read
from arena.cli.end_of_run import standings_text
from arena.report import write
from arena.report.context import Context
from arena.report.document import ReportDocument
from arena.report.section import ADDED, Section
from arena.report.tables import Column, TextTable
from arena.store import Run

Get = Callable[[str], Written]


@dataclass(frozen=True)
class LuckPart:
    """How many deals came out even."""

    even: int


class Luck(Section[LuckPart]):
    """A section of somebody else's."""

    name: ClassVar[str] = "luck"
    title: ClassVar[str] = "Luck"
    after: ClassVar[str] = "ladder"
    template: ClassVar[str] = "<p>{{ part.even|count }} of the {{ d.run.units }} came out even.</p>"

    def make(self, context: Context) -> LuckPart:
        """Counted over all pairs."""
        return LuckPart(sum(int((pair.margins == 0).sum()) for pair in context.results.pairs))

    def tables(self, part: LuckPart, document: ReportDocument) -> Iterable[TextTable]:
        """A table of one number."""
        yield TextTable("luck", "Luck.", (Column("even"),), ((str(part.even),),))


def test_a_section_from_outside(
    written: Get, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(written("klaverjas").folder, tmp_path / "run")  # the others' report: first
    monkeypatch.setitem(ADDED._added, "luck", Luck)
    write(tmp_path / "run", latex=True)
    report = Written(tmp_path / "run")
    keys = list(report.document)
    assert keys.index("luck") == keys.index("ladder") + 1
    assert f"{report.document['luck']['even']} of the deals came out even." in visible(report.html)
    assert '<a href="#luck">Luck</a>' in report.html
    assert "| even |" in report.markdown
    assert r":luck}" in (tmp_path / "run" / "report.tex").read_text(encoding="utf-8")


def test_a_bot_that_forfeits_every_deal_has_a_report_that_leads_with_it(tmp_path: Path) -> None:
    entrants = (entrant("any"), entrant("lowest", "lowest"), entrant("bad", "trouble", trick=0))
    play(make_experiment(6, entrants, on_fault="forfeit"), tmp_path)
    write(tmp_path)
    report = Written(tmp_path)
    headline = report.document["verdict"]["headline"]
    assert headline.startswith("bad forfeited every deal it played (12)")
    without = {agent["name"]: agent for agent in report.document["forfeits"]["agents"]}
    assert without["bad"]["rating_without"] is None
    assert without["any"]["rating_without"] is not None
    assert "forfeited every deal" in visible(report.html)


def test_strength_is_shown_with_and_without_forfeits(written: Get) -> None:
    shown = written("forfeits").document["forfeits"]["agents"]
    trouble = next(agent for agent in shown if agent["name"] == "trouble")
    assert 0 < trouble["forfeits"] < trouble["units"]
    assert trouble["rating_without"]["value"] > trouble["rating"]["value"]
    assert "forfeits" not in written("klaverjas").document


def test_terminal_and_page_have_the_same_order_and_numbers(written: Get) -> None:
    from arena.cli.end_of_run import standings_text
    from arena.store import Run

    report = written("klaverjas")
    with Run(report.folder) as run:
        lines = standings_text(Context(run)).splitlines()
    verdict = report.document["verdict"]
    assert lines[0] == verdict["headline"]  # the answer first, then the tables behind it
    start = next(i for i, line in enumerate(lines) if line.startswith("rank")) + 1
    for line, agent in zip(lines[start:], report.document["ladder"]["agents"], strict=False):
        assert agent["name"] in line
        assert f"{abs(agent['rating']['value']):.1f}" in line
    shown = [line.split()[:2] for line in lines[start:]]
    for known in report.document["strength"]["comparisons"]:
        assert [known["first"], known["second"]] in shown
    assert not any("–" in line and " won" in line for line in lines)  # no direct meetings


def test_hearts_says_that_fewer_points_are_better(written: Get) -> None:
    assert written("hearts").html.count("ewer points are better") >= 3
    assert "ewer points are better" in written("hearts").markdown
    assert "ewer points" not in written("klaverjas").html


def test_what_does_not_matter_comes_from_the_experiment(tmp_path: Path) -> None:
    report = Written(klaverjas(tmp_path / "run", indifferent=5.0))
    write(report.folder)
    assert report.document["run"]["indifferent"] == 5.0
    assert "within 5 points per deal of the best" in report.html


def test_terminal_page_and_json_agree_about_a_circle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rock, paper, scissors: `any` beats `lowest`, `lowest` beats `open`, `open` beats `any`."""

    def in_a_circle(runs: Sequence[Run]) -> Results:
        rng, found = np.random.default_rng(3), read(runs)
        pairs = []
        for pair in found.pairs:
            lead = -25.0 if (pair.first, pair.second) == ("any", "open") else 25.0
            games = lead + rng.normal(0, 5, pair.games.shape)
            pairs.append(replace(pair, games=games, margins=games.mean(axis=1)))
        return replace(found, pairs=tuple(pairs))

    monkeypatch.setattr("arena.report.context.read", in_a_circle)
    run = klaverjas(tmp_path / "circle")
    write(run)
    found = json.loads((run / "report.json").read_text())
    headline = found["verdict"]["headline"]
    assert headline.replace(" (sees all cards)", "") in {
        f"No agent is the strongest: {' beats '.join(circle)} in direct meetings."
        for circle in (
            ("any", "lowest", "open", "any"),
            ("lowest", "open", "any", "lowest"),
            ("open", "any", "lowest", "open"),
        )
    }
    assert found["strength"]["basis"] == "direct" and found["verdict"]["top"] == [
        agent["name"] for agent in found["ladder"]["agents"]
    ]
    ranks = {(a["rank_best"], a["rank_worst"]) for a in found["ladder"]["agents"]}
    assert ranks == {(1, 3)}
    page = re.sub(r"<[^>]+>", "", (run / "report.html").read_text())
    with Run(run) as opened:
        terminal = standings_text(Context(opened))
    for text in (page, terminal, (run / "report.md").read_text()):
        assert headline in text and " is the strongest:" not in text.replace(headline, "")
    for c in found["strength"]["comparisons"]:
        assert (c["first"], c["second"]) in {("any", "lowest"), ("lowest", "open"), ("open", "any")}

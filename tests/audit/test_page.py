"""What a report says of an audit, and run.audit() in Python."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.audits import FEW

import arena
from arena.audit.campaign import Audit, audit_run
from arena.audit.mistakes import worst_mistakes
from arena.audit.rounds import AuditSettings
from arena.audit.tables import make_tables
from arena.report import is_current, write
from arena.store import Run


def test_the_report_has_the_tables_the_mistakes_and_the_values(
    audit: Audit, audited_page: Path
) -> None:
    page = audited_page.read_text(encoding="utf-8")
    folder = audited_page.parent
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    tables, worst = make_tables(audit), worst_mistakes(audit)
    part = document["audit"]
    assert part["tables"]["decisions"] == tables.decisions
    assert [x["loss"] for x in part["worst"]] == [x.loss for x in worst]
    assert page.count(">show</a>") == len(worst)
    valued = [game["valued"] for swing in document["deals"]["swings"] for game in swing["games"]]
    assert all(valued)
    played = [[card["played"] for card in step["cards"]] for steps in valued for step in steps]
    assert all(sum(each) == 1 for each in played)
    with (folder / "tables" / "audit_losses.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(tables.losses)


def test_a_page_is_outdated_once_more_is_audited(
    klaverjas_run: Path, audit: Audit, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(klaverjas_run, folder)
    write(folder)
    with Run(folder) as run:
        audit_run(run, FEW)
        assert is_current(run)
        audit_run(run, replace(FEW, settings=AuditSettings(4), deals=1))
        assert not is_current(run)


def test_tables_add_up(audit: Audit) -> None:
    tables = make_tables(audit)
    for agent in tables.agents:
        for dimension in ("trick", "kind", "role", "choice"):
            groups = [tables.losses_of(agent.name, dimension, x) for x in tables.groups(dimension)]
            assert sum(x.decisions for x in groups if x is not None) == agent.decisions
    assert sum(agent.decisions for agent in tables.agents) == tables.decisions


def test_python_gives_frames(klaverjas_run: Path, audit: Audit) -> None:
    found = arena.load_run(klaverjas_run).audit(deals=3, worlds=8, jobs=1)
    assert set(found.agents["agent"]) == {"rule", "any"}
    assert (found.decisions["hindsight"] >= 0).all()
    assert len(found.decisions) == make_tables(audit).decisions
    assert "could be known" in repr(found)
    with pytest.raises(arena.ArenaError, match="no entrant"):
        arena.load_run(klaverjas_run).audit("nobody")

"""A small run, played and audited once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.audits import FEW
from helpers.experiments import entrant, make_experiment, play

from arena.audit.campaign import Audit, audit_run
from arena.audit.making import make_suite
from arena.audit.suites import Suite
from arena.report import write
from arena.store import Run


@pytest.fixture(scope="session")
def klaverjas_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three deals between two simple players."""
    folder = tmp_path_factory.mktemp("audit") / "klaverjas"
    play(make_experiment(3, (entrant("rule", "rule"), entrant("any", "random"))), folder)
    return folder


@pytest.fixture(scope="session")
def audit(klaverjas_run: Path) -> Audit:
    """The audit of all its rounds."""
    with Run(klaverjas_run) as results:
        return audit_run(results, FEW)


@pytest.fixture(scope="session")
def audited_page(
    klaverjas_run: Path, audit: Audit, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The report of the run with its audit."""
    return write(klaverjas_run, tmp_path_factory.mktemp("audit") / "report")


@pytest.fixture(scope="session")
def suite(audit: Audit) -> Suite:
    """The clearest mistakes of the second half of rounds."""
    late = [
        replace(
            each,
            audit=replace(
                each.audit, decisions=tuple(x for x in each.audit.decisions if x.trick >= 3)
            ),
        )
        for each in audit.rounds
    ]
    return make_suite(replace(audit, rounds=tuple(late)), "mistakes", 5)

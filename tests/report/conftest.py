"""One report of each kind, written once for all processes of a test run."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from filelock import FileLock
from helpers.report_runs import KINDS, Written

from arena.report import write


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Written]:
    """Gives the report of a kind, which tests may read and not change."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # that of all workers

    def get(kind: str) -> Written:
        run, done = folder / "reports" / kind, folder / "reports" / f"{kind}.done"
        run.parent.mkdir(exist_ok=True)
        with FileLock(folder / "reports" / f"{kind}.lock"):
            if not done.exists():
                write(KINDS[kind](run))
                done.touch()
        return Written(run)

    return get

"""One report of each kind, written once for all tests of a process."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from helpers.report_runs import KINDS, Written

from arena.report import write


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Written]:
    made: dict[str, Written] = {}

    def get(kind: str) -> Written:
        if kind not in made:
            folder = KINDS[kind](tmp_path_factory.mktemp("runs") / kind)
            write(folder)
            made[kind] = Written(folder)
        return made[kind]

    return get

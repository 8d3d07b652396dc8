"""One report of each kind, written once for all tests of a process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from report.runs import KINDS

from arena.report import write


@dataclass(frozen=True)
class Written:
    """A run folder with its report."""

    folder: Path

    @property
    def page(self) -> Path:
        return self.folder / "report.html"

    @property
    def html(self) -> str:
        return self.page.read_text(encoding="utf-8")

    @property
    def markdown(self) -> str:
        return (self.folder / "report.md").read_text(encoding="utf-8")

    @property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.folder / "report.json").read_text())
        return document


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

"""The game, the deals and the agents of a run."""

from __future__ import annotations

from typing import ClassVar

from arena.report.about import RunPart
from arena.report.context import ResultsContext
from arena.report.section import Section


class OverviewSection(Section[RunPart]):
    """The game, the deals and the agents; the head of the page shows them."""

    name: ClassVar[str] = "run"
    needs_run: ClassVar[bool] = False

    def make(self, context: ResultsContext) -> RunPart:
        return context.overview

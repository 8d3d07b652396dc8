"""Where results from elsewhere come from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from arena.report.context import FileContext, ResultsContext
from arena.report.section import Section


@dataclass(frozen=True)
class SourcePart:
    """The file, and how it was read."""

    file: str
    sha256: str
    rows: int
    columns: dict[str, Any]
    """The column of each role; null where there is none."""
    missing: dict[str, int]
    """Agents that lack units which others have, and how many."""


class SourceSection(Section[SourcePart]):
    """Only for results from elsewhere."""

    name: ClassVar[str] = "source"
    needs_run: ClassVar[bool] = False
    optional: ClassVar[bool] = True
    title: ClassVar[str] = "Where the results come from"
    short: ClassVar[str] = "Source"

    def make(self, context: ResultsContext) -> SourcePart | None:
        if not isinstance(context, FileContext):
            return None
        file = context.file
        return SourcePart(
            file.path.name, file.digest, file.rows, asdict(file.columns), dict(file.missing)
        )

"""Comparison of published values with this run's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from arena.analysis import ReferenceCheck, check_references
from arena.report.context import Context
from arena.report.section import Section
from arena.report.sections.pages import page_text
from arena.report.tables import Rows, flat


@dataclass(frozen=True)
class ReferencesPart:
    """Every published value that the configuration names."""

    values: tuple[ReferenceCheck, ...]


class ReferencesSection(Section[ReferencesPart]):
    """Only where the configuration names published values."""

    name: ClassVar[str] = "references"
    part: ClassVar[type[Any]] = ReferencesPart
    optional: ClassVar[bool] = True
    title: ClassVar[str] = "Comparison with published values"
    short: ClassVar[str] = "Published"
    template: ClassVar[str] = page_text("sections", "references.html.j2")

    def make(self, context: Context) -> ReferencesPart | None:
        """This run's values in the published unit."""
        named = context.run.manifest.references
        if not named:
            return None
        return ReferencesPart(tuple(check_references(context.results, named)))

    def csv(self, part: ReferencesPart) -> Mapping[str, Rows]:
        """All values."""
        return {"references": [flat(asdict(value)) for value in part.values]}

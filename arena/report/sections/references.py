"""Comparison of published values with this run's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

from arena.analysis.references import ReferenceCheck, check_references
from arena.report import sentences
from arena.report.context import ResultsContext
from arena.report.explanations import Explanations
from arena.report.section import Section
from arena.report.tables import Column, Rows, TextTable, flat
from arena.report.words import DASH, interval, percent, plain, signed

if TYPE_CHECKING:
    from arena.report.document import ReportDocument


@dataclass(frozen=True)
class ReferencesPart:
    """Every published value that the configuration names."""

    summary: str
    """How many of them are within two standard errors."""
    values: tuple[ReferenceCheck, ...]


class ReferencesSection(Section[ReferencesPart]):
    """Only where the configuration names published values."""

    name: ClassVar[str] = "references"
    needs_run: ClassVar[bool] = False
    optional: ClassVar[bool] = True
    title: ClassVar[str] = "Comparison with published values"
    short: ClassVar[str] = "Published"

    def make(self, context: ResultsContext) -> ReferencesPart | None:
        """This run's values in the published unit."""
        named = context.references
        if not named:
            return None
        checks = tuple(check_references(context.results, named))
        return ReferencesPart(sentences.published(checks), checks)

    def csv(self, part: ReferencesPart) -> Mapping[str, Rows]:
        return {"references": [flat(asdict(value)) for value in part.values]}

    def tables(self, part: ReferencesPart, document: ReportDocument) -> Iterable[TextTable]:
        """Published values and ours side by side."""
        caption = f"{part.summary} {Explanations.of(document).references_caption()}"
        columns = (
            Column("about", words=True, key=True),
            Column("published", words=True),
            Column("unit", words=True),
            Column("value"),
            Column("ours"),
            Column("95% interval"),
            Column("z"),
        )
        yield TextTable("published", caption, columns, tuple(map(_cells, part.values)))


def _cells(check: ReferenceCheck) -> tuple[str, ...]:
    show = percent if check.is_share else plain
    error = "" if check.se is None else f" ± {show(check.se, 1)}"
    ours = check.ours
    return (
        check.about,
        check.label,
        check.unit,
        show(check.value, 1) + error,
        DASH if ours is None else show(ours.value, 1),
        DASH if ours is None else interval(ours.low, ours.high, show=show),
        signed(check.z),
    )

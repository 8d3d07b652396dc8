"""Agents that differ in parameters only, along the parameter that varies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

from arena.analysis.sweeps import Sweep
from arena.report import sentences
from arena.report.about import RunPart
from arena.report.context import ResultsContext
from arena.report.explanations import Explanations
from arena.report.section import Drawing, Section
from arena.report.sections.verdict import facts_of
from arena.report.tables import Rows, flat

if TYPE_CHECKING:
    from arena.report.document import ReportDocument


@dataclass(frozen=True)
class SweepsPart:
    """All sweeps of a run, and what they say."""

    sweeps: tuple[Sweep, ...]
    answers: tuple[str, ...]
    """A sentence for each."""


class SweepsSection(Section[SweepsPart]):
    """Only in runs with at least three settings of one family."""

    name: ClassVar[str] = "sweeps"
    needs_run: ClassVar[bool] = False
    optional: ClassVar[bool] = True
    title: ClassVar[str] = "Along a parameter"
    short: ClassVar[str] = "Sweeps"

    def make(self, context: ResultsContext) -> SweepsPart | None:
        """The sweeps that the entrants form."""
        if not context.sweeps:
            return None
        facts = facts_of(context)
        answers = tuple(sentences.sweep_sentences(sweep, facts) for sweep in context.sweeps)
        return SweepsPart(tuple(context.sweeps), answers)

    def csv(self, part: SweepsPart) -> Mapping[str, Rows]:
        return {
            "sweeps": [
                {"family": sweep.family, "parameter": sweep.parameter, **flat(asdict(point))}
                for sweep in part.sweeps
                for point in sweep.points
            ]
        }

    def figures(self, part: SweepsPart, document: ReportDocument) -> Iterable[Drawing]:
        from arena.report.figures.sweeps import draw_sweeps

        yield Drawing(
            "sweeps",
            Explanations.of(document).sweeps_figure(),
            lambda: draw_sweeps(part.sweeps, document[RunPart].unit),
        )

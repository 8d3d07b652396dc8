"""The tables at the end of a run: those of the report, as text.

Order, numbers and names are the report's, because both show the same parts of one document.
"""

from __future__ import annotations

from arena.report.context import Context
from arena.report.sections.ladder import LadderSection, ladder_table, times_table
from arena.report.sections.overview import OverviewSection
from arena.report.sections.pairs import PairsSection, pairs_table
from arena.report.sections.verdict import VerdictSection
from arena.report.sequential import as_words, stopped_report
from arena.report.tables import as_text
from arena.store import Run


def standings_text(run: Run) -> str:
    """The verdict, then standings, pairs and times of a run; of one that stops, its tests."""
    if run.manifest.stop is not None:
        return as_words(stopped_report(run))
    context = Context(run)
    played, ladder = OverviewSection().make(context), LadderSection().make(context)
    tables = (
        ladder_table(ladder, played),
        pairs_table(PairsSection().make(context), played),
        times_table(ladder),
    )
    verdict = VerdictSection().make(context)
    said = "\n".join(verdict.text)
    return "\n\n".join((*map(as_text, tables), said)) + "\n"

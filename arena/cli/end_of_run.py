"""The tables at the end of a run: those of the report, as text.

Order, numbers and names are the report's: both show the same parts of one document.
"""

from __future__ import annotations

from arena.report.context import Context
from arena.report.sections.ladder import LadderSection, ladder_table, times_table
from arena.report.sections.overview import OverviewSection
from arena.report.sections.pairs import PairsSection, pairs_table
from arena.report.sections.verdict import VerdictSection
from arena.report.sequential import as_words, stopped_report
from arena.report.tables import as_text


def standings_text(context: Context) -> str:
    """Standings, pairs, times and the verdict of a run; of one that stops, its tests."""
    if context.run.manifest.stop is not None:
        return as_words(stopped_report(context.run))
    played, ladder = context.part(OverviewSection()), context.part(LadderSection())
    pairs, verdict = context.part(PairsSection()), context.part(VerdictSection())
    assert played and ladder and pairs and verdict  # every run has these
    tables = (ladder_table(ladder, played), pairs_table(pairs, played), times_table(ladder))
    return "\n\n".join((*map(as_text, tables), "\n".join(verdict.text))) + "\n"

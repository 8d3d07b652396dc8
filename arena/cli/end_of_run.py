"""The tables at the end of a run: those of the report, as text.

Order, numbers and names are the report's: both show the same parts of one document.
"""

from __future__ import annotations

from arena.report.context import Context
from arena.report.race import race_report, race_text
from arena.report.sections.ladder import LadderSection, ladder_table, times_table
from arena.report.sections.overview import OverviewSection
from arena.report.sections.strength import StrengthSection, strength_table
from arena.report.sections.verdict import VerdictSection
from arena.report.sequential import as_words, stopped_report
from arena.report.tables import as_text

MOST_COMPARISONS = 45
"""More rows (of more than ten agents) are left to the report."""


def standings_text(context: Context) -> str:
    """The verdict, standings, comparisons and times of a run; of one that stops, its tests."""
    if context.run.manifest.race is not None:
        return race_text(race_report(context.run))
    if context.run.manifest.stop is not None:
        return as_words(stopped_report(context.run))
    played, ladder = context.part(OverviewSection()), context.part(LadderSection())
    strength, verdict = context.part(StrengthSection()), context.part(VerdictSection())
    assert played and ladder and strength and verdict  # every run has these
    tables = [ladder_table(ladder, played), strength_table(strength, played), times_table(ladder)]
    if len(strength.comparisons) > MOST_COMPARISONS:
        del tables[1]
    return "\n\n".join(("\n".join(verdict.text), *map(as_text, tables))) + "\n"

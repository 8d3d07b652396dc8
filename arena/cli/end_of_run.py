"""The end of a complete run: the tables of the report as text, changes and faults.

Order, numbers and names are the report's: both show the same parts of one document.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from arena.core.files import read_text, write_atomically
from arena.report import HTML, is_current, write_report
from arena.store import Run
from arena.store.folder import TABLES
from arena.tournament.fault_lines import fault_summary

if TYPE_CHECKING:
    from arena.report.context import Context  # scipy takes long to import

MOST_COMPARISONS = 45
"""More rows (of more than ten agents) are left to the report."""


def show_end(path: Path, *, new: bool, report: bool, quiet: bool) -> None:
    """Print the tables of a complete run and write its report, both from one reading of it.

    Tables that are kept are not made again unless there are `new` results, nor is a report of
    what is stored.
    """
    kept = path / TABLES
    with Run(path) as results:
        tables = read_text(kept) if not new and kept.is_file() else None
        outdated = report and not is_current(results)
        if tables is None or outdated:
            from arena.report.context import Context  # here: scipy takes long to import

            context = Context(results)
        if tables is None:
            tables = standings_text(context)
            write_atomically(kept, tables)
        if not quiet:
            print(tables)
            for line in (*_changes(results), *fault_summary(results)):
                print(line)
            print(f"{results.manifest.cpu_s:,.1f} CPU seconds; results in {path}")
        if outdated:
            write_report(context, path)
    if report and not quiet:
        print(f"report in {path / HTML}")


def _changes(results: Run) -> Iterator[str]:
    """The changes by new versions of agents, a line each."""
    if not results.manifest.former:
        return
    from arena.analysis.versions import version_changes  # here: scipy takes long to import
    from arena.core.rules import plural
    from arena.report.words import count, interval, signed

    for found in version_changes(results):
        now, before = found.means
        difference = found.statistics.difference
        yield (
            f"{found.first} changed (before: {found.second}): {signed(before)} → {signed(now)} "
            f"points per {found.unit} against {', '.join(found.through)} (change "
            f"{signed(difference.mean)}, 95% interval "
            f"{interval(difference.low, difference.high)}, {count(difference.n)} "
            f"{plural(found.unit)})"
        )


def standings_text(context: Context) -> str:
    """The verdict, standings, comparisons and times of a run; of one that stops, its tests."""
    # Here: they import scipy, which takes long.
    from arena.report.race import race_report, race_text
    from arena.report.sections.ladder import LadderSection, ladder_table, times_table
    from arena.report.sections.overview import OverviewSection
    from arena.report.sections.strength import StrengthSection, strength_table
    from arena.report.sections.verdict import VerdictSection
    from arena.report.sequential import as_words, stopped_report
    from arena.report.tables import as_text

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

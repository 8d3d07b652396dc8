"""The sections of the report, in the order of the page."""

from __future__ import annotations

from typing import Any

from arena.report.section import Section
from arena.report.sections.deals import Deals
from arena.report.sections.faults import Faults
from arena.report.sections.forfeits import Forfeits
from arena.report.sections.ladder import Ladder
from arena.report.sections.margins import Margins
from arena.report.sections.method import Method
from arena.report.sections.overview import Overview
from arena.report.sections.pairs import Pairs
from arena.report.sections.points import Points
from arena.report.sections.provenance import Provenance
from arena.report.sections.references import References
from arena.report.sections.strength import Strength
from arena.report.sections.sweeps import Sweeps
from arena.report.sections.verdict import Verdict

__all__ = ["SECTIONS"]

SECTIONS: tuple[type[Section[Any]], ...] = (
    Overview,
    Verdict,
    Forfeits,
    Sweeps,
    Ladder,
    Strength,
    Pairs,
    Margins,
    References,
    Points,
    Deals,
    Method,
    Faults,
    Provenance,
)

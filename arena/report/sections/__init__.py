"""The sections of the report, in the order of the page."""

from __future__ import annotations

from typing import Any

from arena.report.section import Section
from arena.report.sections.audit import AuditSection
from arena.report.sections.deals import SwingsSection
from arena.report.sections.exploitability import ExploitabilitySection
from arena.report.sections.faults import FaultsSection
from arena.report.sections.forfeits import ForfeitsSection
from arena.report.sections.ladder import LadderSection
from arena.report.sections.margins import MarginsSection
from arena.report.sections.method import MethodSection
from arena.report.sections.models import ModelsSection
from arena.report.sections.overview import OverviewSection
from arena.report.sections.pairs import PairsSection
from arena.report.sections.people import PeopleSection
from arena.report.sections.points import PointsSection
from arena.report.sections.provenance import ProvenanceSection
from arena.report.sections.references import ReferencesSection
from arena.report.sections.seeds import SeedsSection
from arena.report.sections.source import SourceSection
from arena.report.sections.strength import StrengthSection
from arena.report.sections.sweeps import SweepsSection
from arena.report.sections.twins import TwinsSection
from arena.report.sections.verdict import VerdictSection

__all__ = ["SECTIONS"]

SECTIONS: tuple[type[Section[Any]], ...] = (
    OverviewSection,
    VerdictSection,
    ForfeitsSection,
    SweepsSection,
    LadderSection,
    ModelsSection,
    StrengthSection,
    PeopleSection,
    PairsSection,
    ExploitabilitySection,
    TwinsSection,
    MarginsSection,
    SeedsSection,
    ReferencesSection,
    PointsSection,
    AuditSection,
    SwingsSection,
    MethodSection,
    FaultsSection,
    ProvenanceSection,
    SourceSection,
)

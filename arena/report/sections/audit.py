"""Where the points were lost, if the run was audited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

from arena.audit.mistakes import AuditedMistake, worst_mistakes
from arena.audit.rounds import GRADES
from arena.audit.tables import AuditTables, make_tables
from arena.report.context import Context
from arena.report.explanations import Explanations
from arena.report.section import Drawing, Section
from arena.report.sections.ladder import LadderPart
from arena.report.tables import Rows, flat

if TYPE_CHECKING:
    from arena.report.document import ReportDocument


@dataclass(frozen=True)
class GradeRow:
    """A grade of mistakes, and the points from which on it is given."""

    name: str
    mark: str
    points: float


@dataclass(frozen=True)
class AuditPart:
    """The tables of the audit, and the worst mistakes."""

    tables: AuditTables
    grades: tuple[GradeRow, ...]
    worst: tuple[AuditedMistake, ...]

    @property
    def too_good(self) -> list[str]:
        """Agents that agree with the open-card solution more often than they can know."""
        return [agent.name for agent in self.tables.agents if agent.honesty.too_good]


class AuditSection(Section[AuditPart]):
    """Points lost, decision by decision."""

    name: ClassVar[str] = "audit"
    optional: ClassVar[bool] = True
    title: ClassVar[str] = "Where the points were lost"
    short: ClassVar[str] = "Audit"

    def make(self, context: Context) -> AuditPart | None:
        """From the stored audit; nothing is computed here."""
        audit = context.audit
        if audit is None:
            return None
        rules = context.run.rules
        stake = rules.stake or max(map(abs, rules.margin_bounds))
        grades = tuple(GradeRow(x.name, x.mark, x.share * stake) for x in GRADES)
        return AuditPart(make_tables(audit), grades, worst_mistakes(audit))

    def csv(self, part: AuditPart) -> Mapping[str, Rows]:
        """Agents, their losses by group, and the worst mistakes."""
        return {
            "audit": [flat(asdict(agent)) for agent in part.tables.agents],
            "audit_losses": [flat(asdict(losses)) for losses in part.tables.losses],
            "mistakes": [
                {**asdict(x), "line": " ".join(x.line), "better_line": " ".join(x.better_line)}
                for x in part.worst
            ],
        }

    def figures(self, part: AuditPart, document: ReportDocument) -> Iterable[Drawing]:
        """Points lost by trick and by kind of card."""
        from arena.report.figures.audit import draw_losses

        say = Explanations.of(document)
        labels = {agent.name: agent.label for agent in document[LadderPart].agents}
        tables = part.tables
        yield Drawing(
            "losses-by-trick",
            say.losses_figure("trick"),
            lambda: draw_losses(tables, "trick", labels),
        )
        yield Drawing(
            "losses-by-card",
            say.losses_figure("kind of card"),
            lambda: draw_losses(tables, "kind", labels),
        )

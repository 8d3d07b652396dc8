"""Direct meetings: what every pair did against each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

from arena.analysis.standings import PairStanding
from arena.report.about import RunPart
from arena.report.context import ResultsContext
from arena.report.explanations import Explanations
from arena.report.section import Drawing, Section
from arena.report.sections.ladder import LadderPart
from arena.report.standings import meetings_table
from arena.report.tables import Rows, TextTable, flat

if TYPE_CHECKING:
    from arena.report.document import ReportDocument


@dataclass(frozen=True)
class PairsPart:
    """All pairs that met."""

    pairs: tuple[PairStanding, ...]
    complete: bool
    """Whether every pair of agents met."""


class PairsSection(Section[PairsPart]):
    """Direct meetings, under their own name."""

    name: ClassVar[str] = "pairs"
    needs_run: ClassVar[bool] = False
    title: ClassVar[str] = "Direct meetings"
    short: ClassVar[str] = "Meetings"

    def make(self, context: ResultsContext) -> PairsPart:
        field = context.standings
        agents = len(field.agents)
        return PairsPart(
            pairs=field.pairs,
            complete=len(field.pairs) == agents * (agents - 1) // 2,
        )

    def csv(self, part: PairsPart) -> Mapping[str, Rows]:
        return {"pairs": [flat(asdict(pair)) for pair in part.pairs]}

    def tables(self, part: PairsPart, document: ReportDocument) -> Iterable[TextTable]:
        """Every pair as terminal and papers show it."""
        run, caption = document[RunPart], Explanations.of(document).pairs_caption()
        yield meetings_table(part.pairs, run.unit, run.singles, caption)

    def figures(self, part: PairsPart, document: ReportDocument) -> Iterable[Drawing]:
        """The margins of all pairs: as a map if all pairs met, and as a list."""
        from arena.report.figures.pairs import draw_cross_table, draw_forest

        say, unit = Explanations.of(document), document[RunPart].unit
        agents = document[LadderPart].agents
        labels = {agent.name: agent.label for agent in agents}
        if part.complete and len(agents) > 2:
            yield Drawing(
                "cross-table",
                say.cross_table_figure(),
                lambda: draw_cross_table(part.pairs, agents, unit),
                on_page=False,
            )
        yield Drawing("forest", say.forest_figure(), lambda: draw_forest(part.pairs, labels, unit))

"""How margins are spread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from arena.analysis.distributions import Distribution, margin_distributions
from arena.report.about import RunPart
from arena.report.context import ResultsContext
from arena.report.explanations import Explanations
from arena.report.labels import best_few
from arena.report.section import Drawing, Section
from arena.report.sections.ladder import LadderPart
from arena.report.tables import Rows

if TYPE_CHECKING:
    from arena.report.document import ReportDocument


@dataclass(frozen=True)
class MarginsPart:
    """Margins counted in bins: by pair, or by agent if there are many pairs."""

    distributions: tuple[Distribution, ...]


class MarginsSection(Section[MarginsPart]):
    """How often which margin occurred."""

    name: ClassVar[str] = "margins"
    needs_run: ClassVar[bool] = False
    title: ClassVar[str] = "How margins are spread"
    short: ClassVar[str] = "Margins"

    def make(self, context: ResultsContext) -> MarginsPart:
        """Counts, in the order of the leaderboard."""
        order = {agent.name: agent.rank for agent in context.standings.agents}
        found = margin_distributions(context.results, list(order))
        found.sort(key=lambda part: (order[part.first], order.get(part.second or "", 0)))
        return MarginsPart(tuple(found))

    def csv(self, part: MarginsPart) -> Mapping[str, Rows]:
        """All bins that are not empty."""
        return {
            "margins": [
                {
                    "first": each.first,
                    "second": each.second or "",
                    "margin": centre,
                    "deals": deals,
                    "games": games,
                }
                for each in part.distributions
                for centre, deals, games in zip(each.centres, each.deals, each.games, strict=True)
            ]
        }

    def figures(self, part: MarginsPart, document: ReportDocument) -> Iterable[Drawing]:
        from arena.report.figures.margins import draw_margins

        labels = {agent.name: agent.label for agent in document[LadderPart].agents}
        say, shown = Explanations.of(document), part.distributions
        caption = say.margins_figure()
        if shown and shown[0].second is None:  # a row for each agent, not for each pair
            caption, shown = caption + say.few_of(len(shown)), tuple(best_few(shown))
        yield Drawing("margins", caption, lambda: draw_margins(shown, labels, document[RunPart]))

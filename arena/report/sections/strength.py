"""Every comparison of two agents by the joint inference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

from arena.report.about import RunPart
from arena.report.context import ResultsContext
from arena.report.explanations import Explanations
from arena.report.section import Drawing, Section
from arena.report.sections.ladder import LadderPart
from arena.report.tables import Column, Rows, TextTable
from arena.report.words import above, interval, plain, pvalue, signed
from arena.stats import Contrast

if TYPE_CHECKING:
    from arena.report.document import ReportDocument


@dataclass(frozen=True)
class StrengthPart:
    """All comparisons, and whether the ratings fit the results."""

    comparisons: tuple[Contrast, ...]
    basis: str
    """`joint`: from the ratings; `direct`: from direct meetings, because the ratings do not fit."""
    fit: str
    """Whether margins add up, in words."""
    fit_p: float | None
    contradictions: tuple[tuple[str, str], ...]
    """Pairs with direct results that contradict the ratings."""
    cycles: tuple[tuple[str, ...], ...]
    """Agents of which each is known to beat the next, and the last the first."""


class StrengthSection(Section[StrengthPart]):
    """Every comparison of the joint inference."""

    name: ClassVar[str] = "strength"
    needs_run: ClassVar[bool] = False
    title: ClassVar[str] = "Who is stronger"
    short: ClassVar[str] = "Strength"

    def make(self, context: ResultsContext) -> StrengthPart:
        """The contrasts that letters, ranks and the verdict stand on."""
        joint = context.standings.joint
        place = {name: i for i, name in enumerate(joint.order)}
        found = sorted(
            joint.contrasts,
            key=lambda c: sorted((place[c.first], place[c.second])),
        )
        return StrengthPart(
            comparisons=tuple(found),
            basis=joint.basis,
            fit=joint.fit.words,
            fit_p=joint.fit.p,
            contradictions=joint.fit.contradictions,
            cycles=joint.cycles,
        )

    def csv(self, part: StrengthPart) -> Mapping[str, Rows]:
        return {"strength": [asdict(comparison) for comparison in part.comparisons]}

    def tables(self, part: StrengthPart, document: ReportDocument) -> Iterable[TextTable]:
        """Differences with simultaneous intervals and adjusted p-values."""
        say = Explanations.of(document)
        caption = " ".join((say.comparisons(), say.comparisons_caption(), say.comparisons_note()))
        yield strength_table(part, document[RunPart], caption)

    def figures(self, part: StrengthPart, document: ReportDocument) -> Iterable[Drawing]:
        """Strength against time per decision; who beats whom where ratings do not fit."""
        from arena.report.figures.results_graph import draw_results_graph
        from arena.report.figures.strength import draw_strength_and_time

        run, agents = document[RunPart], document[LadderPart].agents
        say = Explanations.of(document)
        if part.basis == "direct":
            yield Drawing(
                "who-beats-whom",
                say.results_graph(),
                lambda: draw_results_graph(part.comparisons, part.cycles, agents),
            )
        yield Drawing(
            "strength-and-time",
            say.time_figure(),
            lambda: draw_strength_and_time(agents, run.unit, above(run.higher_wins)),
        )


def strength_table(part: StrengthPart, run: RunPart, caption: str = "") -> TextTable:
    """Every comparison: the same columns wherever it is shown."""
    columns = (
        Column("ahead", words=True, key=True),
        Column("behind", words=True, key=True),
        Column(f"points per {run.unit}"),
        Column("simultaneous 95% interval"),
        Column("p (adjusted)"),
        Column("detectable"),
    )
    cells = tuple(
        (
            c.first,
            c.second,
            signed(c.difference),
            interval(c.low, c.high),
            pvalue(c.p_adjusted).removeprefix("= ") + (" *" if c.different else ""),
            plain(c.detectable),
        )
        for c in part.comparisons
    )
    return TextTable("strength", caption, columns, cells)

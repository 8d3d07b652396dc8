"""Every comparison of two agents by the joint inference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from arena.report.context import Context
from arena.report.explanations import Explanations
from arena.report.section import Drawing, Section
from arena.report.sections.ladder import LadderPart
from arena.report.sections.overview import RunPart
from arena.report.sections.pages import page_text
from arena.report.tables import Column, Rows, TextTable
from arena.report.words import above, interval, plain, pvalue, signed
from arena.stats import Contrast

if TYPE_CHECKING:
    from arena.report.document import ReportDocument


@dataclass(frozen=True)
class RatingContrast:
    """Two agents by their ratings; the first is the one that is ahead."""

    first: str
    second: str
    difference: float | None
    """Points per deal."""
    low: float | None
    """Simultaneous limits: they exclude 0 exactly when `p_adjusted` is below the level."""
    high: float | None
    p_adjusted: float | None
    different: bool
    superiority: float | None
    """The highest simultaneous confidence at which the two differ."""
    plain_low: float | None
    """Limits of this comparison alone, as if it were the only one."""
    plain_high: float | None
    p: float | None
    se: float | None
    df: float | None
    met: int
    """Deals that they played against each other; 0: compared through their opponents."""
    detectable: float | None
    """The difference that would have been found with 80% probability, adjusted like the test."""
    note: str


@dataclass(frozen=True)
class StrengthPart:
    """All comparisons, and whether the ratings fit the results."""

    comparisons: tuple[RatingContrast, ...]
    basis: str
    """`joint`: from the ratings; `direct`: from direct meetings, because the ratings do not fit."""
    fit: str
    """Whether margins add up, in words."""
    fit_p: float | None
    contradictions: tuple[tuple[str, str], ...]
    """Pairs with direct results that contradict the ratings."""


class StrengthSection(Section[StrengthPart]):
    """Every comparison of the joint inference."""

    name: ClassVar[str] = "strength"
    part: ClassVar[type[Any]] = StrengthPart
    title: ClassVar[str] = "Who is stronger"
    short: ClassVar[str] = "Strength"
    template: ClassVar[str] = page_text("sections", "strength.html.j2")

    def make(self, context: Context) -> StrengthPart:
        """The contrasts that letters, ranks and the verdict stand on."""
        joint = context.standings.joint
        place = {name: i for i, name in enumerate(joint.order)}
        found = sorted(
            joint.contrasts,
            key=lambda c: (min(place[c.a], place[c.b]), max(place[c.a], place[c.b])),
        )
        return StrengthPart(
            comparisons=tuple(map(_comparison, found)),
            basis=joint.basis,
            fit=joint.fit.words,
            fit_p=joint.fit.p,
            contradictions=joint.fit.contradictions,
        )

    def csv(self, part: StrengthPart) -> Mapping[str, Rows]:
        """All comparisons."""
        return {"strength": [asdict(comparison) for comparison in part.comparisons]}

    def tables(self, part: StrengthPart, document: ReportDocument) -> Iterable[TextTable]:
        """Differences with simultaneous intervals and adjusted p-values."""
        run = document[RunPart]
        columns = (
            Column("stronger", words=True),
            Column("weaker", words=True),
            Column(f"points per {run.unit}"),
            Column("simultaneous 95% interval"),
            Column("p (adjusted)"),
            Column("would be found"),
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
        say = Explanations.of(document)
        caption = " ".join((say.comparisons(), say.comparisons_caption(), say.comparisons_note()))
        yield TextTable("strength", caption, columns, cells)

    def figures(self, part: StrengthPart, document: ReportDocument) -> Iterable[Drawing]:
        """Strength against time per decision."""
        from arena.report.figures.strength import draw_strength_and_time

        run, agents = document[RunPart], document[LadderPart].agents
        yield Drawing(
            "strength-and-time",
            Explanations.of(document).time_figure(),
            lambda: draw_strength_and_time(agents, run.unit, above(run.higher_wins)),
        )


def _comparison(found: Contrast) -> RatingContrast:
    return RatingContrast(
        first=found.a,
        second=found.b,
        difference=found.difference,
        low=found.low,
        high=found.high,
        p_adjusted=found.p_adjusted,
        different=found.different,
        superiority=found.superiority,
        plain_low=found.plain_low,
        plain_high=found.plain_high,
        p=found.p,
        se=found.se,
        df=found.df,
        met=found.deals,
        detectable=found.detectable,
        note=found.note,
    )

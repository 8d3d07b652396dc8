"""Direct meetings: what every pair did against each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from arena.analysis import Estimate
from arena.analysis.standings import PairStanding
from arena.report.context import Context
from arena.report.section import Drawing, Section
from arena.report.sections.ladder import LadderPart
from arena.report.sections.overview import RunPart
from arena.report.sections.pages import page_text
from arena.report.tables import Column, Rows, Table, flat
from arena.report.words import count, interval, method, percent, pvalue, signed
from arena.stats import DuplicateSaving

if TYPE_CHECKING:
    from arena.report.document import Document


@dataclass(frozen=True)
class Pair:
    """Two agents on the deals that they played against each other; the first is ahead."""

    first: str
    second: str
    n: int
    mean: float | None
    """Margin per deal."""
    low: float | None
    """Limits that belong to the adjusted p: they exclude 0 exactly where it is below the level."""
    high: float | None
    plain_low: float | None
    """Limits of the 95% interval of this pair alone."""
    plain_high: float | None
    sd: float | None
    se: float | None
    zeros: int
    """Deals with margin 0."""
    p: float | None
    """Paired t-test."""
    p_adjusted: float | None
    """Adjusted over all pairs that met."""
    significant: bool
    won: int
    drawn: int
    lost: int
    win_rate: Estimate
    saving: DuplicateSaving | None
    """What exchanging seats saved."""
    forfeits: tuple[int, int]
    note: str


@dataclass(frozen=True)
class PairsPart:
    """All pairs that met."""

    pairs: tuple[Pair, ...]
    adjustment: str
    """Of the p-values: `holm`, `bh` or `none`."""
    cycles: tuple[tuple[str, ...], ...]
    """Agents of which each beats the next beyond chance."""
    cycles_note: str
    complete: bool
    """Whether everybody met everybody."""


class Pairs(Section[PairsPart]):
    """Direct meetings, under their own name."""

    name: ClassVar[str] = "pairs"
    part: ClassVar[type[Any]] = PairsPart
    title: ClassVar[str] = "Direct meetings"
    short: ClassVar[str] = "Meetings"
    template: ClassVar[str] = page_text("sections", "pairs.html.j2")

    def make(self, context: Context) -> PairsPart:
        """From the standings."""
        field = context.standings
        agents = len(field.agents)
        return PairsPart(
            pairs=tuple(map(_pair, field.pairs)),
            adjustment=field.adjustment,
            cycles=tuple(tuple(cycle) for cycle in field.cycles.cycles),
            cycles_note=field.cycles.note,
            complete=len(field.pairs) == agents * (agents - 1) // 2,
        )

    def csv(self, part: PairsPart) -> Mapping[str, Rows]:
        """All numbers of all pairs."""
        return {"pairs": [flat(asdict(pair)) for pair in part.pairs]}

    def tables(self, part: PairsPart, document: Document) -> Iterable[Table]:
        """Every pair as terminal and papers show it."""
        yield pairs_table(part, document[RunPart])

    def figures(self, part: PairsPart, document: Document) -> Iterable[Drawing]:
        """The margins of all pairs, as a map if everybody met, and as a list."""
        from arena.report.figures.pairs import cross_table, forest

        run, agents = document[RunPart], document[LadderPart].agents
        if part.complete and len(agents) > 2:
            yield Drawing(
                "cross-table",
                f"Direct meetings: mean margin of the agent in the row against the one in the "
                f"column, in points per {run.unit}. * differs beyond chance "
                f"({method(part.adjustment)}).",
                cross_table(part.pairs, agents, run.unit),
            )
        labels = {agent.name: agent.label for agent in agents}
        figure = forest(part.pairs, labels, run.unit)
        if figure is not None:
            yield Drawing(
                "forest",
                f"Direct meetings: mean margin in points per {run.unit}, with limits adjusted over "
                f"all pairs ({method(part.adjustment)}). Filled: differs beyond chance.",
                figure,
            )


def pairs_table(part: PairsPart, run: RunPart) -> Table:
    """Every pair: the same columns wherever it is shown."""
    columns = (
        Column("pair", words=True),
        Column(run.units),
        Column(f"margin per {run.unit}"),
        Column(f"95% interval ({method(part.adjustment)})"),
        Column(f"p ({method(part.adjustment)})"),
        Column("won–drawn–lost"),
        Column("win rate"),
    )
    cells = tuple(
        (
            f"{pair.first} – {pair.second}",
            count(pair.n),
            signed(pair.mean),
            interval(pair.low, pair.high),
            pvalue(pair.p_adjusted).removeprefix("= ") + (" *" if pair.significant else ""),
            f"{count(pair.won)}–{count(pair.drawn)}–{count(pair.lost)}",
            percent(pair.win_rate.value),
        )
        for pair in part.pairs
    )
    caption = (
        "Direct meetings, the one named first ahead. Interval and p are adjusted together over all "
        "pairs that met. * differs beyond chance."
    )
    return Table("pairs", caption, columns, cells)


def _pair(pair: PairStanding) -> Pair:
    difference = pair.difference
    return Pair(
        first=pair.first,
        second=pair.second,
        n=difference.n,
        mean=difference.mean,
        low=pair.low,
        high=pair.high,
        plain_low=difference.low,
        plain_high=difference.high,
        sd=difference.sd,
        se=difference.se,
        zeros=difference.zeros,
        p=pair.p,
        p_adjusted=pair.p_adjusted,
        significant=pair.significant,
        won=pair.outcomes.wins,
        drawn=pair.outcomes.draws,
        lost=pair.outcomes.losses,
        win_rate=pair.win_rate,
        saving=pair.saving,
        forfeits=pair.forfeits,
        note=pair.note or difference.note,
    )

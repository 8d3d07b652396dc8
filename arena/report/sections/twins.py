"""The noise floor: what separates an agent from itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from arena.analysis.estimates import Estimate
from arena.report.context import Context
from arena.report.section import Section
from arena.report.tables import Column, Rows, TextTable, flat
from arena.report.words import count, interval, plain, signed
from arena.store.manifest import EntrantUsed

if TYPE_CHECKING:
    from arena.report.document import ReportDocument


@dataclass(frozen=True)
class TwinPair:
    """An agent that met itself under another name and with other random numbers."""

    first: str
    second: str
    margin: Estimate
    sd: float | None


@dataclass(frozen=True)
class TwinsPart:
    """All twins that met."""

    note: str
    """The meaning of the numbers."""
    pairs: tuple[TwinPair, ...]


class TwinsSection(Section[TwinsPart]):
    """Only in runs in which twins met."""

    name: ClassVar[str] = "twins"
    optional: ClassVar[bool] = True
    title: ClassVar[str] = "Noise floor"

    def make(self, context: Context) -> TwinsPart | None:
        """The direct meetings of twins."""
        used = context.run.manifest.entrants
        pairs = tuple(
            TwinPair(met.first, met.second, met.margin, met.sd)
            for met in context.standings.pairs
            if _is_same(used[met.first], used[met.second])
        )
        return TwinsPart(_note(context, pairs), pairs) if pairs else None

    def csv(self, part: TwinsPart) -> Mapping[str, Rows]:
        return {"twins": [flat(asdict(pair)) for pair in part.pairs]}

    def tables(self, part: TwinsPart, document: ReportDocument) -> Iterable[TextTable]:
        columns = (
            Column("the same agent twice", words=True, key=True),
            *map(Column, ("deals", "points", "95% interval", "sd")),
        )
        rows = (
            (
                f"{pair.first} – {pair.second}",
                count(pair.margin.n),
                signed(pair.margin.value),
                interval(pair.margin.low, pair.margin.high),
                plain(pair.sd),
            )
            for pair in part.pairs
        )
        yield TextTable("twins", part.note, columns, tuple(rows))


def _is_same(one: EntrantUsed, other: EntrantUsed) -> bool:
    """Whether two entrants are one agent but for the numbers that they draw."""
    first, second = (
        ([replace(member, twin=1) for member in used.members], used.code, used.models)
        for used in (one, other)
    )
    return first == second


def _note(context: Context, pairs: Sequence[TwinPair]) -> str:
    if all(pair.sd == 0 and pair.margin.value == 0 for pair in pairs):
        return (
            "The same agent under two names, with the same random numbers: both played alike. With "
            "'replicate: 2' an agent meets itself with other random numbers."
        )
    return (
        "The same agent under two names, with other random numbers or other answers of its "
        f"server: the true difference is 0, and what is seen here is noise of {context.units} "
        "and luck. An interval that excludes 0, which 5% do by chance, is a sign that the two "
        "differ after all: a model that was changed meanwhile, or time."
    )

"""Cards and seeds: how the variance of margins splits, where deals have several seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

from arena.report.context import Context
from arena.report.section import Section
from arena.report.tables import Column, Rows, TextTable, flat
from arena.report.words import count, interval, percent, plain
from arena.stats import StatsError
from arena.stats.seed_variance import SeedVariance, seed_variance

if TYPE_CHECKING:
    from arena.report.document import ReportDocument

MORE_DEALS = 0.5**0.5
"""The standard error with twice the deals, in that of now."""


@dataclass(frozen=True)
class PairSeeds:
    """The variance of one pair's margin."""

    first: str
    second: str
    variance: SeedVariance
    more_seeds: float | None
    """The standard error with twice the seeds on the same deals, in that of now."""


@dataclass(frozen=True)
class SeedsPart:
    """All pairs that met."""

    seeds_per_deal: int
    more_deals: float
    """The standard error with twice the deals, at the same cost as twice the seeds."""
    note: str
    """The meaning of the numbers."""
    pairs: tuple[PairSeeds, ...]


class SeedsSection(Section[SeedsPart]):
    """Only in runs with several seeds per deal."""

    name: ClassVar[str] = "seeds"
    optional: ClassVar[bool] = True
    title: ClassVar[str] = "Cards and seeds"
    short: ClassVar[str] = "Seeds"

    def make(self, context: Context) -> SeedsPart | None:
        """From the games of each pair: columns are seatings, once for each seed."""
        seeds = context.run.manifest.seeds_per_deal
        if seeds == 1:
            return None
        pairs = []
        for met in context.standings.pairs:  # the one ahead first
            pair = context.results.pair(met.first, met.second)
            played = pair.without_forfeits()
            try:
                found = seed_variance(played.games.reshape(len(played.units), seeds, -1).mean(2))
            except StatsError:  # no deal without a forfeit
                continue
            pairs.append(PairSeeds(pair.first, pair.second, found, found.error_ratio(2 * seeds)))
        return SeedsPart(seeds, MORE_DEALS, _note(seeds), tuple(pairs))

    def csv(self, part: SeedsPart) -> Mapping[str, Rows]:
        return {"seeds": [flat(asdict(pair)) for pair in part.pairs]}

    def tables(self, part: SeedsPart, document: ReportDocument) -> Iterable[TextTable]:
        yield seeds_table(part)


def seeds_table(part: SeedsPart) -> TextTable:
    """Every pair, as page, terminal and papers show it."""
    columns = (
        Column("pair", words=True, key=True),
        *map(Column, ("deals", "sd by cards", "sd by seeds", "seeds' share", "95% interval")),
        Column("error with twice the seeds"),
    )
    cells = tuple(
        (
            f"{pair.first} – {pair.second}",
            count(pair.variance.deals),
            _sd(pair.variance.cards),
            _sd(pair.variance.seeds),
            percent(pair.variance.share, 0),
            interval(pair.variance.low, pair.variance.high, 0, show=percent),
            "–" if pair.more_seeds is None else f"×{plain(pair.more_seeds, 2)}",
        )
        for pair in part.pairs
    )
    return TextTable("seeds", part.note, columns, cells)


def _note(seeds: int) -> str:
    return (
        f"Each deal was played with {seeds} seeds. Standard deviations (sd) are those of a deal's "
        "margin with one seed, in points. “Seeds' share”: how much of the variance of a "
        "deal with one seed comes from the agents' random numbers; the rest comes from the cards. "
        f"Twice the deals cost as much as twice the seeds and have ×{plain(MORE_DEALS, 2)} the "
        "standard error: more seeds are as good only where the share is near 100%, or where no "
        "more deals are available."
    )


def _sd(variance: float | None) -> str:
    return plain(None if variance is None else max(0.0, variance) ** 0.5)

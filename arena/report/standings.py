"""Tables of agents and of pairs: the same columns on pages, in papers and in terminals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from arena.core.rules import plural
from arena.report.tables import Column, TextTable
from arena.report.words import DASH, count, interval, percent, plain, rating_text, signed

if TYPE_CHECKING:
    from arena.analysis.standings import AgentStanding, PairStanding
    from arena.stats import Rating

Agent = TypeVar("Agent", bound="AgentStanding")


def standings_table(
    agents: Sequence[Agent],
    unit: str,
    singles: str,
    caption: str = "",
    shown: Callable[[Agent], str] = lambda agent: agent.name,
    more: Mapping[str, Callable[[Agent], str]] = {},
) -> TextTable:
    """A row per agent, the best first; `singles` are what a unit consists of.

    `shown` gives each agent its name, `more` has further columns.
    """
    columns = (
        Column("rank", words=True),
        Column("agent", words=True, key=True),
        Column("group", words=True),
        Column("score rating"),
        Column("95% interval"),
        Column("Elo"),
        Column(f"points per {unit}"),
        Column(f"{singles} won"),
        Column(plural(unit)),
        *map(Column, more),
    )
    cells = tuple(
        (
            _ranks(agent),
            shown(agent),
            agent.letters,
            rating_text(agent.rating),
            limits(agent.rating),
            rating_text(agent.elo, 0),
            plain(agent.points.value),
            percent(agent.win_rate.value),
            count(agent.margin.n),
            *(cell(agent) for cell in more.values()),
        )
        for agent in agents
    )
    return TextTable("ladder", caption, columns, cells)


def limits(rating: Rating | None, digits: int = 1) -> str:
    """The interval of a rating; a dash if there is none."""
    return DASH if rating is None else interval(rating.low, rating.high, digits)


def _ranks(agent: AgentStanding) -> str:
    if agent.rank_best == agent.rank_worst:
        return str(agent.rank)
    return f"{agent.rank} ({agent.rank_best}–{agent.rank_worst})"


def meetings_table(
    pairs: Sequence[PairStanding], unit: str, singles: str, caption: str = ""
) -> TextTable:
    """A row per pair that met, seen from the agent that is ahead."""
    units = plural(unit)
    columns = (
        Column("direct meeting", words=True, key=True),
        Column(units),
        Column(f"points per {unit}"),
        Column("95% interval (alone)"),
        Column(f"{units} won–drawn–lost"),
        Column(f"{singles} won"),
        Column("95% interval"),
    )
    cells = tuple(
        (
            f"{pair.first} – {pair.second}",
            count(pair.n),
            signed(pair.mean),
            interval(pair.low, pair.high),
            f"{count(pair.won)}–{count(pair.drawn)}–{count(pair.lost)}",
            percent(pair.win_rate.value),
            interval(pair.win_rate.low, pair.win_rate.high, show=percent),
        )
        for pair in pairs
    )
    return TextTable("pairs", caption, columns, cells)

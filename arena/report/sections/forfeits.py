"""Strength with and without forfeited deals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar

from arena.report.context import ResultsContext
from arena.report.section import Section
from arena.report.tables import Rows, flat
from arena.stats import Rating


@dataclass(frozen=True)
class Forfeiter:
    """One agent of a run with forfeited deals."""

    name: str
    units: int
    forfeits: int
    rating: Rating | None
    """With forfeited deals, each counted as lost."""
    rating_without: Rating | None
    """Without forfeited deals; null if no deal is left."""


@dataclass(frozen=True)
class ForfeitsPart:
    """All agents, in the order of the leaderboard."""

    agents: tuple[Forfeiter, ...]


class ForfeitsSection(Section[ForfeitsPart]):
    """Only in runs with forfeits."""

    name: ClassVar[str] = "forfeits"
    needs_run: ClassVar[bool] = False
    optional: ClassVar[bool] = True
    title: ClassVar[str] = "Forfeits"

    def make(self, context: ResultsContext) -> ForfeitsPart | None:
        """Both standings side by side."""
        if not any(agent.forfeits for agent in context.standings.agents):
            return None
        played = context.played_standings
        without = {} if played is None else {agent.name: agent for agent in played.agents}
        return ForfeitsPart(
            tuple(
                Forfeiter(
                    name=agent.name,
                    units=agent.units,
                    forfeits=agent.forfeits,
                    rating=agent.rating,
                    rating_without=other.rating if other else None,
                )
                for agent in context.standings.agents
                for other in [without.get(agent.name)]
            )
        )

    def csv(self, part: ForfeitsPart) -> Mapping[str, Rows]:
        return {"forfeits": [flat(asdict(agent)) for agent in part.agents]}

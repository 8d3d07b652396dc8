"""The deals that made the difference, ready to be replayed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from arena.analysis.decisions import Explainers
from arena.analysis.swings import largest_swings, swing_of
from arena.audit.mistakes import worst_mistakes
from arena.report.context import Context
from arena.report.replays import ReplayPart, replay_of
from arena.report.section import Section
from arena.report.tables import Rows


@dataclass(frozen=True)
class DealsPart:
    """Some of the largest swings of each pair, and deals with bad mistakes; the largest first."""

    swings: tuple[ReplayPart, ...]


class SwingsSection(Section[DealsPart]):
    """The replay."""

    name: ClassVar[str] = "deals"
    optional: ClassVar[bool] = True
    title: ClassVar[str] = "The deals that made the difference"
    short: ClassVar[str] = "Deals"

    def make(self, context: Context) -> DealsPart | None:
        """Deals on which the exchange of seats changed most."""
        order = [agent.name for agent in context.standings.agents]
        swings = largest_swings(context.results, order)
        audits = {}
        if context.audit is not None:
            audits = context.audit.by_round()
            for mistake in worst_mistakes(context.audit):
                found = swing_of(context.results, mistake.agent, mistake.opponent, mistake.unit)
                if found not in swings:
                    swings.append(found)
        if not swings:
            return None
        swings.sort(key=lambda swing: -abs(swing.margin))
        explainers = Explainers(context.run)
        talks = context.conversations
        return DealsPart(
            tuple(replay_of(context.run, swing, explainers, audits, talks) for swing in swings)
        )

    def csv(self, part: DealsPart) -> Mapping[str, Rows]:
        """The margins of the swings."""
        return {
            "swings": [
                {
                    "first": swing.first,
                    "second": swing.second,
                    "unit": swing.unit,
                    "deal": swing.deal,
                    "margin": swing.margin,
                    **{f"seating_{game.seating + 1}": game.margin for game in swing.games},
                }
                for swing in part.swings
            ]
        }

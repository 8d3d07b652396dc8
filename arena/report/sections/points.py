"""How the points were made: by role, by trick, and how often the game's own events happened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, ClassVar

from arena.analysis.points_breakdown import AgentBreakdown, break_down_points
from arena.report.context import Context
from arena.report.explanations import Explanations
from arena.report.section import Drawing, Section
from arena.report.sections.ladder import LadderPart
from arena.report.tables import Rows, flat
from arena.report.words import ROLES, label_of

if TYPE_CHECKING:
    from arena.report.document import ReportDocument


@dataclass(frozen=True)
class PointsPart:
    """All agents that finished a round, in the order of the leaderboard."""

    labels: dict[str, str]
    """Flags of the game, and what players call them."""
    owners: dict[str, str]
    """For each flag, the side that it is counted for."""
    roles: tuple[str, ...]
    """The roles with scores in this game."""
    rounds_replayed: int
    """How many rounds the points by trick are from."""
    agents: tuple[AgentBreakdown, ...]

    @property
    def has_bonus(self) -> bool:
        """Whether the game has a bonus and any agent scored it."""
        return any("bonus" in a.measures and a.measures["bonus"].value for a in self.agents)


class PointsSection(Section[PointsPart]):
    """How the points were made."""

    name: ClassVar[str] = "points"
    optional: ClassVar[bool] = True
    title: ClassVar[str] = "How the points were made"
    short: ClassVar[str] = "Points"

    def make(self, context: Context) -> PointsPart | None:
        """From all rounds, and from some of them played again; nothing in games without tricks."""
        if not context.run.rules.has_tricks:
            return None
        made = break_down_points(context.run)
        rules = context.run.rules
        by_name = {agent.name: agent for agent in made.agents}
        agents = [by_name[agent.name] for agent in context.standings.agents]
        owners = dict(getattr(rules, "flag_owners", {}))
        return PointsPart(
            labels={flag: label_of(rules, flag) for flag in owners},
            owners=owners,
            roles=_roles(agents),
            rounds_replayed=made.replayed,
            agents=tuple(agent for agent in agents if agent.rounds),
        )

    def csv(self, part: PointsPart) -> Mapping[str, Rows]:
        """Measures and rates by agent, and points by trick."""
        return {
            "points": [
                {
                    "agent": agent.name,
                    "rounds": agent.rounds,
                    **flat({key: asdict(found) for key, found in agent.measures.items()}),
                    **flat({key: asdict(found) for key, found in agent.rates.items()}),
                }
                for agent in part.agents
            ],
            "tricks": [
                {"agent": agent.name, "trick": number, **asdict(trick)}
                for agent in part.agents
                for number, trick in enumerate(agent.tricks, start=1)
            ],
        }

    def figures(self, part: PointsPart, document: ReportDocument) -> Iterable[Drawing]:
        from arena.report.figures.points import MOST_LINES, draw_roles, draw_tricks

        say = Explanations.of(document)
        few = say.few_of(len(part.agents))
        labels = {agent.name: agent.label for agent in document[LadderPart].agents}
        yield Drawing("roles", say.roles_figure() + few, lambda: draw_roles(part, labels))
        means = [mean for agent in part.agents for mean in agent.tricks]
        has_limits = any(mean.low is not None for mean in means)
        is_map = len(part.agents) > MOST_LINES
        caption = say.tricks_map() if is_map else say.tricks_figure(has_limits)
        yield Drawing("tricks", caption + few, lambda: draw_tricks(part, labels))


def _roles(agents: Sequence[AgentBreakdown]) -> tuple[str, ...]:
    """The roles that the game has; leading is none of its own where the declarer always leads."""
    same = all(
        agent.measures.get("score_as_leader") == agent.measures.get("score_as_declarer")
        for agent in agents
    )
    skipped = ("score_as_leader", "score_not_leading") if same else ()
    return tuple(
        role
        for role in ROLES
        if role not in skipped and any(role in agent.measures for agent in agents)
    )

"""The leaderboard: every agent, the best first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar

from arena.analysis.standings import AgentStanding
from arena.report.about import AgentFacts, RunPart
from arena.report.context import ResultsContext
from arena.report.explanations import Explanations
from arena.report.section import Section
from arena.report.standings import standings_table
from arena.report.tables import Column, Rows, TextTable, flat
from arena.report.words import DASH, count, duration, interval, signed

if TYPE_CHECKING:
    from arena.report.document import ReportDocument


@dataclass(frozen=True)
class LadderAgent(AgentFacts, AgentStanding):
    """An agent's standing, with what the run says about the agent itself."""

    label: str = ""
    """A short name, for figures and wide tables."""
    on_front: bool = False
    """Whether no other agent is both faster and stronger."""

    @property
    def shown(self) -> str:
        """The name, with the agent's marks."""
        marks = ["sees all cards"] * self.sees_all_cards
        marks += ["not reproducible"] * (not self.reproducible)
        marks += ["own process"] * self.own_process
        return f"{self.name} ({', '.join(marks)})" if marks else self.name

    @property
    def times(self) -> dict[str, float | None]:
        """Columns of the table of times, the main one first."""
        seconds = self.seconds
        return {
            "median": seconds.median,
            "CPU median": seconds.cpu_median,
            "mean": seconds.mean,
            "95th percentile": seconds.p95,
            "longest": seconds.max,
            "total": seconds.total,
            "CPU total": seconds.cpu_total,
        }


@dataclass(frozen=True)
class LadderPart:
    """All agents, the best first."""

    agents: tuple[LadderAgent, ...]
    notes: tuple[str, ...]

    @property
    def has_cross_play(self) -> bool:
        """Whether agents also played with partners other than themselves."""
        return any(agent.with_others is not None for agent in self.agents)

    @property
    def has_times(self) -> bool:
        """Whether it is known how long agents took."""
        return any(agent.seconds.decisions for agent in self.agents)


class LadderSection(Section[LadderPart]):
    """The leaderboard."""

    name: ClassVar[str] = "ladder"
    needs_run: ClassVar[bool] = False
    title: ClassVar[str] = "Leaderboard"

    def make(self, context: ResultsContext) -> LadderPart:
        """From the standings, with times and faults."""
        agents = context.standings.agents
        facts = {agent.name: context.about(agent.name) for agent in agents}
        return LadderPart(
            tuple(_agent(context, facts, agent) for agent in agents),
            (*context.standings.notes, *context.notes),
        )

    def csv(self, part: LadderPart) -> Mapping[str, Rows]:
        """All numbers of all agents."""
        return {"agents": [flat(asdict(agent), skip=("members",)) for agent in part.agents]}

    def tables(self, part: LadderPart, document: ReportDocument) -> Iterable[TextTable]:
        """The leaderboard as terminal and papers show it."""
        say = Explanations.of(document)
        caption = f"{say.ladder_caption()} {say.ladder_note()}"
        yield ladder_table(part, document[RunPart], caption)


def ladder_table(part: LadderPart, run: RunPart, caption: str = "") -> TextTable:
    """The leaderboard, with times and other partners where there are any."""
    more: dict[str, Callable[[LadderAgent], str]] = {}
    if part.has_times:
        more["time per decision"] = lambda agent: duration(agent.seconds.median)
    if part.has_cross_play:
        more["with other partners"] = _with_others
    shown = attrgetter("shown")
    return standings_table(part.agents, run.unit, run.singles, caption, shown, more)


def _with_others(agent: LadderAgent) -> str:
    found = agent.with_others
    return DASH if found is None else f"{signed(found.value)} ({interval(found.low, found.high)})"


def times_table(part: LadderPart) -> TextTable:
    """Time per decision, all of it."""
    titles = part.agents[0].times if part.agents else ()
    columns = (Column("time per decision", words=True), Column("decisions"), *map(Column, titles))
    rows = [
        (
            agent.name,
            count(agent.seconds.decisions),
            *map(duration, agent.times.values()),
        )
        for agent in part.agents
    ]
    return TextTable("times", "Time per decision.", columns, tuple(rows))


def _agent(
    context: ResultsContext, facts: Mapping[str, AgentFacts], standing: AgentStanding
) -> LadderAgent:
    others = context.standings.agents
    return LadderAgent(
        **vars(standing),
        **vars(facts[standing.name]),
        label=context.labels[standing.name],
        on_front=not any(_dominates(facts, other, standing) for other in others),
    )


def _dominates(facts: Mapping[str, AgentFacts], other: AgentStanding, one: AgentStanding) -> bool:
    """Whether another agent is stronger without taking longer, or faster without being weaker."""
    gain = _strength(other) - _strength(one)
    slower = facts[other.name].seconds.median - facts[one.name].seconds.median
    return gain >= 0 and slower <= 0 and (gain > 0 or slower < 0)


def _strength(agent: AgentStanding) -> float:
    return (agent.rating or agent.margin).value or 0.0

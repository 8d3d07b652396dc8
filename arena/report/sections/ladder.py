"""The leaderboard: every agent, the best first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from arena.analysis.estimates import Estimate
from arena.analysis.standings import AgentStanding
from arena.config.entrants import AgentSpec
from arena.config.parameters import plain as as_plain
from arena.core.errors import ArenaError
from arena.report.context import Context
from arena.report.explanations import Explanations
from arena.report.section import Section
from arena.report.sections.overview import RunPart
from arena.report.sections.pages import page_text
from arena.report.tables import Column, Rows, TextTable, flat
from arena.report.words import (
    DASH,
    count,
    duration,
    interval,
    percent,
    plain,
    rating_text,
    signed,
)
from arena.store import Thinking

if TYPE_CHECKING:
    from arena.report.document import ReportDocument


@dataclass(frozen=True)
class LadderAgent(AgentStanding):
    """An agent's standing, with what the run says about the agent itself."""

    label: str
    """A short name, for figures and wide tables."""
    seconds: Thinking
    """Time per decision, by the clock and in CPU time."""
    faults: int
    sees_all_cards: bool
    reproducible: bool
    """Whether the same seed gives the same results."""
    own_process: bool
    """Whether it (or a member of the team) played in a process of its own, not as trusted code."""
    members: list[dict[str, Any]]
    on_front: bool
    """Whether no other agent is both faster and stronger."""
    with_others: Estimate | None
    """In cross-play: its mean margin with partners other than itself; None otherwise."""

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


class LadderSection(Section[LadderPart]):
    """The leaderboard."""

    name: ClassVar[str] = "ladder"
    part: ClassVar[type[Any]] = LadderPart
    title: ClassVar[str] = "Leaderboard"
    template: ClassVar[str] = page_text("sections", "ladder.html.j2")

    def make(self, context: Context) -> LadderPart:
        """From the standings, with times and faults."""
        agents = context.standings.agents
        return LadderPart(
            tuple(
                _agent(context, agent, not any(_dominates(context, x, agent) for x in agents))
                for agent in agents
            ),
            context.standings.notes,
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
    """The leaderboard: the same columns wherever it is shown."""
    columns = (
        Column("rank", words=True),
        Column("agent", words=True, key=True),
        Column("group", words=True),
        Column("score rating"),
        Column("95% interval"),
        Column("Elo"),
        Column(f"points per {run.unit}"),
        Column(f"{run.singles} won"),
        Column(run.units),
        Column("time per decision"),
        *((Column("with other partners"),) if part.has_cross_play else ()),
    )
    rows = []
    for agent in part.agents:
        rating = agent.rating
        rows.append(
            (
                _ranks(agent),
                agent.shown,
                agent.letters,
                rating_text(rating),
                interval(rating.low, rating.high) if rating else DASH,
                rating_text(agent.elo, 0),
                plain(agent.points.value),
                percent(agent.win_rate.value),
                count(agent.margin.n),
                duration(agent.seconds.median),
                *((_with_others(agent),) if part.has_cross_play else ()),
            )
        )
    return TextTable("ladder", caption, columns, tuple(rows))


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


def _ranks(agent: AgentStanding) -> str:
    if agent.rank_best == agent.rank_worst:
        return str(agent.rank)
    return f"{agent.rank} ({agent.rank_best}–{agent.rank_worst})"


def _agent(context: Context, standing: AgentStanding, on_front: bool) -> LadderAgent:
    name = standing.name
    entrant = context.run.manifest.entrants[name]
    return LadderAgent(
        **vars(standing),
        label=context.labels[name],
        seconds=context.thinking[name],
        faults=sum(str(pairing[fault.entrant]) == name for pairing, fault in context.faults),
        sees_all_cards=entrant.sees_all_cards,
        reproducible=entrant.reproducible,
        own_process=any(map(_plays_apart, entrant.members)),
        members=as_plain(entrant.members),
        on_front=on_front,
        with_others=context.with_other_partners.get(name),
    )


def _plays_apart(member: AgentSpec) -> bool:
    try:
        return member.is_isolated
    except ArenaError:  # its family is not installed here; what the run says about it counts
        return bool(member.isolate or member.limits or member.source)


def _dominates(context: Context, other: AgentStanding, one: AgentStanding) -> bool:
    """Whether another agent is stronger without taking longer, or faster without being weaker."""
    gain = _strength(other) - _strength(one)
    slower = context.thinking[other.name].median - context.thinking[one.name].median
    return gain >= 0 and slower <= 0 and (gain > 0 or slower < 0)


def _strength(agent: AgentStanding) -> float:
    return (agent.rating or agent.margin).value or 0.0

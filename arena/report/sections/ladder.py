"""The leaderboard: every agent, the best first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from arena.analysis import Estimate
from arena.analysis.standings import AgentStanding
from arena.config.entrants import AgentSpec
from arena.config.parameters import plain as as_plain
from arena.core.errors import ArenaError
from arena.report.context import Context
from arena.report.section import Section
from arena.report.sections.overview import RunPart
from arena.report.sections.pages import page_text
from arena.report.tables import Column, Rows, Table, flat
from arena.report.words import above, count, duration, interval, percent, plain, signed
from arena.stats import Rating

if TYPE_CHECKING:
    from arena.report.document import Document


@dataclass(frozen=True)
class Strength:
    """A rating with its 95% interval."""

    value: float
    low: float | None
    high: float | None
    se: float | None
    df: float | None


@dataclass(frozen=True)
class Elo:
    """Elo with its 95% interval; after a perfect score no value, and one open limit."""

    value: float | None
    low: float | None
    high: float | None
    se: float | None
    df: float | None

    @property
    def shown(self) -> str:
        """The value, or the limit that there is."""
        if self.value is not None:
            return signed(self.value, 0)
        if self.low is not None:
            return f"> {signed(self.low, 0)}"
        return signed(None) if self.high is None else f"< {signed(self.high, 0)}"


@dataclass(frozen=True)
class Seconds:
    """Time per decision, by the clock and in CPU time."""

    decisions: int
    mean: float
    median: float
    p95: float
    max: float
    total: float
    cpu_median: float | None
    """CPU time of the thread that decides; None where it could not be taken."""
    cpu_total: float | None

    @property
    def columns(self) -> dict[str, float | None]:
        """What tables show, the number to look at first."""
        return {
            "median": self.median,
            "CPU median": self.cpu_median,
            "mean": self.mean,
            "95th percentile": self.p95,
            "longest": self.max,
            "total": self.total,
            "CPU total": self.cpu_total,
        }


@dataclass(frozen=True)
class Agent:
    """One agent against everybody it met."""

    name: str
    label: str
    """A short name, for figures and wide tables."""
    rank: int
    rank_best: int
    """Places that cannot be excluded: all ranges hold together."""
    rank_worst: int
    letters: str
    """Agents that share a letter are not distinguishable."""
    rating: Strength | None
    """Points per deal above the field."""
    elo: Elo | None
    margin: Estimate
    points: Estimate
    win_rate: Estimate
    """Share of games won, a draw as half."""
    seconds: Seconds
    units: int
    """Deals (or matches) played, over all opponents."""
    forfeits: int
    faults: int
    sees_all_cards: bool
    own_process: bool
    """Whether it (or a member of the team) played in a process of its own, not as trusted code."""
    members: list[dict[str, Any]]
    on_front: bool
    """Whether no other agent is both faster and stronger."""

    @property
    def shown(self) -> str:
        """The name, with what a reader must know of the agent."""
        marks = ["sees all cards"] * self.sees_all_cards + ["own process"] * self.own_process
        return f"{self.name} ({', '.join(marks)})" if marks else self.name


@dataclass(frozen=True)
class LadderPart:
    """All agents, the best first."""

    agents: tuple[Agent, ...]
    notes: tuple[str, ...]


class Ladder(Section[LadderPart]):
    """The leaderboard."""

    name: ClassVar[str] = "ladder"
    part: ClassVar[type[Any]] = LadderPart
    title: ClassVar[str] = "Leaderboard"
    template: ClassVar[str] = page_text("sections", "ladder.html.j2")

    def make(self, context: Context) -> LadderPart:
        """From the standings, with times and faults."""
        faults: dict[str, int] = {}
        for pairing, fault in context.run.faults():
            name = str(pairing[fault.entrant])
            faults[name] = faults.get(name, 0) + 1
        agents = [_agent(context, agent, faults) for agent in context.standings.agents]
        on_front = [not any(_dominates(other, one) for other in agents) for one in agents]
        return LadderPart(
            tuple(
                replace(agent, on_front=front)
                for agent, front in zip(agents, on_front, strict=True)
            ),
            context.standings.notes,
        )

    def csv(self, part: LadderPart) -> Mapping[str, Rows]:
        """All numbers of all agents."""
        return {"agents": [flat(asdict(agent), skip=("members",)) for agent in part.agents]}

    def tables(self, part: LadderPart, document: Document) -> Iterable[Table]:
        """The leaderboard as terminal and papers show it."""
        yield ladder_table(part, document[RunPart])


def ladder_table(part: LadderPart, run: RunPart) -> Table:
    """The leaderboard: the same columns wherever it is shown."""
    columns = (
        Column("rank", words=True),
        Column("agent", words=True),
        Column("group", words=True),
        Column("score rating"),
        Column("95% interval"),
        Column("Elo"),
        Column(f"points per {run.unit}"),
        Column("win rate"),
        Column(run.units),
        Column("time per decision"),
    )
    rows = []
    for agent in part.agents:
        rating = agent.rating
        rows.append(
            (
                _ranks(agent),
                agent.shown,
                agent.letters,
                signed(rating.value) if rating else signed(None),
                interval(rating.low, rating.high) if rating else signed(None),
                agent.elo.shown if agent.elo else signed(None),
                plain(agent.points.value),
                percent(agent.win_rate.value),
                count(agent.margin.n),
                duration(agent.seconds.median),
            )
        )
    better = above(run.higher_wins)
    caption = (
        f"Score rating: points per {run.unit} {better} the field. Agents that share a letter are "
        "not distinguishable (simultaneous 95% comparisons); ranks in brackets cannot be excluded."
    )
    return Table("ladder", caption, columns, tuple(rows))


def times_table(part: LadderPart) -> Table:
    """Time per decision, all of it."""
    titles = part.agents[0].seconds.columns if part.agents else ()
    columns = (Column("time per decision", words=True), Column("decisions"), *map(Column, titles))
    rows = [
        (
            agent.name,
            count(agent.seconds.decisions),
            *map(duration, agent.seconds.columns.values()),
        )
        for agent in part.agents
    ]
    return Table("times", "Time per decision.", columns, tuple(rows))


def _ranks(agent: Agent) -> str:
    if agent.rank_best == agent.rank_worst:
        return str(agent.rank)
    return f"{agent.rank} ({agent.rank_best}–{agent.rank_worst})"


def _agent(context: Context, agent: AgentStanding, faults: Mapping[str, int]) -> Agent:
    entrant = context.run.manifest.entrants[agent.agent]
    return Agent(
        name=agent.agent,
        label=context.labels[agent.agent],
        rank=agent.rank,
        rank_best=agent.rank_best,
        rank_worst=agent.rank_worst,
        letters=agent.letters,
        rating=strength_of(agent.rating),
        elo=elo_of(agent.elo),
        margin=agent.margin,
        points=agent.points,
        win_rate=agent.win_rate,
        seconds=Seconds(**asdict(context.thinking[agent.agent])),
        units=agent.units,
        forfeits=agent.forfeits,
        faults=faults.get(agent.agent, 0),
        sees_all_cards=entrant.sees_all_cards,
        own_process=any(map(_plays_apart, entrant.members)),
        members=as_plain(entrant.members),
        on_front=False,
    )


def _plays_apart(member: AgentSpec) -> bool:
    try:
        return member.is_isolated
    except ArenaError:  # its family is not installed here; what the run says about it counts
        return bool(member.isolate or member.limits or member.source)


def strength_of(rating: Rating | None) -> Strength | None:
    """A rating without the name of its agent."""
    if rating is None or rating.value is None:
        return None
    return Strength(rating.value, rating.low, rating.high, rating.se, rating.df)


def elo_of(rating: Rating | None) -> Elo | None:
    """An Elo rating without the name of its agent."""
    if rating is None:
        return None
    return Elo(rating.value, rating.low, rating.high, rating.se, rating.df)


def _strength(agent: Agent) -> float:
    return (agent.rating or agent.margin).value or 0.0


def _dominates(other: Agent, one: Agent) -> bool:
    """Whether another agent is stronger without taking longer, or faster without being weaker."""
    gain = _strength(other) - _strength(one)
    slower = other.seconds.median - one.seconds.median
    return gain >= 0 and slower <= 0 and (gain > 0 or slower < 0)

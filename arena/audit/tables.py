"""Tables of an audit: points lost per decision, by what kind of decision it was, and by agent.

The deal (or match) is the unit: a number of a deal is the mean over its decisions, and intervals
are over deals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from arena.analysis.estimates import Estimate, mean_by_unit, rate_by_unit
from arena.audit.campaign import Audit, AuditOfRound
from arena.audit.honesty import Honesty, judge_honesty
from arena.audit.rounds import GRADES, PATTERNS, AuditedDecision, grade_of
from arena.core.rules import Rules

DIMENSIONS: dict[str, str] = {
    "trick": "trick",
    "kind": "card",
    "role": "role",
    "choice": "legal cards",
}
"""The dimensions by which decisions are grouped, with their headings."""
_KINDS = ("lead", "follow", "ruff", "discard")
_ROLES = ("declaring", "defending")


@dataclass(frozen=True)
class Losses:
    """Points lost per decision by an agent in one group of decisions."""

    agent: str
    dimension: str
    group: str
    """Such as `3` (the trick, from 1), `ruff` or `defending`."""
    decisions: int
    hindsight: Estimate
    """With the true cards open."""
    known: Estimate | None
    """As far as could be known; None if no decision of the group was valued on worlds."""


@dataclass(frozen=True)
class AgentAudit:
    """The losses of one agent."""

    name: str
    rounds: int
    decisions: int
    """Cards played where there was a choice."""
    hindsight: Estimate
    """Points lost per decision with the true cards open."""
    known: Estimate | None
    """Points lost per decision as far as could be known."""
    per_round: Estimate
    """Points that the side lost per round with the true cards open."""
    grades: dict[str, Estimate]
    """By grade: the share of its decisions."""
    patterns: dict[str, int]
    """By pattern: how many of its mistakes fit it."""
    honesty: Honesty


@dataclass(frozen=True)
class AuditTables:
    """All agents, those that lost least first, and their losses by group."""

    agents: tuple[AgentAudit, ...]
    losses: tuple[Losses, ...]
    rounds: int
    decisions: int
    units: int
    missing: int
    """Rounds that were asked for and are not audited yet."""
    valued: str
    """How decisions were valued."""

    def groups(self, dimension: str) -> list[str]:
        """The groups that decisions fall into, in their order."""
        found = {x.group for x in self.losses if x.dimension == dimension}
        return sorted(found, key=_group_order)

    def losses_of(self, agent: str, dimension: str, group: str) -> Losses | None:
        """The losses of an agent in a group; None if it had no such decision."""
        wanted = agent, dimension, group
        return next((x for x in self.losses if (x.agent, x.dimension, x.group) == wanted), None)


@dataclass(frozen=True)
class _Row:
    """A decision with who made it."""

    agent: str
    unit: int
    round: AuditOfRound
    decision: AuditedDecision


def make_tables(audit: Audit) -> AuditTables:
    """The tables of an audit."""
    units = list(dict.fromkeys(each.replay.record.unit for each in audit.rounds))
    place = {unit: number for number, unit in enumerate(units)}
    rows = [
        _Row(each.replay.seats[decision.seat], place[each.replay.record.unit], each, decision)
        for each in audit.rounds
        for decision in each.audit.decisions
    ]
    by_agent = {name: [row for row in rows if row.agent == name] for name in audit.agents}
    agents = [_agent(audit, name, mine, place) for name, mine in by_agent.items() if mine]
    agents.sort(key=lambda agent: _order(agent.known or agent.hindsight))
    losses = [
        found
        for agent in agents
        for dimension in DIMENSIONS
        for found in _grouped(agent.name, by_agent[agent.name], dimension)
    ]
    return AuditTables(
        tuple(agents),
        tuple(losses),
        len(audit.rounds),
        len(rows),
        len(units),
        audit.missing,
        audit.valued,
    )


def _order(found: Estimate) -> float:
    return inf if found.value is None else found.value


def _agent(audit: Audit, name: str, rows: list[_Row], place: dict[str, int]) -> AgentAudit:
    mine = [each for each in audit.rounds if name in each.replay.seats]
    grades = [grade_of(audit.rules, row.decision.loss) for row in rows]
    valued = [row for row in rows if row.decision.known is not None]
    units = [row.unit for row in rows]
    return AgentAudit(
        name=name,
        rounds=len(mine),
        decisions=len(rows),
        hindsight=_hindsight(rows),
        known=_known(rows),
        per_round=_per_round(audit.rules, name, mine, place),
        grades={
            grade.name: rate_by_unit(units, [found is grade for found in grades])
            for grade in GRADES
        },
        patterns={
            words: sum(
                found is not None and pattern in row.decision.patterns
                for row, found in zip(rows, grades, strict=True)
            )
            for pattern, words in PATTERNS.items()
        },
        honesty=judge_honesty([(row.unit, row.decision) for row in valued]),
    )


def _per_round(
    rules: Rules, name: str, rounds: list[AuditOfRound], place: dict[str, int]
) -> Estimate:
    units, losses = [], []
    for each in rounds:
        seats = each.replay.seats
        for side in {rules.side_of(seat) for seat, who in enumerate(seats) if who == name}:
            units.append(place[each.replay.record.unit])
            losses.append(each.audit.lost_by(rules, side))
    return mean_by_unit(units, losses)


def _grouped(agent: str, rows: list[_Row], dimension: str) -> Iterator[Losses]:
    groups: dict[str, list[_Row]] = {}
    for row in rows:
        group = _group(row.decision, dimension)
        if group is not None:
            groups.setdefault(group, []).append(row)
    for group in sorted(groups, key=_group_order):
        found = groups[group]
        hindsight = _hindsight(found)
        yield Losses(agent, dimension, group, len(found), hindsight, _known(found))


def _group(decision: AuditedDecision, dimension: str) -> str | None:
    if dimension == "trick":
        return str(decision.trick + 1)
    if dimension == "kind":
        return decision.kind
    if dimension == "choice":
        return str(len(decision.legal))
    return None if decision.declaring is None else _ROLES[not decision.declaring]


def _group_order(group: str) -> tuple[int, int]:
    if group.isdigit():
        return 0, int(group)
    return 1, [*_KINDS, *_ROLES].index(group)


def _known(rows: list[_Row]) -> Estimate | None:
    """Over the decisions that were valued on worlds."""
    losses = [(row.unit, row.decision.known.loss) for row in rows if row.decision.known]
    return mean_by_unit(*zip(*losses, strict=True)) if losses else None


def _hindsight(rows: list[_Row]) -> Estimate:
    """Over the decisions that were solved with the true cards open."""
    losses = [(row.unit, x) for row in rows if (x := row.decision.hindsight) is not None]
    return mean_by_unit([unit for unit, _ in losses], [x for _, x in losses])

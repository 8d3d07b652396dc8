"""Many agents: every pair with its adjusted p-value, ranks, letters, ratings and cycles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from arena.analysis.compare import detectable, win_rate
from arena.analysis.estimates import Estimate
from arena.analysis.results import Meeting, Results
from arena.errors import ArenaError
from arena.seeds import seed_for
from arena.stats import (
    AllPairs,
    Anchor,
    Bootstrap,
    Cycles,
    DealOutcomes,
    DuplicateSaving,
    MeanDifference,
    PairComparison,
    Rating,
    Ratings,
    StatsError,
    all_pairs,
    deal_outcomes,
    duplicate_saving,
    elo_rating,
    mean_difference,
    score_rating,
    significant_cycles,
)

Adjustment: TypeAlias = Literal["holm", "bh", "none"]

__all__ = ["Adjustment", "AgentStanding", "PairStanding", "RatingOptions", "Standings", "standings"]


@dataclass(frozen=True)
class RatingOptions:
    """What the reader may choose."""

    adjustment: Adjustment = "holm"
    anchor: str | None = None
    resamples: int = 0
    """Bootstrap resamples for the intervals of the ratings; 0: from the covariance."""


@dataclass(frozen=True)
class PairStanding:
    """One pair; the first agent is the one that is ahead."""

    first: str
    second: str
    difference: MeanDifference
    p: float | None
    p_adjusted: float | None
    significant: bool
    outcomes: DealOutcomes
    win_rate: Estimate
    los: float | None
    """Likelihood of superiority of the first, from the score rating."""
    detectable: float | None
    saving: DuplicateSaving | None
    forfeits: tuple[int, int]
    note: str


@dataclass(frozen=True)
class AgentStanding:
    """One agent against everybody it met."""

    agent: str
    rank: int
    rank_best: int
    """One more than the number of agents that are significantly better, never behind `rank`:
    where the results are not transitive, the rating may put an agent above one that beats it."""
    rank_worst: int
    letters: str
    rating: Rating | None
    """Points per deal above the field."""
    elo: Rating | None
    margin: Estimate
    points: Estimate
    win_rate: Estimate
    forfeits: int


@dataclass(frozen=True)
class Standings:
    """The whole field, the best agent first."""

    unit: str
    agents: tuple[AgentStanding, ...]
    pairs: tuple[PairStanding, ...]
    rating: Ratings | None
    elo: Ratings | None
    los: tuple[tuple[float | None, ...], ...]
    """Likelihood that the agent of the row is stronger; agents in the order of `agents`."""
    cycles: Cycles
    adjustment: Adjustment
    alpha: float
    notes: tuple[str, ...]


def standings(results: Results, options: RatingOptions = RatingOptions()) -> Standings:
    """Compare all agents of a run."""
    if not any(pair.units for pair in results.pairs):
        raise ArenaError(f"{', '.join(results.runs)}: nothing has been played yet")
    table = results.for_statistics
    compared = all_pairs(table, options.adjustment)
    rating, elo, trouble = _ratings(results, options)
    agents = _agents(results, compared, rating, elo)
    place = {name: i for i, name in enumerate(results.agents)}
    order = [place[agent.agent] for agent in agents]
    los = rating.los if rating is not None else ()
    rank = {agent.agent: agent.rank for agent in agents}
    ahead_first = [_ahead_first(pair, rank) for pair in results.pairs if pair.units]
    ahead_first.sort(key=lambda pair: (rank[pair.first], rank[pair.second]))
    pairs = tuple(_pair(pair, compared, _los(los, place, pair)) for pair in ahead_first)
    notes = (compared.note, rating.note if rating else "", elo.note if elo else "", trouble)
    return Standings(
        unit=results.unit,
        agents=agents,
        pairs=pairs,
        rating=rating,
        elo=elo,
        los=tuple(tuple(los[i][j] for j in order) for i in order) if los else (),
        cycles=significant_cycles(compared),
        adjustment=compared.adjustment,
        alpha=compared.alpha,
        notes=tuple(dict.fromkeys(note for note in notes if note)),
    )


def _ratings(
    results: Results, options: RatingOptions
) -> tuple[Ratings | None, Ratings | None, str]:
    """Both ratings; none, and why, if the schedule does not connect all agents."""
    table = results.for_statistics
    anchor = None
    if options.anchor is not None:
        results.check_agent(options.anchor)
        anchor = Anchor(options.anchor)

    def resampling(what: str) -> Bootstrap | None:
        if not options.resamples:
            return None
        return Bootstrap(seed_for(results.seed, "ratings", what), options.resamples)

    try:
        rating = score_rating(table, anchor=anchor, bootstrap=resampling("points"))
        elo = elo_rating(table, anchor=anchor, bootstrap=resampling("elo"))
    except StatsError as error:
        return None, None, f"No ratings: {error}."
    return rating, elo, ""


def _agents(
    results: Results, compared: AllPairs, rating: Ratings | None, elo: Ratings | None
) -> tuple[AgentStanding, ...]:
    margins = {
        name: Estimate.of(mean_difference(results.by_unit(name, lambda pair: pair.margins)))
        for name in results.agents
    }

    def strength(name: str) -> tuple[float, str]:
        value = rating[name].value if rating is not None else margins[name].value
        return (-(value or 0.0), name)

    better, worse = _significant_relations(compared)
    found = []
    for rank, name in enumerate(sorted(results.agents, key=strength), start=1):
        found.append(
            AgentStanding(
                agent=name,
                rank=rank,
                rank_best=min(rank, 1 + len(better[name])),
                rank_worst=max(rank, len(results.agents) - len(worse[name])),
                letters=compared.letters[name],
                rating=rating[name] if rating is not None else None,
                elo=elo[name] if elo is not None else None,
                margin=margins[name],
                points=Estimate.of(
                    mean_difference(results.by_unit(name, lambda pair: pair.scores[:, 0]))
                ),
                win_rate=Estimate.of(mean_difference(results.by_unit(name, lambda pair: pair.won))),
                forfeits=sum(pair.forfeits[0] for pair in results.of(name)),
            )
        )
    return tuple(found)


def _significant_relations(compared: AllPairs) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """For each agent, who is significantly better, and who is significantly worse."""
    better: dict[str, set[str]] = {name: set() for name in compared.agents}
    worse: dict[str, set[str]] = {name: set() for name in compared.agents}
    for pair in compared.comparisons:
        if pair.significant and pair.mean is not None:
            winner, loser = (pair.a, pair.b) if pair.mean > 0 else (pair.b, pair.a)
            better[loser].add(winner)
            worse[winner].add(loser)
    return better, worse


def _ahead_first(pair: Meeting, rank: dict[str, int]) -> Meeting:
    """Seen from the one that is ahead; if nobody is, from the better one overall."""
    mean = float(pair.margins.mean())
    behind = mean < 0 or (mean == 0 and rank[pair.first] > rank[pair.second])
    return pair.reversed() if behind else pair


def _find(compared: AllPairs, first: str, second: str) -> PairComparison:
    return next(c for c in compared.comparisons if {c.a, c.b} == {first, second})


def _los(
    los: tuple[tuple[float | None, ...], ...], place: dict[str, int], pair: Meeting
) -> float | None:
    return los[place[pair.first]][place[pair.second]] if los else None


def _pair(pair: Meeting, field: AllPairs, los: float | None) -> PairStanding:
    difference = mean_difference(pair.margins)
    compared = _find(field, pair.first, pair.second)
    tests = 1 if field.adjustment == "none" else len(field.comparisons)
    return PairStanding(
        first=pair.first,
        second=pair.second,
        difference=difference,
        p=compared.p,
        p_adjusted=compared.p_adjusted,
        significant=compared.significant,
        outcomes=deal_outcomes(pair.margins),
        win_rate=win_rate(pair),
        los=los,
        detectable=detectable(difference, tests),
        saving=duplicate_saving(pair.games) if pair.games.shape[1] > 1 else None,
        forfeits=pair.forfeits,
        note=compared.note,
    )

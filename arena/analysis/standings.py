"""Many agents: who is stronger than whom, and what each pair did when it met.

Whatever is said about strength (order, letters, ranks, superiority, the verdict) comes from one
simultaneous inference, `arena.stats.joint_comparison`. What two agents did against each other
stands beside it, under its own name: `PairStanding`, with Holm's adjustment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from arena.analysis.compare import detectable, outcomes, win_rate
from arena.analysis.estimates import Estimate
from arena.analysis.results import Meeting, Results
from arena.core.errors import ArenaError
from arena.core.seeds import seed_for
from arena.stats import (
    AllPairs,
    Anchor,
    Bootstrap,
    Contrast,
    Cycles,
    DealOutcomes,
    DuplicateSaving,
    JointComparison,
    MeanDifference,
    PairComparison,
    Rating,
    Ratings,
    StatsError,
    all_pairs,
    duplicate_saving,
    elo_rating,
    joint_comparison,
    mean_difference,
    score_rating,
    share_of_wins,
    significant_cycles,
)

Adjustment: TypeAlias = Literal["holm", "bh", "none"]


@dataclass(frozen=True)
class RatingOptions:
    """What the reader may choose."""

    adjustment: Adjustment = "holm"
    """Of the p-values of direct meetings; the joint comparison has its own."""
    anchor: str | None = None
    resamples: int = 0
    """Bootstrap resamples for the intervals of the ratings; 0: from the covariance."""


@dataclass(frozen=True)
class PairStanding:
    """What two agents did against each other; the first is the one that is ahead."""

    first: str
    second: str
    difference: MeanDifference
    """With the plain interval of this pair alone."""
    low: float | None
    """Simultaneous limits, which belong to the adjusted p."""
    high: float | None
    p: float | None
    p_adjusted: float | None
    significant: bool
    outcomes: DealOutcomes
    win_rate: Estimate
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
    """One more than the number of agents that are known to be better, never behind `rank`:
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
    units: int
    """Deals (or matches) played, over all opponents."""

    @property
    def forfeits_all(self) -> bool:
        """Whether it forfeited every deal that it played."""
        return 0 < self.units == self.forfeits


@dataclass(frozen=True)
class Standings:
    """The whole field, the best agent first."""

    unit: str
    agents: tuple[AgentStanding, ...]
    joint: JointComparison
    """Who is known to be stronger than whom."""
    pairs: tuple[PairStanding, ...]
    rating: Ratings | None
    elo: Ratings | None
    cycles: Cycles
    adjustment: Adjustment
    alpha: float
    notes: tuple[str, ...]

    def contrast(self, first: str, second: str) -> Contrast | None:
        """The first less the second, by the joint comparison; None if nothing is known."""
        try:
            return self.joint.contrast(first, second)
        except KeyError:
            return None


def standings(results: Results, options: RatingOptions = RatingOptions()) -> Standings:
    """Compare all agents of a run."""
    if not any(pair.units for pair in results.pairs):
        raise ArenaError(f"{', '.join(results.runs)}: nothing has been played yet")
    table = results.for_statistics
    joint = joint_comparison(table)
    compared = all_pairs(table, options.adjustment)
    rating, elo, trouble = _ratings(results, options)
    agents = _agents(results, joint, rating, elo)
    rank = {agent.agent: agent.rank for agent in agents}
    ahead_first = [_ahead_first(pair, rank) for pair in results.pairs if pair.units]
    ahead_first.sort(key=lambda pair: (rank[pair.first], rank[pair.second]))
    notes = (joint.note, rating.note if rating else "", elo.note if elo else "", trouble)
    return Standings(
        unit=results.unit,
        agents=agents,
        joint=joint,
        pairs=tuple(_pair(pair, compared) for pair in ahead_first),
        rating=rating,
        elo=elo,
        cycles=significant_cycles(compared),
        adjustment=compared.adjustment,
        alpha=joint.alpha,
        notes=tuple(dict.fromkeys(note for note in notes if note)),
    )


def without_forfeits(results: Results) -> Standings | None:
    """The standings on the deals that nobody forfeited; None if nobody ever did, or always."""
    kept = results.without_forfeits()
    if kept is None or kept is results:
        return None
    return standings(kept)


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
    results: Results, joint: JointComparison, rating: Ratings | None, elo: Ratings | None
) -> tuple[AgentStanding, ...]:
    found = []
    for rank, name in enumerate(joint.order, start=1):
        found.append(
            AgentStanding(
                agent=name,
                rank=rank,
                rank_best=min(rank, joint.ranks[name].best),
                rank_worst=max(rank, joint.ranks[name].worst),
                letters=joint.letters[name],
                rating=rating[name] if rating is not None else None,
                elo=elo[name] if elo is not None else None,
                margin=Estimate.of(
                    mean_difference(results.by_unit(name, lambda pair: pair.margins))
                ),
                points=Estimate.of(
                    mean_difference(results.by_unit(name, lambda pair: pair.scores[:, 0]))
                ),
                win_rate=Estimate.of(share_of_wins(results.by_unit(name, lambda pair: pair.won))),
                forfeits=sum(pair.forfeits[0] for pair in results.of(name)),
                units=sum(len(pair.units) for pair in results.of(name)),
            )
        )
    return tuple(found)


def _ahead_first(pair: Meeting, rank: dict[str, int]) -> Meeting:
    """Seen from the one that is ahead; if nobody is, from the better one overall."""
    mean = float(pair.margins.mean())
    behind = mean < 0 or (mean == 0 and rank[pair.first] > rank[pair.second])
    return pair.reversed() if behind else pair


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def _find(compared: AllPairs, first: str, second: str) -> PairComparison:
    return next(c for c in compared.comparisons if {c.a, c.b} == {first, second})


def _pair(pair: Meeting, field: AllPairs) -> PairStanding:
    difference = mean_difference(pair.margins)
    compared = _find(field, pair.first, pair.second)
    tests = 1 if field.adjustment == "none" else len(field.comparisons)
    return PairStanding(
        first=pair.first,
        second=pair.second,
        difference=difference,
        low=compared.low if pair.first == compared.a else _negative(compared.high),
        high=compared.high if pair.first == compared.a else _negative(compared.low),
        p=compared.p,
        p_adjusted=compared.p_adjusted,
        significant=compared.significant,
        outcomes=outcomes(pair),
        win_rate=win_rate(pair),
        detectable=detectable(difference, tests),
        saving=duplicate_saving(pair.games) if pair.games.shape[1] > 1 else None,
        forfeits=pair.forfeits,
        note=compared.note,
    )

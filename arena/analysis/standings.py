"""Standings of many agents: the joint comparison and the direct meetings.

Whatever is said about strength (order, letters, ranks, superiority, the verdict) comes from one
simultaneous inference, `arena.stats.joint_comparison`. The direct meetings of
two agents are reported separately, as `PairStanding`, with Holm's adjustment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from arena.analysis.comparison import unit_margins, win_rate
from arena.analysis.estimates import Estimate
from arena.analysis.results import Meeting, Results
from arena.core.errors import ArenaError
from arena.core.seeds import seed_for
from arena.stats import (
    Anchor,
    Bootstrap,
    Contrast,
    Cycles,
    DuplicateSaving,
    JointComparison,
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
    """Options of the analysis."""

    adjustment: Adjustment = "holm"
    """Of the p-values of direct meetings; the joint comparison has its own."""
    anchor: str | None = None
    resamples: int = 0
    """Bootstrap resamples for the intervals of the ratings; 0: from the covariance."""


@dataclass(frozen=True)
class PairStanding:
    """Two agents on the deals that they played against each other; the first is ahead."""

    first: str
    second: str
    n: int
    mean: float | None
    """Margin per deal."""
    low: float | None
    """Limits that belong to the adjusted p: they exclude 0 exactly where it is below the level."""
    high: float | None
    plain_low: float | None
    """Limits of the 95% interval of this pair alone."""
    plain_high: float | None
    sd: float | None
    se: float | None
    zeros: int
    """Deals with margin 0."""
    p: float | None
    """Paired t-test."""
    p_adjusted: float | None
    """Adjusted over all pairs that met."""
    significant: bool
    won: int
    drawn: int
    lost: int
    win_rate: Estimate
    saving: DuplicateSaving | None
    """Deals saved by the exchange of seats."""
    forfeits: tuple[int, int]
    note: str

    @property
    def margin(self) -> Estimate:
        """The mean margin with the interval of this pair alone."""
        return Estimate(self.mean, self.plain_low, self.plain_high, self.n, self.se, self.note)


@dataclass(frozen=True)
class AgentStanding:
    """One agent against all opponents that it met."""

    name: str
    rank: int
    rank_best: int
    """Ranks that cannot be excluded: all ranges hold together. The best is one more than the
    number of agents that are known to be better, but never behind `rank`: where results are not
    transitive, the rating may put an agent above one that beats it."""
    rank_worst: int
    letters: str
    """Agents that share a letter are not distinguishable."""
    rating: Rating | None
    """Points per deal above the field."""
    elo: Rating | None
    margin: Estimate
    points: Estimate
    win_rate: Estimate
    """Share of games won, a draw as half."""
    units: int
    """Deals (or matches) played, over all opponents."""
    forfeits: int

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
    """The simultaneous comparison of all agents: the source of order, letters and ranks."""
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


def make_standings(results: Results, options: RatingOptions = RatingOptions()) -> Standings:
    """Compare all agents of a run."""
    if not any(pair.units for pair in results.pairs):
        raise ArenaError(f"{', '.join(results.runs)}: nothing has been played yet")
    table = results.for_statistics
    forfeiters = [name for name in results.agents if any(p.forfeits[0] for p in results.of(name))]
    joint = joint_comparison(table, forfeiters=forfeiters)
    compared = all_pairs(table, options.adjustment)
    rating, elo, trouble = _ratings(results, options)
    agents = _agents(results, joint, rating, elo)
    rank = {agent.name: agent.rank for agent in agents}
    by_pair = {names: c for c in compared.comparisons for names in ((c.a, c.b), (c.b, c.a))}
    ahead_first = [_ahead_first(pair, rank) for pair in results.pairs if pair.units]
    ahead_first.sort(key=lambda pair: (rank[pair.first], rank[pair.second]))
    notes = (joint.note, rating.note if rating else "", elo.note if elo else "", trouble)
    return Standings(
        unit=results.unit,
        agents=agents,
        joint=joint,
        pairs=tuple(_pair(pair, by_pair[pair.first, pair.second]) for pair in ahead_first),
        rating=rating,
        elo=elo,
        cycles=significant_cycles(compared),
        adjustment=compared.adjustment,
        alpha=joint.alpha,
        notes=tuple(dict.fromkeys(note for note in notes if note)),
    )


def without_forfeits(results: Results) -> Standings | None:
    """The standings without forfeited deals; None if no deal, or every deal, was forfeited."""
    kept = results.without_forfeits()
    if kept is None or kept is results:
        return None
    return make_standings(kept)


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
                name=name,
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
                units=sum(len(pair.units) for pair in results.of(name)),
                forfeits=sum(pair.forfeits[0] for pair in results.of(name)),
            )
        )
    return tuple(found)


def _ahead_first(pair: Meeting, rank: dict[str, int]) -> Meeting:
    """The meeting seen from the agent that is ahead; in a tie, from the one ranked higher."""
    mean = float(pair.margins.mean())
    behind = mean < 0 or (mean == 0 and rank[pair.first] > rank[pair.second])
    return pair.reversed() if behind else pair


def _pair(pair: Meeting, compared: PairComparison) -> PairStanding:
    difference, margins = mean_difference(pair.margins), unit_margins(pair)
    low, high = compared.low, compared.high
    if pair.first != compared.a:
        low, high = (None if x is None else -x for x in (high, low))
    return PairStanding(
        first=pair.first,
        second=pair.second,
        n=difference.n,
        mean=difference.mean,
        low=low,
        high=high,
        plain_low=difference.low,
        plain_high=difference.high,
        sd=difference.sd,
        se=difference.se,
        zeros=difference.zeros,
        p=compared.p,
        p_adjusted=compared.p_adjusted,
        significant=compared.significant,
        won=int((margins > 0).sum()),
        drawn=int((margins == 0).sum()),
        lost=int((margins < 0).sum()),
        win_rate=win_rate(pair),
        saving=duplicate_saving(pair.games) if pair.games.shape[1] > 1 else None,
        forfeits=pair.forfeits,
        note=compared.note or difference.note,
    )

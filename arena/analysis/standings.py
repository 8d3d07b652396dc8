"""Standings of many agents: the joint comparison and the direct meetings.

Whatever is said about strength (order, letters, ranks, the verdict) comes from one simultaneous
inference, `arena.stats.joint_comparison`. The direct meetings of two agents (`PairStanding`) are
a description: mean and interval of each pair alone, without a test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.analysis.comparison import unit_margins, win_rate
from arena.analysis.estimates import Estimate
from arena.analysis.results import Meeting, Results
from arena.core.errors import ArenaError
from arena.core.seeds import seed_for
from arena.stats import (
    Anchor,
    Bootstrap,
    Contrast,
    DuplicateSaving,
    JointComparison,
    Rating,
    Ratings,
    StatsError,
    duplicate_saving,
    elo_rating,
    joint_comparison,
    mean_difference,
    score_rating,
    share_of_wins,
)


@dataclass(frozen=True)
class RatingOptions:
    """Options of the analysis."""

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
    """Limits of the 95% interval of this pair alone."""
    high: float | None
    sd: float | None
    se: float | None
    zeros: int
    """Deals with margin 0."""
    won: int
    """Deals won, drawn and lost, by the sign of the margin."""
    drawn: int
    lost: int
    win_rate: Estimate
    """Share of rounds (or matches) won, a draw as half."""
    saving: DuplicateSaving | None
    """Deals saved by the exchange of seats."""
    forfeits: tuple[int, int]
    note: str

    @property
    def margin(self) -> Estimate:
        """The mean margin with the interval of this pair alone."""
        return Estimate(self.mean, self.low, self.high, self.n, self.se, self.note)


@dataclass(frozen=True)
class AgentStanding:
    """One agent against all opponents that it met."""

    name: str
    rank: int
    rank_best: int
    """Ranks that cannot be excluded: all ranges hold together."""
    rank_worst: int
    within: float | None
    """Points per deal that it is behind the best agent at most; holds with all ranges."""
    letters: str
    """Agents that share a letter are not distinguishable."""
    rating: Rating | None
    """Points per deal above the field."""
    elo: Rating | None
    margin: Estimate
    points: Estimate
    win_rate: Estimate
    """Share of rounds (or matches) won, a draw as half."""
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
    rating, elo, trouble = _ratings(results, options, forfeiters)
    agents = _agents(results, joint, rating, elo)
    rank = {agent.name: agent.rank for agent in agents}
    ahead_first = [_ahead_first(pair, rank) for pair in results.pairs if pair.units]
    ahead_first.sort(key=lambda pair: (rank[pair.first], rank[pair.second]))
    notes = (joint.note, rating.note if rating else "", elo.note if elo else "", trouble)
    return Standings(
        unit=results.unit,
        agents=agents,
        joint=joint,
        pairs=tuple(map(_pair, ahead_first)),
        rating=rating,
        elo=elo,
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
    results: Results, options: RatingOptions, forfeiters: Sequence[str]
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
        rating = score_rating(table, 0.95, anchor, resampling("points"), forfeiters)
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
                rank_best=joint.ranks[name].best,
                rank_worst=joint.ranks[name].worst,
                within=joint.within(name),
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


def _pair(pair: Meeting) -> PairStanding:
    difference, margins = mean_difference(pair.margins), unit_margins(pair)
    return PairStanding(
        first=pair.first,
        second=pair.second,
        n=difference.n,
        mean=difference.mean,
        low=difference.low,
        high=difference.high,
        sd=difference.sd,
        se=difference.se,
        zeros=difference.zeros,
        won=int((margins > 0).sum()),
        drawn=int((margins == 0).sum()),
        lost=int((margins < 0).sum()),
        win_rate=win_rate(pair),
        saving=duplicate_saving(pair.games) if pair.games.shape[1] > 1 else None,
        forfeits=pair.forfeits,
        note=difference.note,
    )

"""Two agents on the deals that both played: everything `arena.stats` can say about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.analysis.estimates import Estimate
from arena.analysis.results import FloatArray, Meeting, Results
from arena.core.errors import ArenaError
from arena.core.seeds import seed_for
from arena.stats import (
    DuplicateSaving,
    EloEstimate,
    Equivalence,
    GamesOfRounds,
    MarginComparison,
    MeanDifference,
    Prediction,
    Share,
    StatsError,
    Unpaired,
    compare_margins,
    duplicate_saving,
    elo_from_counts,
    equivalence,
    games_of_rounds,
    predict_mean,
    share_of_points,
    share_of_wins,
    unpaired,
)
from arena.stats import detectable as detectable_difference
from arena.stats.power import POWER

_ROUNDS_PER_GAME = 100
"""As in Niklaus 2019: 50 deals, each in both seatings."""


@dataclass(frozen=True)
class Comparison:
    """All that is known about two agents, seen from the first."""

    first: str
    second: str
    unit: str
    statistics: MarginComparison
    """Mean margin, tests, bootstrap interval, effect size, deals won and lost."""
    win_rate: Estimate
    share: Share | None
    """None where scores can be negative."""
    saving: DuplicateSaving | None
    elo: EloEstimate | None
    """From counts of pairs of games, as the chess tools do it; None without two seatings."""
    equivalence: Equivalence | None
    published: Unpaired
    best_side: Estimate | None
    """Win rate by the best score of a single side, as published; None with a side each."""
    games_of_rounds: GamesOfRounds | None
    """None for matches, and where 100 rounds are no number of deals."""
    detectable: float | None
    """The difference that would have been found with 80% power."""
    next: Prediction
    """The mean margin of the next deals."""
    forfeits: tuple[int, int]
    runs: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As plain data; the main numbers first."""
        return _as_json(self)


@dataclass(frozen=True)
class IndirectComparison:
    """Two agents by what each did against others, on the deals that both played against them."""

    first: str
    second: str
    through: tuple[str, ...]
    """The common opponents."""
    unit: str
    means: tuple[float, float]
    """The mean margin of each against them."""
    statistics: MarginComparison
    """Of the first's mean margin against them less the second's, deal by deal."""
    equivalence: Equivalence | None
    detectable: float | None
    runs: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As plain data; the main numbers first."""
        return _as_json(self)


def _as_json(comparison: Comparison | IndirectComparison) -> dict[str, Any]:
    found = comparison.statistics
    main = {
        "first": comparison.first,
        "second": comparison.second,
        "unit": comparison.unit,
        "n": found.n,
        "mean": found.mean,
        "low": found.low,
        "high": found.high,
        "confidence": found.difference.confidence,
        "p": found.p,
        "test": found.t.name,
        "note": found.note,
    }
    rest = {key: value for key, value in asdict(comparison).items() if key not in main}
    return {**main, **rest.pop("statistics"), **rest}


def compare_agents(
    results: Results,
    first: str,
    second: str,
    *,
    equal_within: float | None = None,
    next_deals: int | None = None,
) -> Comparison:
    """Compare two agents; `equal_within` points count as equal (the equivalence test).

    `next_deals` is how many deals to predict; as many again, if not given.
    """
    pair = results.pair(first, second)
    if not pair.units:
        raise ArenaError(f"{', '.join(results.runs)}: {first} and {second} have not played yet")
    margins = pair.margins
    found = compare_margins(margins, seed_for(results.seed, "compare", first, second))
    seatings = pair.games.shape[1]
    return Comparison(
        first=first,
        second=second,
        unit=results.unit,
        statistics=found,
        win_rate=win_rate(pair),
        share=point_share(pair),
        saving=duplicate_saving(pair.games) if seatings > 1 else None,
        elo=elo_from_counts(_pentanomial(pair)) if _has_pairs_of_games(pair) else None,
        equivalence=_equal(margins, equal_within),
        published=unpaired(pair.scores[:, 0], pair.scores[:, 1]),
        best_side=best_side_rate(pair),
        games_of_rounds=_games_of_rounds(pair) if results.unit == "deal" else None,
        detectable=detectable(found.difference),
        next=predict_mean(margins, next_deals or len(margins)),
        forfeits=pair.forfeits,
        runs=results.runs,
    )


def compare_through(
    results: Results,
    first: str,
    second: str,
    through: Sequence[str],
    *,
    equal_within: float | None = None,
) -> IndirectComparison:
    """Compare two agents that played others on the same deals, as those of a sweep do.

    A deal's margin is the mean over these opponents; deals that were not played against all of
    them do not count. What the deals have in common cancels, as it does when the two meet. But how
    two play against others need not say how they would play against each other.
    """
    played = [
        {
            unit: margin
            for pair in [results.pair(name, opponent)]
            for unit, margin in zip(pair.units, pair.margins, strict=True)
        }
        for name in (first, second)
        for opponent in through
    ]
    units = [unit for unit in played[0] if all(unit in each for each in played)]
    if not units:
        raise ArenaError(
            f"{', '.join(results.runs)}: {first} and {second} have played no {results.unit} "
            f"in common against {', '.join(through)} yet"
        )
    table = np.array([[each[unit] for unit in units] for each in played])
    ours, theirs = table[: len(through)].mean(axis=0), table[len(through) :].mean(axis=0)
    margins = ours - theirs
    found = compare_margins(margins, seed_for(results.seed, "compare", first, second, *through))
    return IndirectComparison(
        first=first,
        second=second,
        through=tuple(through),
        unit=results.unit,
        means=(float(ours.mean()), float(theirs.mean())),
        statistics=found,
        equivalence=_equal(margins, equal_within),
        detectable=detectable(found.difference),
        runs=results.runs,
    )


def _equal(margins: NDArray[np.float64], within: float | None) -> Equivalence | None:
    try:
        return None if within is None else equivalence(margins, within)
    except StatsError as error:
        raise ArenaError(f"--equal-within {within}: {error}") from error


def win_rate(pair: Meeting) -> Estimate:
    """Share of games that the first won, a draw as half, with its interval over deals."""
    return Estimate.of(share_of_wins(pair.won))


def best_side_rate(pair: Meeting) -> Estimate | None:
    """Share of games in which the best score of a single side was the first's."""
    return None if pair.best_side is None else Estimate.of(share_of_wins(pair.best_side))


def unit_margins(pair: Meeting) -> FloatArray:
    """The margins that count as won, drawn or lost: of pooled runs, each deal of each run."""
    return np.concatenate([run.margins for run in pair.each_run])


def detectable(difference: MeanDifference, tests: int = 1) -> float | None:
    """The margin that as many deals with this spread find with 80% power.

    Solved on the power of the t-test; among several `tests` it must be found by the strictest
    step of Holm's. None where there is no spread to go by.
    """
    if not difference.se:
        return None
    return detectable_difference(
        difference.n - 1, difference.se, (1 - difference.confidence) / tests, POWER
    )


def point_share(pair: Meeting) -> Share | None:
    """Share of all points that the first took; None where scores can be negative."""
    played = pair.scores[~np.isnan(pair.scores).any(axis=1)]
    if played.size and played.min() < 0:
        return None
    return share_of_points(pair.scores[:, 0], pair.scores[:, 1])


def _games_of_rounds(pair: Meeting) -> GamesOfRounds | None:
    total = pair.scores.sum(axis=1)
    if np.isnan(total).any() or (total <= 0).any() or (pair.scores < 0).any():
        return None
    rounds = pair.games.shape[1]
    if _ROUNDS_PER_GAME % rounds:
        return None
    shares = pair.scores[:, 0] / total
    return games_of_rounds(shares, _ROUNDS_PER_GAME, games=None, rounds_per_deal=rounds)


def _has_pairs_of_games(pair: Meeting) -> bool:
    """Whether each deal was played in two seatings; people play it in one."""
    return pair.games.shape[1] == 2 and not np.isnan(pair.games).any()


def _pentanomial(pair: Meeting) -> list[int]:
    games = np.concatenate([run.games for run in pair.each_run])
    points = np.rint((np.sign(games) + 1).sum(axis=1)).astype(np.int64)
    return [int(n) for n in np.bincount(points, minlength=5)]

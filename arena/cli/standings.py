"""The tables at the end of a run: standings, pairs and times.

The deal (or the match) is the unit: its seatings are averaged first, and so are an
agent's results against several opponents on one deal. Intervals are 95% t intervals
over deals. Win rates count rounds (or matches), a draw as half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.cli.table import text_table
from arena.report.words import duration
from arena.stats.paired import MeanDifference, mean_difference
from arena.store import Pairing, Run, Thinking

__all__ = ["standings_text"]


@dataclass
class _Score:
    """What one entrant, or the first of a pair, has made of its rounds or matches."""

    won: float = 0.0
    played: int = 0

    def add(self, won: float, played: int) -> None:
        self.won += won
        self.played += played

    def __str__(self) -> str:
        return f"{100 * self.won / self.played:.1f}%" if self.played else "-"


@dataclass
class _ByDeal:
    """An entrant's sums over its opponents, by deal."""

    opponents: NDArray[np.float64]
    margins: NDArray[np.float64]
    points: NDArray[np.float64]
    score: _Score = field(default_factory=_Score)

    @classmethod
    def empty(cls, deals: int) -> _ByDeal:
        return cls(np.zeros(deals), np.zeros(deals), np.zeros(deals))

    def add(self, at: NDArray[np.int64], margins: Any, points: Any) -> None:
        self.opponents[at] += 1
        self.margins[at] += margins
        self.points[at] += points

    def mean_margin(self) -> MeanDifference:
        played = self.opponents > 0
        return mean_difference(self.margins[played] / self.opponents[played])

    def mean_points(self) -> float | None:
        """None if some rounds have no score, because they were forfeited."""
        played = self.opponents > 0
        mean = np.mean(self.points[played] / self.opponents[played]) if played.any() else np.nan
        return None if np.isnan(mean) else float(mean)


@dataclass(frozen=True)
class _Pair:
    """A pairing's results by deal."""

    pairing: Pairing
    deals: NDArray[np.int64]
    """Which deals, by number."""
    margins: NDArray[np.float64]
    points: NDArray[np.float64]
    """A column for each of the two."""
    score: _Score


def standings_text(run: Run) -> str:
    """Standings, pairwise table and times of a run."""
    numbers: dict[str, int] = {}
    pairs = [_pair(run, pairing, numbers) for pairing in run.pairings]
    entrants = {name: _ByDeal.empty(len(numbers)) for name in run.entrants}
    for pair in pairs:
        first, second = entrants[pair.pairing.first], entrants[pair.pairing.second]
        first.add(pair.deals, pair.margins, pair.points[:, 0])
        second.add(pair.deals, -pair.margins, pair.points[:, 1])
        first.score.add(pair.score.won, pair.score.played)
        second.score.add(pair.score.played - pair.score.won, pair.score.played)
    thinking = run.thinking()
    unit, units, rounds = _words(run)
    tables = (
        _standings(run, entrants, thinking, (units, unit)),
        _pairs(pairs, (units, unit, rounds)),
        _times(thinking),
    )
    return "\n\n".join(tables) + "\n"


def _words(run: Run) -> tuple[str, str, str]:
    return ("match", "matches", "matches") if run.is_match else ("deal", "deals", "rounds")


def _pair(run: Run, pairing: Pairing, numbers: dict[str, int]) -> _Pair:
    deals: list[int] = []
    values: list[tuple[float, float | None, float | None]] = []
    rows = run.database.units(pairing.id, "unit, margin, score_first, score_second")
    for unit, margin, first, second in rows:
        deals.append(numbers.setdefault(unit, len(numbers)))
        values.append((margin, first, second))
    table = np.array(values, dtype=np.float64).reshape(len(values), 3)
    points = "coalesce(sum((margin > 0) + (margin >= 0)), 0) / 2.0"
    (games,) = run.database.games(pairing.id, f"{points}, count(*)")
    return _Pair(
        pairing, np.array(deals, dtype=np.int64), table[:, 0], table[:, 1:], _Score(*games)
    )


def _standings(
    run: Run,
    entrants: dict[str, _ByDeal],
    thinking: dict[str, Thinking],
    words: tuple[str, str],
) -> str:
    units, unit = words
    results = {name: each.mean_margin() for name, each in entrants.items()}
    rows = []
    for name in sorted(results, key=lambda name: (-(results[name].mean or 0.0), name)):
        result, points = results[name], entrants[name].mean_points()
        sees_all = run.manifest.entrants[name].sees_all_cards
        rows.append(
            (
                f"{name} (sees all cards)" if sees_all else name,
                f"{result.n:,}",
                "-" if points is None else f"{points:.1f}",
                _signed(result.mean),
                _interval(result),
                str(entrants[name].score),
                duration(thinking[name].mean),
            )
        )
    points_title = f"points per {unit}"
    head = ("agent", units, points_title, "margin", "95% interval", "win rate", "per decision")
    return text_table(head, rows)


def _pairs(pairs: Sequence[_Pair], words: tuple[str, str, str]) -> str:
    units, unit, rounds = words
    rows = []
    for pair in pairs:
        result, margins = mean_difference(pair.margins), pair.margins
        wins, draws, losses = ((margins > 0).sum(), (margins == 0).sum(), (margins < 0).sum())
        rows.append(
            (
                f"{pair.pairing.first} - {pair.pairing.second}",
                f"{len(margins):,}",
                _signed(result.mean),
                _interval(result),
                f"{wins}-{draws}-{losses}",
                str(pair.score),
            )
        )
    head = ("pair", units, f"margin per {unit}", "95% interval", "won-drawn-lost")
    return text_table((*head, f"{rounds} won"), rows)


def _times(thinking: dict[str, Thinking]) -> str:
    rows = []
    for name, spent in thinking.items():
        times = (spent.mean, spent.median, spent.p95, spent.max, spent.total)
        rows.append((name, f"{spent.decisions:,}", *map(duration, times)))
    return text_table(
        ("time per decision", "decisions", "mean", "median", "95th", "max", "total"), rows
    )


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{value:+.1f}"


def _interval(result: MeanDifference) -> str:
    if result.low is None or result.high is None:
        return "-"
    return f"{result.low:+.1f} to {result.high:+.1f}"

"""Many comparisons at once: adjusted p values, letters, and ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from arena.stats.errors import StatsError
from arena.stats.letters import compact_letters
from arena.stats.pair_results import PairResults
from arena.stats.paired import MeanDifference, mean_difference, paired_t
from arena.stats.sample import FloatArray, check_probability, join_notes

Adjustment = Literal["holm", "bh", "none"]


@dataclass(frozen=True)
class PairComparison:
    """One pair of agents: mean margin of `a` over `b`, with simultaneous limits and adjusted p.

    `plain_low`, `plain_high` and `p` are those of this pair alone, to be labelled so.
    """

    a: str
    b: str
    mean: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    significant: bool
    n: int
    zeros: int
    plain_low: float | None
    plain_high: float | None
    note: str = ""


@dataclass(frozen=True)
class AllPairs:
    """Every pair that met, with limits and p adjusted over all of them, and the letter display.

    Agents that share a letter are not distinguishable.
    """

    agents: tuple[str, ...]
    comparisons: tuple[PairComparison, ...]
    letters: dict[str, str]
    adjustment: Adjustment
    alpha: float
    note: str = ""


def adjust_p(p_values: ArrayLike, method: Adjustment = "holm") -> FloatArray:
    """Adjust p values for the number of tests.

    Formula: Holm's step-down (family-wise error) or Benjamini-Hochberg's step-up (false discovery
    rate); "none" returns them as they are. Assumes nothing (Holm), or independent or positively
    dependent tests (BH). Source: Holm 1979, Scand. J. Stat. 6; Benjamini & Hochberg 1995, JRSS B
    57.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or np.isnan(p).any() or (p < 0).any() or (p > 1).any():
        raise StatsError("p values must be a 1-D array of numbers between 0 and 1")
    if method == "none" or p.size == 0:
        return p.copy()
    if method == "bh":
        order = np.argsort(-p, kind="stable")
        stepped = np.minimum.accumulate(p[order] * p.size / np.arange(p.size, 0, -1))
    elif method == "holm":
        order = np.argsort(p, kind="stable")
        stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    else:
        raise StatsError(f"unknown adjustment {method!r} (holm, bh, none)")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def all_pairs(
    results: PairResults,
    adjustment: Adjustment = "holm",
    alpha: float = 0.05,
) -> AllPairs:
    """Compare every pair of agents that met, deal by deal.

    Formula: the paired t-test on each pair's margins, p adjusted over all m pairs; significant
    when the adjusted p is below alpha. The limits hold together with confidence 1 - alpha:
    Bonferroni's (level α/m) beside Holm's p, which is a little more powerful, so that a pair may be
    significant while its limits include 0; with Benjamini and Hochberg those of the false coverage
    rate (level αR/m for R discoveries). Unit: the deal; points. Pairs without a test (see their
    note) take no part in the adjustment. Source: `paired_t`, `adjust_p`; Dunn 1961, JASA 56
    (Bonferroni limits); Benjamini & Yekutieli 2005, JASA 100; Piepho 2004 for the letters.
    """
    check_probability(alpha, "alpha")
    table = results.table()
    rows = []
    for column, (i, j) in enumerate(table.pairs.tolist()):
        margins = table.margin[table.played[:, column] > 0, column]
        rows.append((i, j, mean_difference(margins, 1 - alpha), paired_t(margins)))
    tested = [outcome.p for *_, outcome in rows if outcome.p is not None]
    stepped = adjust_p(np.array(tested), adjustment)
    level = _level(stepped, adjustment, alpha)
    adjusted = iter(stepped)
    comparisons = []
    apart = []
    for i, j, mean, outcome in rows:
        p_adjusted = None if outcome.p is None else float(next(adjusted))
        significant = p_adjusted is not None and p_adjusted < alpha
        if significant:
            apart.append((i, j))
        comparisons.append(
            PairComparison(
                results.agents[i],
                results.agents[j],
                mean.mean,
                *_limits(mean, level),
                outcome.p,
                p_adjusted,
                significant,
                mean.n,
                mean.zeros,
                mean.low,
                mean.high,
                outcome.note,
            )
        )
    order = _strength_order(results)
    letters = compact_letters(len(results.agents), apart, order)
    missing = math.comb(len(results.agents), 2) - len(rows)
    note = f"{missing} pairs never met and count as not distinguishable." if missing else ""
    if results.forfeits:
        note = join_notes(note, f"{results.forfeits} forfeited results were left out.")
    return AllPairs(
        results.agents,
        tuple(comparisons),
        {agent: letters[i] for i, agent in enumerate(results.agents)},
        adjustment,
        alpha,
        note,
    )


def _level(p_adjusted: FloatArray, adjustment: Adjustment, alpha: float) -> float:
    """The level of each interval, so that they hold together as the adjustment promises."""
    if adjustment == "none" or not p_adjusted.size:
        return alpha
    found = max(int((p_adjusted < alpha).sum()), 1) if adjustment == "bh" else 1
    return alpha * found / p_adjusted.size


def _limits(found: MeanDifference, level: float) -> tuple[float | None, float | None]:
    if found.mean is None or not found.se:
        return None, None
    half = -float(special.stdtrit(found.n - 1, level / 2)) * found.se
    return found.mean - half, found.mean + half


def _strength_order(results: PairResults) -> list[int]:
    """Agents from strongest to weakest by mean margin, so that the best gets letter a."""
    k = len(results.agents)
    total = np.bincount(results.a, results.margin, k) - np.bincount(results.b, results.margin, k)
    games = np.bincount(results.a, minlength=k) + np.bincount(results.b, minlength=k)
    return [int(i) for i in np.argsort(-total / np.maximum(games, 1), kind="stable")]

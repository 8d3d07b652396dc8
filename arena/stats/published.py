"""The statistics of published work, for comparison with it and labelled as such.

None of these uses the pairing of duplicate deals; use `arena.stats.paired` for conclusions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from arena.stats.errors import StatsError
from arena.stats.ranks import rank_sums
from arena.stats.sample import check_probability, deal_sample, join_notes

UNPAIRED_LABEL = "unpaired, as published; ignores that both agents played the same deals"


@dataclass(frozen=True)
class Unpaired:
    """Two independent samples compared three ways, as published work does it."""

    label: str
    difference: float | None
    low: float | None
    high: float | None
    student_p: float | None
    welch_p: float | None
    mann_whitney_p: float | None
    n_a: int
    n_b: int
    confidence: float
    note: str = ""


@dataclass(frozen=True)
class GamesOfRounds:
    """Mean ± standard deviation over games of a fixed number of rounds."""

    label: str
    mean: float | None
    sd: float | None
    se: float | None
    games: int
    rounds_per_game: int
    rounds_unused: int
    note: str = ""


def unpaired(points_a: ArrayLike, points_b: ArrayLike, confidence: float = 0.95) -> Unpaired:
    """Unpaired comparison of the points of two agents, as published work reports it.

    Formula: difference of means with Welch's interval; p of Student's and Welch's t and of the
    Mann-Whitney U test, all two-sided. Unit: whatever was sampled (a game or a deal). Assumes two
    independent samples, which duplicate deals are not: with luck shared the p values are too
    large or too small. Source: Welch 1947, Biometrika 34; Mann & Whitney 1947, Ann. Math. Stat.
    18; used so in Niklaus 2019 (Jass) and Hoogenboom 2017 (Klaverjas).
    """
    check_probability(confidence, "confidence")
    a = deal_sample(points_a, "points of A")
    b = deal_sample(points_b, "points of B")
    why = ""
    if min(a.n, b.n) < 2:
        why = "Fewer than two values on a side: no test."
    elif a.sd == 0 and b.sd == 0:
        why = "Neither side varies: no test."
    if why:
        difference = a.mean - b.mean if a.n and b.n else None
        return Unpaired(
            UNPAIRED_LABEL, difference, None, None, None, None, None, a.n, b.n, confidence, why
        )
    difference = a.mean - b.mean
    of_a, of_b = a.sd**2 / a.n, b.sd**2 / b.n
    df = a.n + b.n - 2
    pooled = ((a.n - 1) * a.sd**2 + (b.n - 1) * b.sd**2) / df
    student = math.sqrt(pooled * (1 / a.n + 1 / b.n))
    welch = math.sqrt(of_a + of_b)
    welch_df = (of_a + of_b) ** 2 / (of_a**2 / (a.n - 1) + of_b**2 / (b.n - 1))
    half = float(special.stdtrit(welch_df, 0.5 + confidence / 2)) * welch
    return Unpaired(
        UNPAIRED_LABEL,
        difference,
        difference - half,
        difference + half,
        float(2 * special.stdtr(df, -abs(difference) / student)),
        float(2 * special.stdtr(welch_df, -abs(difference) / welch)),
        rank_sums(a.values, b.values).p,
        a.n,
        b.n,
        confidence,
        join_notes(a.forfeit_note, b.forfeit_note),
    )


def games_of_rounds(
    shares: ArrayLike, rounds_per_game: int = 100, games: int | None = 10, rounds_per_deal: int = 1
) -> GamesOfRounds:
    """The "10 games of 100 rounds" figure of the Jass thesis: mean ± standard deviation.

    `shares` is A's share of the points of each deal, in playing order, its rounds averaged: the
    thesis plays every deal twice, in a double round, so its games have 50 deals. Formula: average
    each consecutive block of deals that make `rounds_per_game` rounds; mean and standard deviation
    (n - 1) over the blocks. `games=None` uses as many whole blocks as there are. Unit: the game of
    100 rounds. The ± is a standard deviation over games, not an error of the mean: that one is
    `se`. Source: Niklaus 2019, MSc thesis, University of Bern, chapter 13.
    """
    if rounds_per_game < 1 or rounds_per_deal < 1 or rounds_per_game % rounds_per_deal:
        raise StatsError(
            f"a game of {rounds_per_game} rounds is no number of deals of {rounds_per_deal} rounds"
        )
    s = deal_sample(shares, "shares")
    deals = rounds_per_game // rounds_per_deal
    whole = s.n // deals
    if games is not None:
        if whole < games:
            raise StatsError(
                f"{games} games of {rounds_per_game} rounds need {games * rounds_per_game} "
                f"rounds, got {s.n * rounds_per_deal}"
            )
        whole = games
    used = whole * deals
    unused = (s.n - used) * rounds_per_deal
    label = f"{whole} games of {rounds_per_game} rounds, mean ± sd over games (as published)"
    basis = (whole, rounds_per_game, unused)
    if whole == 0:
        why = f"Fewer than {rounds_per_game} rounds: not one whole game."
        return GamesOfRounds(label, None, None, None, *basis, s.note(why))
    blocks = s.values[:used].reshape(whole, deals).mean(axis=1)
    if whole == 1:
        why = "One game only: no standard deviation."
        return GamesOfRounds(label, float(blocks[0]), None, None, *basis, s.note(why))
    sd = float(np.std(blocks, ddof=1))
    mean = float(blocks.mean())
    return GamesOfRounds(label, mean, sd, sd / math.sqrt(whole), *basis, s.note())

"""Elo of one pairing from its counts, as the chess tools define it.

Logistic Elo is a function of the score, normalized Elo of the score in units of its standard
deviation. With five counts the two seatings of a deal are one observation, which is right; with
three counts every game is taken as independent, which on duplicate deals it is not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from arena.stats.counts import outcomes
from arena.stats.errors import StatsError
from arena.stats.sample import FloatArray, check_probability

NELO_PER_T = 800 / math.log(10)
ELO_PER_LOGIT = 400 / math.log(10)


@dataclass(frozen=True)
class EloEstimate:
    """Logistic and normalized Elo with intervals, and the likelihood of superiority."""

    elo: float | None
    low: float | None
    high: float | None
    nelo: float | None
    nelo_low: float | None
    nelo_high: float | None
    los: float | None
    score: float
    variance: float
    variance_per_game: float
    units: float
    games: float
    confidence: float
    note: str = ""

    @property
    def error(self) -> float | None:
        """Half the width of the interval, the "±" the chess tools print."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def nelo_error(self) -> float | None:
        if self.nelo_low is None or self.nelo_high is None:
            return None
        return (self.nelo_high - self.nelo_low) / 2


def expected_score(elo: float) -> float:
    """Logistic Elo to expected score: 1/(1 + 10^(-elo/400)). Source: Elo 1978, §8.4."""
    return float(special.expit(elo / ELO_PER_LOGIT))


def elo_of_score(score: float) -> float:
    """Expected score to logistic Elo: 400·log10(score/(1 - score)); infinite at 0 and 1."""
    if not 0 <= score <= 1:
        raise StatsError(f"a score lies between 0 and 1, got {score}")
    return float(ELO_PER_LOGIT * special.logit(score))


def elo_from_counts(
    counts: ArrayLike,
    confidence: float = 0.95,
    interval: Literal["t", "normal"] = "t",
    fill_empty: bool = False,
) -> EloEstimate:
    """Elo of a pairing from [L, D, W] or [LL, LD, LW+DD, DW, WW].

    Formula: score x̄ and variance v (population) of a unit; x̄ ± q·√(v/N) mapped through
    400·log10(x/(1-x)); normalized Elo (x̄ - 1/2)/σ·800/ln 10 with σ² the variance per game
    (2v for pairs); LOS = Φ((x̄ - 1/2)/√(v/N)). q is t(N-1) (OpenBench) or normal (fishtest,
    fastchess); `fill_empty` is fishtest's 0.001 in empty cells. Unit: the game (3 counts) or the
    deal with two seatings (5 counts). Assumes independent units and a nearly normal mean score.
    Source: Elo 1978; Van den Bergh, "Normalized Elo"; fastchess elo_pentanomial.cpp.
    """
    check_probability(confidence, "confidence")
    o = outcomes(counts, fill_empty)
    note = ""
    elo = elo_of_score(o.mean) if 0 < o.mean < 1 else None
    basis = (o.mean, o.variance, o.variance_per_game, o.units, o.games, confidence)
    if o.variance <= 0:
        note = f"All {o.units:g} results are the same: no variance, so no interval."
        return EloEstimate(elo, None, None, None, None, None, None, *basis, note)
    se = math.sqrt(o.variance / o.units)
    tail = 0.5 + confidence / 2
    if interval == "t" and o.units <= 1:
        quantile = math.inf
        note = "One result only: no interval."
    elif interval == "t":
        quantile = float(special.stdtrit(o.units - 1, tail))
    else:
        quantile = float(special.ndtri(tail))
    low_score, high_score = o.mean - quantile * se, o.mean + quantile * se
    low = elo_of_score(low_score) if 0 < low_score < 1 else None
    high = elo_of_score(high_score) if 0 < high_score < 1 else None
    if not note and (low is None or high is None):
        note = "The score interval reaches 0 or 1, where Elo is infinite: that limit is open."
    sigma = math.sqrt(o.variance_per_game)
    finite = math.isfinite(quantile)
    return EloEstimate(
        elo,
        low,
        high,
        NELO_PER_T * (o.mean - 0.5) / sigma,
        NELO_PER_T * (low_score - 0.5) / sigma if finite else None,
        NELO_PER_T * (high_score - 0.5) / sigma if finite else None,
        float(special.ndtr((o.mean - 0.5) / se)),
        *basis,
        note,
    )


@dataclass(frozen=True)
class BayesElo:
    """BayesElo's two parameters of a win/draw/loss distribution."""

    elo: float
    draw_elo: float


def bayeselo_probabilities(elo: float, draw_elo: float) -> FloatArray:
    """[loss, draw, win] probabilities of the BayesElo model.

    Formula: win = 1/(1 + 10^((drawelo - elo)/400)), loss = 1/(1 + 10^((drawelo + elo)/400)).
    Unit: the game. Source: Coulom 2005, BayesElo; fishtest stat_util.py.
    """
    win = float(special.expit((elo - draw_elo) / ELO_PER_LOGIT))
    loss = float(special.expit((-elo - draw_elo) / ELO_PER_LOGIT))
    return np.array([loss, 1 - win - loss, win])


def bayeselo_of_probabilities(probabilities: ArrayLike) -> BayesElo:
    """The BayesElo parameters of [loss, draw, win] probabilities or counts (inverse of the above).

    Formula: elo = 200·log10(w(1-l)/(l(1-w))), drawelo = 200·log10((1-l)(1-w)/(lw)).
    Unit: the game. Source: Coulom 2005; fishtest stat_util.py.
    """
    o = outcomes(probabilities)
    if o.counts.size != 3 or o.counts[0] == 0 or o.counts[2] == 0:
        raise StatsError("BayesElo needs [L, D, W] with at least one loss and one win")
    loss, _, win = (float(p) for p in o.probabilities)
    half = ELO_PER_LOGIT / 2
    return BayesElo(
        elo=float(half * (special.logit(win) - special.logit(loss))),
        draw_elo=float(-half * (special.logit(win) + special.logit(loss))),
    )


def bayeselo_to_elo(elo: float, draw_elo: float) -> float:
    """Logistic Elo of the expected score under the BayesElo model."""
    p = bayeselo_probabilities(elo, draw_elo)
    return elo_of_score(float(p[2] + p[1] / 2))

"""Log likelihood ratios of two hypotheses: on margins, on their t value, on counts."""

from __future__ import annotations

import math
from typing import Literal

from numpy.typing import ArrayLike

from arena.stats.counts import Outcomes, expected_log_ratio, mle_given_mean, mle_given_t, outcomes
from arena.stats.elo import (
    NELO_PER_T,
    bayeselo_of_probabilities,
    bayeselo_to_elo,
    expected_score,
)
from arena.stats.errors import StatsError

EloModel = Literal["logistic", "normalized", "bayesian"]


def llr_points(n: float, mean: float, variance: float, h0: float, h1: float) -> float:
    """Log likelihood ratio of mean margin h1 against h0, variance unknown.

    Formula: n/2 · ln[(s² + (x̄ - h0)²)/(s² + (x̄ - h1)²)], s² the population variance (1/n).
    Unit: the deal; points. Assumes independent deals; a quasi-likelihood for margins that are
    not normal. Source: Van den Bergh, "Maximum likelihood for the multinomial distribution",
    section 3; the likelihood ratio of normal means with unknown variance.
    """
    if variance <= 0:
        raise StatsError("the likelihood ratio needs a positive variance")
    return n / 2 * math.log((variance + (mean - h0) ** 2) / (variance + (mean - h1) ** 2))


def llr_tvalue(n: float, t: float, t0: float, t1: float) -> float:
    """Approximate log likelihood ratio of t = mean/sd being t1 against t0.

    Formula: n/2 · ln[(1 + (t - t0)²)/(1 + (t - t1)²)]. Unit: the deal; standard deviations.
    Source: Van den Bergh, "Normalized Elo in practice", section 4.2.
    """
    return n / 2 * math.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2))


def llr_counts(
    counts: ArrayLike,
    elo0: float,
    elo1: float,
    model: EloModel = "normalized",
    exact: bool = True,
) -> float:
    """Log likelihood ratio of elo1 against elo0 from trinomial or pentanomial counts.

    Formula: N·Σ p̂ ln(p1/p0), p0 and p1 the most likely distributions under each hypothesis: a
    given mean (logistic; bayesian, with bounds that are first turned into logistic ones with the
    observed draw Elo) or a given (mean - 1/2)/sd (normalized; √2 times per pair). Empty cells are
    filled with 0.001. `exact=False` is the closed form from mean and variance. Unit: the game (3
    counts) or the deal with two seatings (5 counts).
    Source: Van den Bergh, "Normalized Elo in practice", section 4; fishtest LLRcalc.py.
    """
    o = outcomes(counts, fill_empty=True)
    if model == "normalized":
        t0, t1 = (_t_of_nelo(elo, o) for elo in (elo0, elo1))
        if not exact:
            t = (o.mean - 0.5) / math.sqrt(o.variance)
            # per game, as published: the ratio is taken on the games' scale
            ratio = math.sqrt(o.units / o.games)
            return llr_tvalue(o.games, t * ratio, t0 * ratio, t1 * ratio)
        mle0 = mle_given_t(o.scores, o.probabilities, t0, 0.5)
        mle1 = mle_given_t(o.scores, o.probabilities, t1, 0.5)
        return o.units * expected_log_ratio(o.probabilities, mle0, mle1)
    score0, score1 = score_bounds(o, elo0, elo1, model)
    if not exact:
        return llr_points(o.units, o.mean, o.variance, score0, score1)
    mle0 = mle_given_mean(o.scores, o.probabilities, score0)
    mle1 = mle_given_mean(o.scores, o.probabilities, score1)
    return o.units * expected_log_ratio(o.probabilities, mle0, mle1)


def _t_of_nelo(nelo: float, o: Outcomes) -> float:
    return nelo / NELO_PER_T * math.sqrt(o.games / o.units)


def score_bounds(o: Outcomes, elo0: float, elo1: float, model: EloModel) -> tuple[float, float]:
    """The two hypotheses as expected scores."""
    if model == "normalized":
        sigma = math.sqrt(o.variance_per_game)
        return 0.5 + elo0 / NELO_PER_T * sigma, 0.5 + elo1 / NELO_PER_T * sigma
    if model == "bayesian":
        draw_elo = bayeselo_of_probabilities(o.counts).draw_elo
        elo0, elo1 = (bayeselo_to_elo(elo, draw_elo) for elo in (elo0, elo1))
    elif model != "logistic":
        raise StatsError(f"unknown Elo model {model!r} (logistic, normalized, bayesian)")
    return expected_score(elo0), expected_score(elo1)

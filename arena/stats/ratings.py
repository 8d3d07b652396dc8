"""Ratings of many agents with covariance clustered by deal: points above the field, and Elo.

All pairs play the same deals, so their results are not independent: a deal that suits one agent
shows in all its games. Every interval here treats the deal as the unit (see `sandwich`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from arena.stats.bootstrap import bca_limits, deal_weights
from arena.stats.bradley_terry import (
    DrawModel,
    fit_strengths,
    observed_information,
    strongly_connected,
)
from arena.stats.counts import EMPTY_CELL
from arena.stats.elo import ELO_PER_LOGIT
from arena.stats.errors import StatsError
from arena.stats.least_squares import (
    Fit,
    additive_fit,
    deal_patterns,
    mean_zero_basis,
    pair_weights,
)
from arena.stats.pair_results import DealTable, PairResults, check_connected
from arena.stats.perfect import PerfectScores, open_limit, perfect_scores
from arena.stats.sample import FloatArray, check_probability, generator, join_notes
from arena.stats.sandwich import ClusteredCovariance

RESAMPLE_PRIOR = 0.5
"""Wins and losses added to every pair of a bootstrap resample that has no finite strengths."""
BOOTSTRAP_CHUNK = 200


@dataclass(frozen=True)
class Rating:
    """One agent's rating with its interval; the anchor is exact by definition.

    Without a value the rating is infinite (a perfect score), and the one limit that there is is
    open: the agent is at least, or at most, there.
    """

    agent: str
    value: float | None
    low: float | None
    high: float | None
    se: float | None
    df: float | None


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings in the order of the agents.

    `covariance` is agent × agent in the unit of the ratings; `los[i, j]` the probability that i
    is stronger than j, from the t distribution of their difference (None on the diagonal, where
    the question has no meaning, and where no interval exists). `draw_share` is Davidson's share of
    draws between equals. `prior` is what was added to every pair.
    """

    kind: Literal["points", "elo"]
    ratings: tuple[Rating, ...]
    covariance: FloatArray
    los: tuple[tuple[float | None, ...], ...]
    deals: int
    games: int
    forfeits: int
    confidence: float
    anchor: str | None
    draw_share: float | None = None
    prior: float = 0.0
    resamples: int = 0
    note: str = ""

    def __getitem__(self, agent: str) -> Rating:
        for rating in self.ratings:
            if rating.agent == agent:
                return rating
        raise KeyError(agent)


@dataclass(frozen=True)
class Anchor:
    """Pin one agent to a value; without an anchor the mean over agents is 0."""

    agent: str
    value: float = 0.0


@dataclass(frozen=True)
class Bootstrap:
    """Ask for BCa intervals from this many resamples of whole deals."""

    seed: int | np.random.Generator
    resamples: int = 2_000


def score_rating(
    results: PairResults,
    confidence: float = 0.95,
    anchor: Anchor | None = None,
    bootstrap: Bootstrap | None = None,
    forfeiters: Collection[str] = (),
) -> Ratings:
    """Points per deal above the field, by least squares over all pairs.

    Formula: minimise Σ (margin - (r_i - r_j))² with mean rating 0; so r_i - r_j is the expected
    margin, and in a full round robin r_i is the mean margin of i against the field, itself
    included at 0. `forfeiters` lost games without playing them: the field is the others, rated by
    their games among themselves (`pair_weights`). Covariance clustered by deal (CR2) with
    Satterthwaite t limits. Unit: the deal; points. Assumes independent deals;
    that margins add up (r_i - r_j) is a summary, not an assumption of the interval: see
    `transitivity` for what it hides.
    Source: Stefani 1980, IEEE Trans. SMC 10 (least squares ratings); `sandwich` for the covariance.
    """
    check_probability(confidence, "confidence")
    table = results.table()
    check_connected(table)
    fit = _RatingFit(
        **vars(additive_fit(table, forfeiters)), weights=pair_weights(table, forfeiters)
    )
    zero = tuple(name for name in table.agents if name not in forfeiters)
    note = ""
    if 0 < len(zero) < len(table.agents):
        note = "Score ratings: games of agents that forfeited move those of no other agent"
        note += "." if anchor else "; the others have mean 0."
    return _ratings(table, fit, confidence, anchor, bootstrap, note, zero)


def elo_rating(
    results: PairResults,
    confidence: float = 0.95,
    draw_model: DrawModel = "half",
    anchor: Anchor | None = None,
    prior: float | None = None,
    bootstrap: Bootstrap | None = None,
) -> Ratings:
    """Elo by Bradley-Terry maximum likelihood over all pairs, one result per pair and deal.

    Formula: maximise Σ w·ln P(win) + d·ln P(draw) + l·ln P(loss) with w, d, l the shares of the
    deal's seatings; Elo = 400/ln 10 · θ, mean 0 or anchored. Draws are half wins or follow
    Davidson, on another scale (the note says how it converts). Covariance clustered by
    deal (CR2) with Satterthwaite t limits; on request BCa limits from a bootstrap over deals.

    Agents that won or lost everything against the rest have no finite rating, and do not move
    the others: those are rated by their own results, and a perfect agent gets one open limit, by
    profile likelihood: there, results as one-sided as these have probability α/2 (for two agents
    that is Clopper and Pearson's limit). `prior`, if given, adds that many wins and as many losses
    to every pair instead. Unit: the deal. Assumes independent deals; if the model does not hold
    the interval is for the best fitting Elo.

    By hand, not statsmodels' GLM, which gives the same strengths (`arena calibrate` compares): a
    bootstrap fits thousands of them at once, and CR2 with its degrees of freedom is not there.
    Source: Bradley & Terry 1952; Davidson 1970; Ford 1957, Am. Math. Monthly 64 (when strengths
    are finite); Clopper & Pearson 1934, Biometrika 26.
    """
    check_probability(confidence, "confidence")
    if prior is not None and not prior >= 0:
        raise StatsError(f"prior must not be negative, got {prior}")
    table = results.table()
    check_connected(table)
    note = ""
    davidson = draw_model == "davidson"
    if davidson and table.draws.sum() == 0:
        davidson = False
        note = "No draws: Davidson's model is the plain one."
    if not prior:
        placed = perfect_scores(table, None if anchor is None else anchor.agent)
        if placed.outside:
            if prior is not None:
                raise StatsError(
                    "no finite maximum likelihood: some agents won or lost everything against the "
                    "rest; leave prior unset or give a positive one"
                )
            return _with_open_limits(results, placed, confidence, draw_model, anchor, bootstrap)
    fit = _maximum_likelihood(table, davidson, prior or 0.0)
    if davidson and fit.draw_share is not None:
        note = join_notes(
            note,
            "Davidson's scale: 400 points are odds of 10 to 1 of a win against a loss, draws "
            f"aside. Between equals one point is worth {1 - fit.draw_share:.2f} points of Elo.",
        )
    return _ratings(table, fit, confidence, anchor, bootstrap, note)


def _with_open_limits(
    results: PairResults,
    placed: PerfectScores,
    confidence: float,
    draw_model: DrawModel,
    anchor: Anchor | None,
    bootstrap: Bootstrap | None,
) -> Ratings:
    """Those with finite ratings by their own results, the others by one open limit each."""
    agents, k = results.agents, len(results.agents)
    offset = 0.0 if anchor is None else anchor.value
    reference = None if anchor is None else agents.index(anchor.agent)
    core: Ratings | None = None
    if len(placed.core) > 1:
        core = elo_rating(
            results.among(placed.core), confidence, draw_model, anchor, None, bootstrap
        )
    table = results.table()
    rated = []
    for i, agent in enumerate(agents):
        if i in placed.core:
            alone = Rating(agent, offset, offset, offset, 0.0, None)
            rated.append(alone if core is None else core[agent])
            continue
        side = placed.outside[i]
        low = high = None
        if side:
            limit = open_limit(table, i, side, placed.core, reference, confidence)
            limit = ELO_PER_LOGIT * limit + offset
            low, high = (limit, None) if side > 0 else (None, limit)
        rated.append(Rating(agent, None, low, high, None, None))
    covariance = np.full((k, k), np.nan)
    los: list[list[float | None]] = [[None] * k for _ in range(k)]
    if core is not None:
        covariance[np.ix_(placed.core, placed.core)] = core.covariance
        for row, i in enumerate(placed.core):
            for column, j in enumerate(placed.core):
                los[i][j] = core.los[row][column]
    names = ", ".join(agents[i] for i in placed.outside)
    return Ratings(
        "elo",
        tuple(rated),
        covariance,
        tuple(map(tuple, los)),
        table.deals,
        int(table.played.sum()),
        table.forfeits,
        confidence,
        None if anchor is None else anchor.agent,
        None if core is None else core.draw_share,
        0.0,
        0 if core is None else core.resamples,
        join_notes(
            f"Elo of {names}: everything was won or lost against the rest, so only an open limit "
            "exists; the others are rated without those results.",
            "" if core is None else core.note,
        ),
    )


@dataclass(frozen=True, eq=False)
class _RatingFit(Fit):
    """A fit in points or in Elo, and what a bootstrap of it needs."""

    weights: FloatArray | None = None
    """Of pairs; 1 each in Elo."""
    draw_share: float | None = None
    prior: float = 0.0
    elo: bool = False
    davidson: bool = False


def _maximum_likelihood(table: DealTable, davidson: bool, added: float) -> _RatingFit:
    design = table.incidence
    k = len(table.agents)
    counts = [x.sum(axis=0)[None, :] for x in (table.wins, table.draws, table.losses)]
    wins, draws, losses = counts
    beta, _ = fit_strengths(design, wins + added, draws, losses + added, davidson, agents=k)
    parameters = beta[0]
    basis = mean_zero_basis(table, int(davidson))
    kinds, pattern = deal_patterns(table)
    many = np.broadcast_to(beta, (len(kinds), beta.shape[1]))
    information = observed_information(design, many, kinds, davidson, k)
    information = basis.T @ information @ basis
    played = table.played.sum(axis=0)[None, :] + 2 * added
    total = basis.T @ observed_information(design, beta, played, davidson, k)[0] @ basis
    eta = design @ parameters[:k]
    if davidson:
        weights = np.exp(np.stack([-eta / 2, np.full_like(eta, parameters[-1]), eta / 2]))
        loss, draw, win = weights / weights.sum(axis=0)
        surprise = (table.wins - table.losses) / 2 - table.played * (win - loss) / 2
        scores = np.column_stack(
            [surprise @ design, (table.draws - table.played * draw).sum(axis=1)]
        )
        nu = float(np.exp(parameters[-1]))
        draw_share: float | None = nu / (2 + nu)
    else:
        surprise = table.draws / 2
        surprise += table.wins  # in place: one table is large
        surprise -= table.played * special.expit(eta)
        scores = surprise @ design
        draw_share = None
    return _RatingFit(
        strengths=parameters[:k],
        basis=basis,
        scores=scores @ basis,
        bread=np.linalg.inv(total),
        information=information,
        pattern=pattern,
        draw_share=draw_share,
        prior=added,
        elo=True,
        davidson=davidson,
    )


def _finite(
    table: DealTable, wins: FloatArray, draws: FloatArray, losses: FloatArray
) -> FloatArray:
    first, second = table.pairs.T
    return strongly_connected(len(table.agents), first, second, wins + draws, losses + draws)


def _ratings(
    table: DealTable,
    fit: _RatingFit,
    confidence: float,
    anchor: Anchor | None,
    bootstrap: Bootstrap | None,
    note: str = "",
    zero: Collection[str] = (),
) -> Ratings:
    """`zero`: the agents with mean 0; all if there are none."""
    k = len(table.agents)
    unit = ELO_PER_LOGIT if fit.elo else 1.0
    field = np.array([name in (zero or table.agents) for name in table.agents])
    place = np.eye(k) - field / field.sum()
    offset = 0.0
    if anchor is not None:
        if anchor.agent not in table.agents:
            raise StatsError(
                f"anchor {anchor.agent!r} is not among the agents: {', '.join(table.agents)}"
            )
        place = np.eye(k)
        place[:, table.agents.index(anchor.agent)] -= 1.0
        offset = anchor.value
    clustered = fit.covariance
    values = unit * (place @ fit.strengths) + offset
    contrasts = place @ fit.basis[:k]
    se, df = _errors(clustered, contrasts)
    se = unit * se
    known = (table.deals >= 2) & (se > 1e-6 * unit * _scale(table, fit))
    why = "" if table.deals >= 2 else "One deal only: margins have no intervals and no tests."
    pinned = np.abs(place).sum(axis=1) == 0
    flat = [name for i, name in enumerate(table.agents) if not (known[i] or pinned[i])]
    if flat and not why:
        why = f"The deals of {', '.join(flat)} do not vary: no interval."
    quantile = special.stdtrit(np.maximum(df, 1e-3), 0.5 + confidence / 2)
    low, high = values - quantile * se, values + quantile * se
    resamples = 0
    if bootstrap is not None and known.any():
        resamples = bootstrap.resamples
        replicates = unit * (_resample(table, fit, bootstrap) @ place.T) + offset
        influence = unit * (fit.scores @ fit.bread @ contrasts.T)
        for i in np.flatnonzero(~pinned & known).tolist():
            limits = bca_limits(replicates[:, i], float(values[i]), influence[:, i], confidence)
            low[i], high[i] = limits.low, limits.high
    if table.forfeits:
        why = join_notes(why, f"{table.forfeits} forfeited results were left out.")
    rated = []
    for i, agent in enumerate(table.agents):
        value = float(values[i])
        if pinned[i]:
            rated.append(Rating(agent, value, value, value, 0.0, None))
        elif known[i]:
            rated.append(
                Rating(agent, value, float(low[i]), float(high[i]), float(se[i]), float(df[i]))
            )
        else:
            rated.append(Rating(agent, value, None, None, None, None))
    covariance = unit**2 * contrasts @ clustered.covariance @ contrasts.T
    return Ratings(
        "elo" if fit.elo else "points",
        tuple(rated),
        covariance,
        _los(fit, clustered, k) if known.any() else ((None,) * k,) * k,
        table.deals,
        int(table.played.sum()),
        table.forfeits,
        confidence,
        None if anchor is None else anchor.agent,
        fit.draw_share,
        fit.prior,
        resamples,
        join_notes(note, why),
    )


def _scale(table: DealTable, fit: _RatingFit) -> float:
    """Size of a result: below a millionth of it a standard error is rounding."""
    return 1.0 if fit.elo else float(np.abs(table.margin).max(initial=0.0))


def _errors(clustered: ClusteredCovariance, contrasts: FloatArray) -> tuple[FloatArray, FloatArray]:
    se = clustered.standard_errors(contrasts)
    return se, clustered.degrees_of_freedom(contrasts)


def _los(
    fit: _RatingFit, clustered: ClusteredCovariance, k: int
) -> tuple[tuple[float | None, ...], ...]:
    los = np.full((k, k), np.nan)
    i, j = np.triu_indices(k, 1)
    differences = np.zeros((i.size, k))
    differences[np.arange(i.size), i] = 1.0
    differences[np.arange(i.size), j] = -1.0
    se, df = _errors(clustered, differences @ fit.basis[:k])
    t = np.divide(differences @ fit.strengths, se, out=np.zeros_like(se), where=se > 0)
    los[i, j] = special.stdtr(np.maximum(df, 1e-3), t)
    los[j, i] = 1 - los[i, j]
    return tuple(
        tuple(None if row == column else float(los[row, column]) for column in range(k))
        for row in range(k)
    )


def _resample(table: DealTable, fit: _RatingFit, bootstrap: Bootstrap) -> FloatArray:
    """Strengths (resample × agent) refitted to deals drawn with replacement."""
    rng = generator(bootstrap.seed)
    if bootstrap.resamples < 100:
        raise StatsError(f"at least 100 resamples are needed, got {bootstrap.resamples}")
    k = len(table.agents)
    complete = bool((table.played > 0).all())
    out = np.empty((bootstrap.resamples, k))
    for start in range(0, bootstrap.resamples, BOOTSTRAP_CHUNK):
        stop = min(start + BOOTSTRAP_CHUNK, bootstrap.resamples)
        weights = deal_weights(table.deals, rng, stop - start)
        played = (
            np.full((stop - start, len(table.pairs)), float(table.deals))
            if complete
            else weights @ table.played
        )
        out[start:stop] = (
            _refit_elo(table, fit, weights, played)
            if fit.elo
            else _refit_points(table, fit, weights, played)
        )
    return out


def _refit_points(
    table: DealTable, fit: _RatingFit, weights: FloatArray, played: FloatArray
) -> FloatArray:
    reduced = table.incidence @ fit.basis
    weighted = reduced if fit.weights is None else reduced * fit.weights[:, None]
    r = reduced.shape[1]
    products = (weighted[:, :, None] * reduced[:, None, :]).reshape(len(reduced), r * r)
    information = (played @ products).reshape(len(played), r, r)
    right = (weights @ table.margin) @ weighted
    # A resample may miss the deals that connect two agents; the minimum norm answer stays finite.
    gamma = np.linalg.pinv(information, hermitian=True) @ right[:, :, None]
    return np.asarray(gamma[:, :, 0] @ fit.basis.T)


def _refit_elo(
    table: DealTable, fit: _RatingFit, weights: FloatArray, played: FloatArray
) -> FloatArray:
    k = len(table.agents)
    if fit.davidson:
        wins, draws = weights @ table.wins, weights @ table.draws
        draws[draws.sum(axis=1) == 0] += EMPTY_CELL
        losses = np.maximum(played - wins - draws, 0.0)
    else:
        wins = weights @ (table.wins + table.draws / 2)
        losses = np.maximum(played - wins, 0.0)
        draws = np.zeros_like(wins)
    wins[wins < 1e-9] = 0.0  # what rounding leaves of an exact zero
    losses[losses < 1e-9] = 0.0
    added = np.full((len(weights), 1), fit.prior)
    if not fit.prior:
        added[~_finite(table, wins, draws, losses).astype(bool)] = RESAMPLE_PRIOR
    beta, _ = fit_strengths(
        table.incidence, wins + added, draws, losses + added, fit.davidson, agents=k
    )
    return beta[:, :k]

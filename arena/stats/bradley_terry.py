"""Bradley-Terry and Plackett-Luce: strengths from who beat whom.

Strengths are log odds: P(i beats j) = e^(θi-θj)/(1 + e^(θi-θj)). Draws count as half a win each,
or follow Davidson: P(win) : P(draw) : P(loss) = e^(η/2) : ν : e^(-η/2) with η = θi - θj.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from arena.stats.errors import StatsError
from arena.stats.sample import FloatArray

DrawModel = Literal["half", "davidson"]
MAX_STEP = 2.0  # log odds a Newton step may move, so that it cannot run away


@dataclass(frozen=True, eq=False)
class StrengthFit:
    """Strengths in log odds with mean 0, and the inverse observed information.

    `extra` holds log ν (Davidson) and/or the advantage of the first named, in log odds.
    """

    strengths: FloatArray
    covariance: FloatArray
    extra: dict[str, float]
    log_likelihood: float
    iterations: int


def fit_strengths(
    design: FloatArray,
    wins: FloatArray,
    draws: FloatArray,
    losses: FloatArray,
    davidson: bool = False,
    ridge: float = 0.0,
    agents: int | None = None,
) -> tuple[FloatArray, int]:
    """Newton's method for many data sets at once; returns parameters (set × p) and iterations.

    `wins`, `draws`, `losses` are set × row counts, `design` is row × column; the first `agents`
    columns are agents (kept at mean 0), the rest shared effects. With `davidson` log ν is the
    last parameter. `ridge` subtracts ridge·Σθ² over agents from the log likelihood.
    """
    sets, rows = wins.shape
    columns = design.shape[1]
    k = columns if agents is None else agents
    p = columns + int(davidson)
    total = wins + draws + losses
    beta = np.zeros((sets, p))
    if davidson:
        share = draws.sum(axis=1) / total.sum(axis=1)
        beta[:, -1] = np.log(2 * share / np.maximum(1 - share, 1e-9))
    # Pinning the mean: the direction (1..1) of the agents gets information of its own.
    pin = np.zeros((p, p))
    pin[:k, :k] = 1.0 / k
    products = (design[:, :, None] * design[:, None, :]).reshape(rows, columns * columns)
    penalty = np.zeros(p)
    penalty[:k] = 2 * ridge
    iteration = 0
    for iteration in range(1, 201):  # noqa: B007 - reported
        model = _moments(design, beta, total, davidson)
        gradient = np.empty((sets, p))
        gradient[:, :columns] = (
            (wins - losses) / 2 + (0 if davidson else total / 2) - model.mean
        ) @ design
        hessian = np.zeros((sets, p, p))
        hessian[:, :columns, :columns] = (model.variance @ products).reshape(sets, columns, columns)
        if davidson:
            gradient[:, -1] = (draws - model.draw_mean).sum(axis=1)
            hessian[:, -1, -1] = model.draw_variance.sum(axis=1)
            cross = model.cross @ design
            hessian[:, :columns, -1] = cross
            hessian[:, -1, :columns] = cross
        gradient -= penalty * beta
        hessian += np.diag(penalty) + pin * hessian[:, :k, :k].trace(axis1=1, axis2=2)[
            :, None, None
        ].clip(1e-12)
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        largest = np.abs(step).max(axis=1, keepdims=True)
        beta = beta + step * np.minimum(1.0, MAX_STEP / np.maximum(largest, 1e-300))
        beta[:, :k] -= beta[:, :k].mean(axis=1, keepdims=True)
        if float(largest.max()) < 1e-10:
            break
    return beta, iteration


@dataclass(frozen=True, eq=False)
class _Moments:
    """Model means and (co)variances of the row statistics, summed over the row's games."""

    mean: FloatArray
    variance: FloatArray
    draw_mean: FloatArray
    draw_variance: FloatArray
    cross: FloatArray


def _moments(design: FloatArray, beta: FloatArray, total: FloatArray, davidson: bool) -> _Moments:
    """Half wins: statistic = score. Davidson: statistics = (win - loss)/2 and draw."""
    eta = beta[:, : design.shape[1]] @ design.T
    none = np.empty(0)
    if not davidson:
        p = special.expit(eta)
        return _Moments(total * p, total * p * (1 - p), none, none, none)
    log_nu = np.broadcast_to(beta[:, -1:], eta.shape)
    p = special.softmax(np.stack([-eta / 2, log_nu, eta / 2]), axis=0)
    loss, draw, win = p
    mean = (win - loss) / 2
    return _Moments(
        total * mean,
        total * ((win + loss) / 4 - mean**2),
        total * draw,
        total * draw * (1 - draw),
        total * (-mean * draw),
    )


def bradley_terry(
    agents: int,
    games: ArrayLike,
    draw_model: DrawModel = "half",
    advantage: bool = False,
    ridge: float = 0.0,
) -> StrengthFit:
    """Bradley-Terry maximum likelihood from a table of games.

    `games` has rows (i, j, wins, draws, losses) from i's side. Formula: maximise
    Σ w·ln P(i wins) + d·ln P(draw) + l·ln P(j wins); with draws as half wins that solves expected
    score = actual score for every agent. `advantage` adds one effect for the first named (as Ordo
    -W); `ridge` subtracts ridge·Σθ². The covariance is the inverse observed information with the
    mean held at 0 and takes every game as independent; ratings use the one clustered by deal.
    Unit: the game. Source: Bradley & Terry 1952, Biometrika 39; Davidson 1970, JASA 65; Hunter
    2004, Ann. Stat. 32; Ordo 1.2.
    """
    table = np.asarray(games, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != 5 or (table[:, 2:] < 0).any():
        raise StatsError("games need rows (i, j, wins, draws, losses) that are not negative")
    first, second = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
    wins, draws, losses = (table[None, :, c] for c in (2, 3, 4))
    if ridge < 0:
        raise StatsError(f"ridge must not be negative, got {ridge}")
    if (
        ridge == 0
        and not strongly_connected(agents, first, second, wins + draws, losses + draws)[0]
    ):
        raise StatsError(
            "no finite maximum likelihood: some agents only won or only lost against the rest; "
            "use a prior (ridge > 0, or ratings.elo_rating)"
        )
    davidson = draw_model == "davidson"
    if davidson and draws.sum() == 0:
        raise StatsError("Davidson's model needs at least one draw; use draw_model='half'")
    design = np.zeros((len(table), agents + int(advantage)))
    design[np.arange(len(table)), first] = 1.0
    design[np.arange(len(table)), second] = -1.0
    if advantage:
        design[:, -1] = 1.0
    beta, iterations = fit_strengths(design, wins, draws, losses, davidson, ridge, agents)
    information = observed_information(
        design, beta, wins + draws + losses, davidson, agents, ridge
    )[0]
    pin = np.zeros_like(information)
    pin[:agents, :agents] = 1.0 / agents
    scale = max(float(np.trace(information)) / len(information), 1e-12)
    covariance = np.linalg.inv(information + pin * scale) - pin / scale
    extra: dict[str, float] = {}
    if advantage:
        extra["advantage"] = float(beta[0, agents])
    if davidson:
        extra["log_nu"] = float(beta[0, -1])
    return StrengthFit(
        beta[0, :agents],
        covariance,
        extra,
        _log_likelihood(design, beta, wins, draws, losses, davidson),
        iterations,
    )


def observed_information(
    design: FloatArray,
    beta: FloatArray,
    total: FloatArray,
    davidson: bool,
    agents: int,
    ridge: float = 0.0,
) -> FloatArray:
    """Observed (= expected) information, set × p × p."""
    model = _moments(design, beta, total, davidson)
    columns = design.shape[1]
    p = columns + int(davidson)
    out = np.zeros((len(beta), p, p))
    out[:, :columns, :columns] = np.einsum("sr,rp,rq->spq", model.variance, design, design)
    if davidson:
        cross = model.cross @ design
        out[:, :columns, -1] = cross
        out[:, -1, :columns] = cross
        out[:, -1, -1] = model.draw_variance.sum(axis=1)
    out[:, np.arange(agents), np.arange(agents)] += 2 * ridge
    return out


def _log_likelihood(
    design: FloatArray,
    beta: FloatArray,
    wins: FloatArray,
    draws: FloatArray,
    losses: FloatArray,
    davidson: bool,
) -> float:
    eta = beta[:, : design.shape[1]] @ design.T
    if not davidson:
        score = wins + draws / 2
        log_p, log_q = special.log_expit(eta), special.log_expit(-eta)
        return float(np.sum(score * log_p + (losses + draws / 2) * log_q))
    log_nu = np.broadcast_to(beta[:, -1:], eta.shape)
    logs = special.log_softmax(np.stack([-eta / 2, log_nu, eta / 2]), axis=0)
    return float(np.sum(losses * logs[0] + draws * logs[1] + wins * logs[2]))


def strongly_connected(
    agents: int, first: ArrayLike, second: ArrayLike, gained: FloatArray, given: FloatArray
) -> FloatArray:
    """Is there a chain of points from every agent to every other, for each data set?

    Exactly then the maximum likelihood strengths are finite. Source: Ford 1957, Am. Math. Monthly
    64. `gained` and `given` (set × row) are the points of the first and of the second named.
    """
    i, j = np.asarray(first), np.asarray(second)
    reach = np.zeros((len(gained), agents, agents), dtype=bool)
    for row in range(len(i)):
        reach[:, i[row], j[row]] |= gained[:, row] > 0
        reach[:, j[row], i[row]] |= given[:, row] > 0
    reach |= np.eye(agents, dtype=bool)
    steps = 1
    while steps < agents:
        counts = reach.astype(np.float32)
        reach = (counts @ counts) > 0
        steps *= 2
    return np.asarray(reach.all(axis=(1, 2)))

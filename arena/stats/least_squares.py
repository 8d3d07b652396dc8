"""Least squares over deals: additive ratings, and the saturated model with a mean for each pair."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from arena.stats.pair_results import DealTable, connected_components
from arena.stats.sample import FloatArray, IntArray
from arena.stats.sandwich import ClusteredCovariance, clustered_covariance

FORFEITER_WEIGHT = 1e-6
"""Of the games of agents that forfeited, where those of others have 1: they place these agents, and
move the others by less than a thousandth of a point."""


@dataclass(frozen=True, eq=False)
class Fit:
    """An estimate in a reduced basis, and what its covariance over deals is made of."""

    strengths: FloatArray
    """One for each agent, with mean 0 in each connected part."""
    basis: FloatArray
    """Parameter space (agents, then extras) × reduced."""
    scores: FloatArray
    bread: FloatArray
    information: FloatArray
    pattern: IntArray

    @cached_property
    def covariance(self) -> ClusteredCovariance:
        """Of the reduced parameters, clustered by deal."""
        return clustered_covariance(self.scores, self.information, self.pattern, self.bread)


def mean_zero_basis(table: DealTable, extra: int = 0) -> FloatArray:
    """Orthonormal columns spanning strengths with mean 0 in each connected part, then extras."""
    agents = len(table.agents)
    parts = connected_components(agents, table.pairs)
    out = np.zeros((agents + extra, agents - len(parts) + extra))
    column = 0
    for part in parts:
        if len(part) > 1:
            out[part, column : column + len(part) - 1] = linalg.helmert(len(part)).T
            column += len(part) - 1
    out[agents:, column:] = np.eye(extra)
    return out


def deal_patterns(table: DealTable) -> tuple[FloatArray, IntArray]:
    """The distinct sets of pairs a deal was played by, and which one each deal has."""
    if bool((table.played > 0).all()):
        return np.ones((1, len(table.pairs))), np.zeros(table.deals, dtype=np.int64)
    kinds, index = np.unique(table.played > 0, axis=0, return_inverse=True)
    return kinds.astype(np.float64), index.reshape(-1).astype(np.int64)


def pair_weights(table: DealTable, forfeiters: Collection[str]) -> FloatArray:
    """The weight of each pair's games: those of forfeiters say nothing about the others."""
    forfeiting = [i for i, name in enumerate(table.agents) if name in forfeiters]
    return np.where(np.isin(table.pairs, forfeiting).any(axis=1), FORFEITER_WEIGHT, 1.0)


def additive_fit(table: DealTable, forfeiters: Collection[str] = ()) -> Fit:
    """Strengths r that minimise Σ w·(margin - (r_i - r_j))², w by `pair_weights`."""
    basis = mean_zero_basis(table)
    weights = pair_weights(table, forfeiters)
    gamma, scores, bread, information, pattern = _solve(table, table.incidence @ basis, weights)
    return Fit(basis @ gamma, basis, scores, bread, information, pattern)


def pair_fit(table: DealTable) -> Fit:
    """A mean margin for each pair that met; `strengths` are those means."""
    basis = np.eye(len(table.pairs))
    gamma, scores, bread, information, pattern = _solve(table, basis, np.ones(len(basis)))
    return Fit(gamma, basis, scores, bread, information, pattern)


def _solve(
    table: DealTable, design: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, IntArray]:
    kinds, pattern = deal_patterns(table)
    weighted = design * weights[:, None]
    information = np.einsum("kr,rp,rq->kpq", kinds, weighted, design)
    total = np.einsum("r,rp,rq->pq", table.played.sum(axis=0), weighted, design)
    bread = np.linalg.inv(total)
    gamma = bread @ (weighted.T @ table.margin.sum(axis=0))
    residuals = table.played * (design @ gamma)
    np.subtract(table.margin, residuals, out=residuals)  # in place: one table is large
    nothing = 1e-12 * max(table.margin.max(initial=0.0), -table.margin.min(initial=0.0))
    residuals[(residuals <= nothing) & (residuals >= -nothing)] = 0.0
    return gamma, residuals @ weighted, bread, information, pattern

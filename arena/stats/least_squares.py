"""Least squares over deals: additive ratings, and the saturated model with a mean for each pair."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

from arena.stats.pair_results import DealTable, connected_components
from arena.stats.sample import FloatArray, IntArray
from arena.stats.sandwich import ClusteredCovariance, clustered_covariance


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


def additive_fit(table: DealTable) -> Fit:
    """Strengths r that minimise Σ (margin - (r_i - r_j))²."""
    basis = mean_zero_basis(table)
    gamma, scores, bread, information, pattern = _solve(table, table.incidence @ basis)
    return Fit(basis @ gamma, basis, scores, bread, information, pattern)


def pair_fit(table: DealTable) -> Fit:
    """A mean margin for each pair that met; `strengths` are those means."""
    basis = np.eye(len(table.pairs))
    gamma, scores, bread, information, pattern = _solve(table, basis)
    return Fit(gamma, basis, scores, bread, information, pattern)


def _solve(
    table: DealTable, design: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, IntArray]:
    kinds, pattern = deal_patterns(table)
    information = np.einsum("kr,rp,rq->kpq", kinds, design, design)
    total = np.einsum("r,rp,rq->pq", table.played.sum(axis=0), design, design)
    bread = np.linalg.inv(total)
    gamma = bread @ (design.T @ table.margin.sum(axis=0))
    residuals = table.margin - table.played * (design @ gamma)
    residuals[np.abs(residuals) <= 1e-12 * np.abs(table.margin).max(initial=0.0)] = 0.0
    return gamma, residuals @ design, bread, information, pattern

"""Perfect scores: agents that won or lost everything against the rest, and their open limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from arena.stats.pair_results import DealTable
from arena.stats.roots import root
from arena.stats.sample import FloatArray

_FAR = 30.0
"""A difference of strengths that is as good as infinite: odds of 10^13."""


@dataclass(frozen=True)
class PerfectScores:
    """The agents with finite strengths relative to one another, and the side of the others."""

    core: tuple[int, ...]
    outside: Mapping[int, int]
    """1 above the core, -1 below, 0 if the results do not say."""


def perfect_scores(table: DealTable, anchor: str | None = None) -> PerfectScores:
    """Groups of agents with finite strengths relative to one another.

    Formula: an arrow from every agent to those it took a point from; strengths are finite inside
    a strongly connected component. The core is the component of the anchor, else the largest one,
    among equals the one that played most. Source: Ford 1957, Am. Math. Monthly 64.
    """
    k = len(table.agents)
    first, second = table.pairs.T
    took = np.zeros((k, k), dtype=bool)
    half = table.draws.sum(axis=0)
    took[first, second] = table.wins.sum(axis=0) + half > 0
    took[second, first] |= table.losses.sum(axis=0) + half > 0
    count, labels = connected_components(csr_array(took), directed=True, connection="strong")
    played = table.played.sum(axis=0) @ np.abs(table.incidence)
    parts = [np.flatnonzero(labels == part) for part in range(count)]
    if anchor is not None and anchor in table.agents:
        core = parts[labels[table.agents.index(anchor)]]
    else:
        core = max(parts, key=lambda part: (part.size, played[part].sum()))
    reach = np.linalg.matrix_power((took | np.eye(k, dtype=bool)).astype(float), k) > 0
    outside = {
        i: int(reach[i, core[0]]) - int(reach[core[0], i])
        for i in range(k)
        if i not in core.tolist()
    }
    return PerfectScores(tuple(core.tolist()), outside)


def open_limit(
    table: DealTable,
    agent: int,
    side: int,
    core: Sequence[int],
    reference: int | None = None,
    confidence: float = 0.95,
) -> float:
    """The strength (logit) that an agent above the core has at least, one below at most.

    Formula: the value at which the profile log likelihood lies ln(2/α) below its supremum, which
    is reached at infinity; relative to the core's mean, or to the agent `reference`. Unit: the
    deal. Source: Clopper & Pearson 1934, Biometrika 26 (the same limit for two agents); Venzon
    & Moolgavkar 1988, Appl. Stat. 37 (profile likelihood).
    """
    drop = math.log(2 / (1 - confidence))
    weights = np.zeros(len(table.agents))
    weights[list(core) if reference is None else reference] = 1.0
    weights /= weights.sum()
    highest = _profile(table, agent, side * _FAR, weights)

    def gap(value: float) -> float:
        return highest - _profile(table, agent, value, weights) - drop

    near, far = side * _FAR, -side * _FAR
    if gap(near) >= 0 or gap(far) <= 0:  # so few results that nothing is excluded
        return -side * _FAR
    return root(gap, near, far, 1e-6)


def _profile(table: DealTable, agent: int, value: float, weights: FloatArray) -> float:
    """The highest log likelihood if an agent is `value` above the reference."""
    design = table.incidence
    half = table.draws.sum(axis=0) / 2
    won, lost = table.wins.sum(axis=0) + half, table.losses.sum(axis=0) + half
    free = [i for i in range(len(table.agents)) if i != agent]
    # The agent is where the others put the reference, plus the value.
    columns = design[:, free] + np.outer(design[:, agent], weights[free])
    shift = design[:, agent] * value

    def negative(theta: FloatArray) -> tuple[float, FloatArray]:
        eta = columns @ theta + shift
        likelihood = won @ special.log_expit(eta) + lost @ special.log_expit(-eta)
        slope = won * special.expit(-eta) - lost * special.expit(eta)
        return -float(likelihood), -(slope @ columns)

    from scipy import optimize  # here: it takes long to import

    found = optimize.minimize(
        negative,
        np.zeros(len(free)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-2 * _FAR, 2 * _FAR)] * len(free),
        options={"ftol": 1e-13, "gtol": 1e-9, "maxiter": 1_000},
    )
    return -float(found.fun)

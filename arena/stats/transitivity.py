"""Is "stronger than" an order? Significant cycles, and a ranking that survives them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from arena.stats.errors import StatsError
from arena.stats.multiple import AllPairs
from arena.stats.sample import FloatArray


@dataclass(frozen=True)
class Cycles:
    """Cycles "a beats b beats c beats a" whose every edge is significant.

    `cycles` lists those up to `max_length` agents, each starting with the agent named first;
    `groups` lists all sets of agents that lie on a common cycle of any length.
    """

    cycles: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[str, ...], ...]
    max_length: int
    note: str = ""


@dataclass(frozen=True, eq=False)
class AlphaRank:
    """Share of time evolution spends with each agent; more is stronger."""

    agents: tuple[str, ...]
    shares: FloatArray
    alpha: float
    population: int
    note: str = ""


def significant_cycles(pairs: AllPairs, max_length: int = 4) -> Cycles:
    """Cycles among agents whose every edge is significant after adjustment.

    Formula: a directed graph with an edge from winner to loser of every significant comparison;
    its elementary cycles up to `max_length`, and its strongly connected components. With Holm the
    chance that any reported cycle is false is at most alpha. Unit: the deal.
    Source: Kendall & Babington Smith 1940, Biometrika 31; Tarjan 1972, SIAM J. Comput. 1.
    """
    if max_length < 3:
        raise StatsError(f"a cycle has at least three agents, got max_length {max_length}")
    index = {agent: i for i, agent in enumerate(pairs.agents)}
    k = len(pairs.agents)
    beats = np.zeros((k, k), dtype=bool)
    for row in pairs.comparisons:
        if row.significant and row.mean:
            i, j = index[row.a], index[row.b]
            if row.mean > 0:
                beats[i, j] = True
            else:
                beats[j, i] = True
    found: list[tuple[str, ...]] = []

    def extend(path: list[int]) -> None:
        for nxt in np.flatnonzero(beats[path[-1]]):
            if nxt == path[0] and len(path) >= 3:
                found.append(tuple(pairs.agents[i] for i in path))
            elif nxt > path[0] and nxt not in path and len(path) < max_length:
                extend([*path, int(nxt)])

    for start in range(k):
        extend([start])
    count, labels = connected_components(csr_array(beats), directed=True, connection="strong")
    groups = [
        tuple(pairs.agents[i] for i in np.flatnonzero(labels == c))
        for c in range(count)
        if np.count_nonzero(labels == c) > 1
    ]
    note = "" if groups else "No significant cycle: the significant results form an order."
    return Cycles(tuple(sorted(found, key=len)), tuple(groups), max_length, note)


def alpha_rank(
    agents: tuple[str, ...], payoff: ArrayLike, alpha: float = 0.1, population: int = 50
) -> AlphaRank:
    """α-rank of one population: the stationary distribution of mutation and selection.

    `payoff[i, j]` is what i gets against j (for instance its mean margin in points). Formula: in a
    population of m with i mutants s among r, everyone meets everyone else; the mutant's lead is
    f(i) = mean payoff of s - mean payoff of r; it takes over with probability
    ρ = 1/(1 + Σ_l exp(-α Σ_{i≤l} f(i))), l = 1..m-1; the chain moves from r to s with ρ/(k - 1);
    shares are its stationary distribution. α is per unit of payoff: choose it by what a
    decisive difference is. Unit: that of the payoff. Source: Omidshafiei et al. 2019, Scientific
    Reports 9:9937.
    """
    m = np.asarray(payoff, dtype=np.float64)
    k = len(agents)
    if m.shape != (k, k) or not np.isfinite(m).all():
        raise StatsError(f"a finite {k} × {k} payoff table is needed, got shape {m.shape}")
    if alpha <= 0 or population < 2:
        raise StatsError("alpha must be positive and the population at least 2")
    if k == 1:
        return AlphaRank(agents, np.ones(1), alpha, population)
    chain = np.zeros((k, k))
    for r in range(k):
        for s in range(k):
            if r != s:
                chain[r, s] = _takeover(m, r, s, alpha, population) / (k - 1)
        chain[r, r] = 1 - chain[r].sum()
    return AlphaRank(agents, _stationary(chain), alpha, population)


def _takeover(payoff: FloatArray, r: int, s: int, alpha: float, population: int) -> float:
    """Probability that one mutant s takes over a population of r; never exactly 0."""
    mutants = np.arange(1, population)
    others = population - mutants
    mutant = (mutants - 1) * payoff[s, s] + others * payoff[s, r]
    resident = mutants * payoff[r, s] + (others - 1) * payoff[r, r]
    climb = -alpha * np.cumsum(mutant - resident) / (population - 1)
    return max(math.exp(-float(special.logsumexp(np.append(0.0, climb)))), 1e-300)


def _stationary(chain: FloatArray) -> FloatArray:
    """Stationary distribution by GTH. Source: Grassmann, Taksar & Heyman 1985, Oper. Res. 33."""
    a = chain.copy()
    k = len(a)
    for n in range(k - 1, 0, -1):
        a[:n, n] /= a[n, :n].sum()
        a[:n, :n] += np.outer(a[:n, n], a[n, :n])
    shares = np.zeros(k)
    shares[0] = 1.0
    for n in range(1, k):
        shares[n] = shares[:n] @ a[:n, n]
    return np.asarray(shares / shares.sum())

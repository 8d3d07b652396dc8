"""Significant cycles: a beats b, b beats c, c beats a."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from arena.stats.errors import StatsError
from arena.stats.multiple import AllPairs


@dataclass(frozen=True)
class Cycles:
    """Cycles "a beats b beats c beats a" in which every result is significant.

    `cycles` lists those up to `max_length` agents, each starting with the agent named first;
    `groups` lists all sets of agents that lie on a common cycle of any length.
    """

    cycles: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[str, ...], ...]
    max_length: int
    note: str = ""


def significant_cycles(pairs: AllPairs, max_length: int = 4) -> Cycles:
    """Cycles in which every result is significant after adjustment.

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

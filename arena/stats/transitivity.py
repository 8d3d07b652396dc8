"""An order of agents from known results, which need not be transitive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components


@dataclass(frozen=True)
class RankRange:
    """Places that an agent can have: all ranges hold together with confidence 1 - alpha."""

    best: int
    worst: int


@dataclass(frozen=True)
class ResultOrder:
    """Agents (by number) in an order that no known result contradicts, but for cycles."""

    order: tuple[int, ...]
    ranks: tuple[RankRange, ...]
    """By agent. Results between agents on a common cycle leave their places open."""
    top: tuple[int, ...]
    """Agents that are beaten by none, or only by agents on a common cycle; in their order."""
    cycles: tuple[tuple[int, ...], ...]
    """For each group of agents on common cycles a shortest one: each agent beats the next."""


def order_by_results(beats: NDArray[np.bool_], otherwise: Sequence[Any]) -> ResultOrder:
    """Order agents such that who beats another comes first; by `otherwise`, where both may.

    Formula: the strongly connected components of the graph of results are the cycles; components
    follow one another in topological order, each time the one with the first agent by
    `otherwise` (as sorted) of those that no agent left beats. The best place of an agent is one
    more than the number of agents outside its component that beat it, the worst is the number of
    agents less those that it beats. The top is the Schwartz set: all components that no other
    beats.
    Source: Tarjan 1972, SIAM J. Comput. 1; Schwartz 1972, Noûs 6.
    """
    graph = csr_array(beats.astype(np.int8))
    count, label = connected_components(graph, directed=True, connection="strong")
    outside = beats & (label[:, None] != label[None, :])
    parts: list[list[int]] = [np.flatnonzero(label == c).tolist() for c in range(count)]
    for part in parts:
        part.sort(key=lambda i: otherwise[i])
    parts.sort(key=lambda part: otherwise[part[0]])
    cycles = tuple(_shortest_cycle(beats, part) for part in parts if len(part) > 1)
    order: list[int] = []
    left = list(parts)
    while left:
        waiting = [agent for part in left for agent in part]
        free = next(part for part in left if not outside[np.ix_(waiting, part)].any())
        left.remove(free)
        order += free
    ranks = tuple(
        RankRange(1 + int(outside[:, i].sum()), len(beats) - int(outside[i].sum()))
        for i in range(len(beats))
    )
    unbeaten = {i for part in parts if not outside[:, part].any() for i in part}
    return ResultOrder(tuple(order), ranks, tuple(i for i in order if i in unbeaten), cycles)


def _shortest_cycle(beats: NDArray[np.bool_], part: list[int]) -> tuple[int, ...]:
    """The shortest cycle through the first agent, within its component."""
    inside = beats[np.ix_(part, part)]
    found, before = breadth_first_order(csr_array(inside.astype(np.int8)), 0, directed=True)
    path = [int(next(i for i in found if inside[i, 0]))]
    while path[0]:
        path.insert(0, int(before[path[0]]))
    return tuple(part[i] for i in path)

"""Results of many agents: one row per pair of agents and deal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.stats.compact import kept, kept_compact
from arena.stats.errors import StatsError
from arena.stats.sample import FloatArray, IntArray

_COLUMNS = ("a", "b", "deal", "margin", "wins", "draws", "losses")


@kept_compact(*_COLUMNS)
@dataclass(frozen=True, eq=False)
class PairResults:
    """The results of every pair of agents on every deal it played.

    Row r says: on deal `deal[r]` agent `agents[a[r]]` met `agents[b[r]]`; `margin[r]` is the mean
    over the deal's seatings of A's points minus B's, and `wins`, `draws`, `losses` are the shares
    (summing to 1) of those seatings that A won, drew and lost. All pairs may share the deals. A
    row with a NaN margin is a forfeit: it is left out and counted.
    """

    agents: tuple[str, ...]
    a: IntArray
    b: IntArray
    deal: IntArray
    margin: FloatArray
    wins: FloatArray
    draws: FloatArray
    losses: FloatArray
    forfeits: int = 0

    def __post_init__(self) -> None:
        k = len(self.agents)
        if k < 2 or len(set(self.agents)) != k:
            raise StatsError("at least two agents with different names are needed")
        a, b, *rest = (kept(self, name) for name in _COLUMNS)
        if any(column.ndim != 1 or column.size != a.size for column in (a, b, *rest)):
            raise StatsError("all columns must be 1-D and equally long")
        if a.size == 0:
            raise StatsError("no results" + (" but forfeits" if self.forfeits else ""))
        if min(a.min(), b.min()) < 0 or max(a.max(), b.max()) >= k:
            raise StatsError(f"agent numbers must lie between 0 and {k - 1}")
        if (a == b).any():
            raise StatsError(f"{self.agents[int(a[a == b][0])]} meets itself")
        shares = self.wins + self.draws + self.losses
        if not np.allclose(shares, 1.0) or min(x.min() for x in rest[2:]) < 0:
            raise StatsError(
                "wins, draws and losses are shares of a deal's seatings: they sum to 1"
            )
        if not np.isfinite(rest[1]).all():
            raise StatsError("margins must be finite; build the results with from_margins")

    @classmethod
    def from_margins(
        cls,
        agents: Sequence[str],
        a: ArrayLike,
        b: ArrayLike,
        deal: ArrayLike,
        margin: ArrayLike,
    ) -> PairResults:
        """From the deal's margin (seatings averaged): its sign decides win, draw or loss."""
        m = np.asarray(margin, dtype=np.float64)
        return cls.from_seatings(agents, a, b, deal, m[:, None] if m.ndim == 1 else m)

    @classmethod
    def from_seatings(
        cls,
        agents: Sequence[str],
        a: ArrayLike,
        b: ArrayLike,
        deal: ArrayLike,
        margins: ArrayLike,
    ) -> PairResults:
        """From one margin per seating (rows: pair and deal; columns: seatings)."""
        m = np.asarray(margins, dtype=np.float64)
        first, second = (np.asarray(x, dtype=np.int64) for x in (a, b))
        deals = np.asarray(deal, dtype=np.int64)
        if m.ndim != 2 or not (m.shape[0] == first.size == second.size == deals.size):
            raise StatsError("one row of margins per entry of a, b and deal expected")
        if np.isinf(m).any():
            raise StatsError("a margin is infinite")
        played = ~np.isnan(m).any(axis=1)
        m = m[played]
        return cls(
            tuple(agents),
            first[played],
            second[played],
            deals[played],
            m.mean(axis=1),
            (m > 0).mean(axis=1),
            (m == 0).mean(axis=1),
            (m < 0).mean(axis=1),
            int(np.count_nonzero(~played)),
        )

    def pair(self, i: int, j: int) -> FloatArray:
        """Margins of agent i over agent j, one per deal, in the order of the deals."""
        forward = (self.a == i) & (self.b == j)
        backward = (self.a == j) & (self.b == i)
        margin = np.concatenate([self.margin[forward], -self.margin[backward]])
        deal = np.concatenate([self.deal[forward], self.deal[backward]])
        return np.asarray(margin[np.argsort(deal, kind="stable")])

    def only(self, rows: NDArray[np.bool_]) -> PairResults:
        """The results of some rows."""
        return replace(
            self,
            a=self.a[rows],
            b=self.b[rows],
            deal=self.deal[rows],
            margin=self.margin[rows],
            wins=self.wins[rows],
            draws=self.draws[rows],
            losses=self.losses[rows],
        )

    def among(self, agents: Sequence[int]) -> PairResults:
        """The results of some agents among themselves."""
        number = {agent: i for i, agent in enumerate(agents)}
        rows = np.isin(self.a, list(agents)) & np.isin(self.b, list(agents))
        inner = self.only(rows)
        return replace(
            inner,
            agents=tuple(self.agents[agent] for agent in agents),
            a=np.array([number[agent] for agent in inner.a.tolist()], dtype=np.int64),
            b=np.array([number[agent] for agent in inner.b.tolist()], dtype=np.int64),
        )

    def table(self) -> DealTable:
        """The same results as deal × pair tables, which everything clustered by deal works on."""
        return DealTable.of(self)


@dataclass(frozen=True, eq=False)
class DealTable:
    """Deal × pair tables; a pair is (i, j) with i < j, an absent game has `played` 0."""

    agents: tuple[str, ...]
    pairs: IntArray  # pair × 2
    played: FloatArray
    margin: FloatArray
    forfeits: int
    _spread: Spread = field(repr=False)

    @cached_property
    def wins(self) -> FloatArray:
        return self._spread("wins", "losses")

    @cached_property
    def draws(self) -> FloatArray:
        return self._spread("draws", "draws")

    @cached_property
    def losses(self) -> FloatArray:
        return self._spread("losses", "wins")

    @property
    def deals(self) -> int:
        return int(self.played.shape[0])

    @property
    def incidence(self) -> FloatArray:
        """Pair × agent: +1 for the first agent of the pair, -1 for the second."""
        rows = np.arange(len(self.pairs))
        design = np.zeros((len(self.pairs), len(self.agents)))
        design[rows, self.pairs[:, 0]] = 1.0
        design[rows, self.pairs[:, 1]] = -1.0
        return design

    @classmethod
    def of(cls, results: PairResults) -> DealTable:
        k = len(results.agents)
        first, second = kept(results, "a"), kept(results, "b")
        codes, pair = _numbered(np.minimum(first, second) * np.int64(k) + np.maximum(first, second))
        deals, deal = _numbered(kept(results, "deal"))
        shape = (deals.size, codes.size)
        kind = np.int32 if deals.size * codes.size < 1 << 31 else np.int64
        cell = np.multiply(deal, codes.size, dtype=kind)
        cell += pair
        spread = Spread(results, shape, cell, first > second)
        played = spread.table(1.0)
        if played.sum() < cell.size:
            times = np.bincount(cell)
            d, p = divmod(int(np.flatnonzero(times > 1)[0]), codes.size)
            i, j = divmod(int(codes[p]), k)
            raise StatsError(
                f"{results.agents[i]} - {results.agents[j]} has deal {deals[d]} twice; "
                "average its seatings first"
            )
        pairs = np.stack([codes // k, codes % k], axis=1).astype(np.int64)
        margin = spread("margin", "margin", -1)
        return cls(results.agents, pairs, played, margin, results.forfeits, spread)


@dataclass(frozen=True, eq=False)
class Spread:
    """Where each row of results is in a deal × pair table."""

    results: PairResults
    shape: tuple[int, int]
    cell: IntArray
    swap: NDArray[np.bool_]
    """Whether the second agent of a row is the first one of its pair."""

    def __call__(self, name: str, swapped: str, sign: int = 1) -> FloatArray:
        """A table of some values; in rows that are swapped, of others, with this sign."""
        values = kept(self.results, name)
        if self.swap.any():
            values = np.where(self.swap, sign * kept(self.results, swapped), values)
        return self.table(values)

    def table(self, values: NDArray[Any] | float) -> FloatArray:
        """A table of some values, 0 where nothing was played."""
        table = np.zeros(self.shape[0] * self.shape[1])
        table[self.cell] = values
        return table.reshape(self.shape)


def _numbered(values: NDArray[Any]) -> tuple[IntArray, NDArray[Any]]:
    """The distinct values in order, and the place of each value among them."""
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * values.size + 1_000:
        return np.unique(values, return_inverse=True)
    offsets = values - values.dtype.type(low)
    there = np.bincount(offsets) > 0  # no sorting: that takes several times the memory
    return np.flatnonzero(there) + low, (np.cumsum(there) - 1).astype(np.int32)[offsets]


def check_connected(table: DealTable) -> None:
    """Refuse a schedule in which some agents are never compared, naming the components."""
    components = connected_components(len(table.agents), table.pairs)
    if len(components) > 1:
        raise StatsError(
            f"{parts_that_never_met(table.agents, components)}; no common rating exists"
        )


def parts_that_never_met(agents: tuple[str, ...], parts: list[list[int]]) -> str:
    """The parts of a schedule, in words."""
    names = "; ".join("{" + ", ".join(agents[i] for i in part) + "}" for part in parts)
    return f"the schedule falls into {len(parts)} parts that never met: {names}"


def connected_components(agents: int, pairs: IntArray) -> list[list[int]]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components as scipy_components

    links = coo_array(
        (np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(agents, agents)
    ).tocsr()
    count, labels = scipy_components(links, directed=False)
    return [[int(i) for i in np.flatnonzero(labels == c)] for c in range(count)]

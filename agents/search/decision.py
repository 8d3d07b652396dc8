"""Small parts of a decision: choices by name, the exploration constant, the clock, the card."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from time import perf_counter
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.search.nodes import Nodes
from agents.search.tree import AVAILABILITY, GLOBAL, PARENT, best_child, read_root
from arena.core.rules import Rules
from arena.games.kernel.spec import KernelGame

Value: TypeAlias = Literal["difference", "own-points", "win"]
Ucb: TypeAlias = Literal["global", "parent", "availability"]
Final: TypeAlias = Literal["visits", "value"]

UCBS: dict[Ucb, int] = {"global": GLOBAL, "parent": PARENT, "availability": AVAILABILITY}

_DEFAULT_SHARE = 0.086
"""For games that do not say what is at stake: a share of the range, 200 points in Klaverjas."""
_DEFAULT_WIN = 0.7
"""Where a win counts 1: about 1 / sqrt(2), as usual (Kocsis and Szepesvári 2006)."""

_MOST_CARDS = 52
_FIRST_CHUNK = 64
_CHUNK_S = 0.0004
"""How long compiled code runs between two looks at the clock."""


class CardStatistics(NamedTuple):
    """What a search found out about a card."""

    visits: int
    value: float
    """Mean value for the side that plays it."""
    available: int
    """How often it could have been chosen."""


def exploration(rules: Rules, c: float | None, c_normalised: float | None, value: Value) -> float:
    """The exploration constant in units of the values that are backed up.

    `c` is in points, `c_normalised` a share of the range of values. Without either it is what
    the game says is at stake: the points that usually are, not those that could be, because a
    share of the range would not do (docs/research/tree-search.md).
    """
    if c is not None:
        return c
    worst, best = rules.margin_bounds
    span = {"difference": best - worst, "own-points": (best - worst) / 2, "win": 1.0}[value]
    if c_normalised is not None:
        return c_normalised * span
    if value == "win":
        return _DEFAULT_WIN
    points = _DEFAULT_SHARE * (best - worst) if rules.stake is None else rules.stake
    return points if value == "difference" else points / 2  # one's own points have half the range


def least_value(rules: Rules, value: Value) -> float:
    """A value that no playout is below."""
    if value == "difference":
        return rules.margin_bounds[0]
    if value == "win" or rules.higher_wins:
        return 0.0
    return -max(map(abs, rules.margin_bounds))  # points are bad, and counted against


def roots_upto(largest: int) -> NDArray[np.float64]:
    """sqrt(ln n) for n from 0 (taken as 1) to at least `largest`."""
    roots: NDArray[np.float64] = scales_upto(largest)[0]
    return roots


def scales_upto(largest: int) -> NDArray[np.float64]:
    """sqrt(ln n), and in a second row 1 / sqrt(n), for n from 0 (taken as 1) to at least
    `largest`."""
    return _scales(max(12, int(largest).bit_length()))


@lru_cache(maxsize=2)
def _scales(bits: int) -> NDArray[np.float64]:
    numbers = np.maximum(1, np.arange(1 << bits))
    scales = np.array([np.sqrt(np.log(numbers)), 1.0 / np.sqrt(numbers)])
    scales.flags.writeable = False
    return scales


def root_statistics(game: KernelGame, nodes: Nodes) -> dict[int, CardStatistics]:
    """What is known of the root's cards, in ascending order."""
    (cards, visits, available, _, _), values = _read(game, nodes)
    return dict(zip(cards, map(CardStatistics, visits, values, available), strict=True))


def most_promising(game: KernelGame, nodes: Nodes, final: Final) -> int:
    """`best_card` of a tree, without listing them all."""
    return int(best_child(nodes.slots, nodes.bounds, game.to_cards, final == "visits"))


def proven_cards(game: KernelGame, nodes: Nodes) -> list[int]:
    """The cards of the root with a proven value, the last one tried first."""
    (cards, _, _, proven, numbers), _ = _read(game, nodes)
    found = zip(numbers, cards, proven, strict=True)
    return [card for _, card, is_proven in sorted(found, reverse=True) if is_proven]


def _read(game: KernelGame, nodes: Nodes) -> tuple[list[list[int]], list[float]]:
    counts, values = np.empty((5, _MOST_CARDS), np.int64), np.empty(_MOST_CARDS)
    found = read_root(nodes.slots, nodes.bounds, game.to_cards, counts, values)
    return counts[:, :found].tolist(), values[:found].tolist()


def best_card(cards: Mapping[int, CardStatistics], final: Final) -> int:
    """The card with most visits, or the best mean; the other decides ties, then the lowest card."""

    by_visits = final == "visits"
    tried = [
        (visits, value, -card) if by_visits else (value, visits, -card)
        for card, (visits, value, _) in cards.items()
        if visits
    ]
    return -int(max(tried)[2])


def spend(until: float, simulate: Callable[[int], None]) -> None:
    """Call `simulate` with numbers of simulations until the time, by `perf_counter`, has come."""
    now, chunk = perf_counter(), _FIRST_CHUNK
    while True:
        simulate(chunk)
        before, now = now, perf_counter()
        if now >= until:
            return
        per_s = chunk / max(now - before, 1e-7)
        chunk = max(1, int(per_s * min(_CHUNK_S, until - now)))

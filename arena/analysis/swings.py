"""The deals that made the difference: where the exchange of seats changed most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arena.analysis.results import Meeting, Results

MOST_SWINGS = 24


@dataclass(frozen=True)
class Swing:
    """A deal (or match) on which one agent did better with the same cards."""

    first: str
    second: str
    unit: str
    margin: float
    """Mean over the seatings, in favour of the first agent, who is the one that did better."""
    games: tuple[float | None, ...]
    """The margin in each seating."""


def largest_swings(
    results: Results, order: Sequence[str] = (), most: int = MOST_SWINGS
) -> list[Swing]:
    """Some of the largest margins of every pair; those between the best agents first.

    `order` has the agents, the best first. Every pair has its share, so that one weak agent does
    not fill the list; pairs come in the order of their weaker agent, then of their stronger one.
    """
    share = max(1, most // 2 // max(1, len(results.pairs)))
    place = {name: i for i, name in enumerate(order)}

    def rank(pair: Meeting) -> list[int]:
        return sorted((place.get(name, 0) for name in (pair.first, pair.second)), reverse=True)

    pairs = sorted(results.pairs, key=rank)
    return [swing for pair in pairs for swing in _of_pair(pair, share)][:most]


def _of_pair(pair: Meeting, share: int) -> list[Swing]:
    # Sorted by unit already; a stable sort keeps equal swings in that order.
    order = np.argsort(-np.abs(pair.margins), kind="stable")[:share]
    return [_of_unit(pair, int(i)) for i in order if pair.margins[i]]


def swing_of(results: Results, first: str, second: str, unit: str) -> Swing:
    """The result of one unit of a pair, whether it is a large swing or not."""
    pair = next(pair for pair in results.pairs if {pair.first, pair.second} == {first, second})
    return _of_unit(pair, list(pair.units).index(unit))


def _of_unit(pair: Meeting, i: int) -> Swing:
    seen = pair if pair.margins[i] > 0 else pair.reversed()
    games = tuple(None if np.isnan(x) else float(x) for x in seen.games[i])
    margin = float(seen.margins[i]) + 0.0  # no -0.0, which is shown with its sign
    return Swing(seen.first, seen.second, seen.units[i], margin, games)

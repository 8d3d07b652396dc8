"""The deals that made the difference: where the exchange of seats changed most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arena.analysis.results import Meeting, Results

__all__ = ["Swing", "largest_swings"]

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


def largest_swings(results: Results, most: int = MOST_SWINGS) -> list[Swing]:
    """Some of the largest margins of every pair, the largest first.

    Every pair has its share, so that one weak agent does not fill the list.
    """
    share = max(1, most // 2 // max(1, len(results.pairs)))
    found = [swing for pair in results.pairs for swing in _of_pair(pair, share)]
    found.sort(key=lambda swing: (-abs(swing.margin), swing.unit, swing.first, swing.second))
    return found[:most]


def _of_pair(pair: Meeting, share: int) -> list[Swing]:
    # Sorted by unit already; a stable sort keeps equal swings in that order.
    order = np.argsort(-np.abs(pair.margins), kind="stable")[:share]
    found = []
    for i in order:
        seen = pair if pair.margins[i] > 0 else pair.reversed()
        if seen.margins[i]:
            games = tuple(None if np.isnan(x) else float(x) for x in seen.games[i])
            found.append(
                Swing(seen.first, seen.second, seen.units[i], float(seen.margins[i]), games)
            )
    return found

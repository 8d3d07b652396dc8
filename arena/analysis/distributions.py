"""Margins counted in bins, so that spikes (all or nothing, or no difference at all) are seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.analysis.results import Results

MOST_PAIRS = 10
"""With more pairs than this, agents are shown against all their opponents together."""
BINS = 201
BINS_OF_MANY = 101
"""About so many at most; one bin is always centred on 0."""
FEWEST_BINS = 9
"""About so many at least: where forfeits count as lost, the quartiles are far from each other."""


@dataclass(frozen=True)
class Distribution:
    """How often which margin, in favour of `first`; bin i is centred on `centres[i]`."""

    first: str
    second: str | None
    """None: against all opponents."""
    width: float
    centres: tuple[float, ...]
    deals: tuple[int, ...]
    games: tuple[int, ...]
    """Margins of single rounds (or matches), before the mean over the seatings."""


def margin_distributions(results: Results, order: Sequence[str] = ()) -> list[Distribution]:
    """The margins of every pair, or of every agent if there are many pairs.

    `order` has the agents, the best first: pairs are seen from the better one.
    """
    parts: list[tuple[str, str | None, list[NDArray[np.float64]], list[NDArray[np.float64]]]]
    if len(results.pairs) <= MOST_PAIRS:
        place = {name: i for i, name in enumerate(order)}
        seen = [
            pair.reversed() if place.get(pair.first, 0) > place.get(pair.second, 0) else pair
            for pair in results.pairs
        ]
        parts = [(p.first, p.second, [p.margins], [p.games.ravel()]) for p in seen]
    else:
        parts = []
        for agent in results.agents:
            pairs = list(results.of(agent))
            if pairs:
                margins = [p.margins for p in pairs]
                parts.append((agent, None, margins, [p.games.ravel() for p in pairs]))
    largest = max(
        (float(np.nanmax(np.abs(x))) for *_, games in parts for x in games if x.size), default=0.0
    )
    bins = BINS if len(parts) <= MOST_PAIRS else BINS_OF_MANY
    typical = [_width([*margins]) for _, _, margins, _ in parts]
    typical_width = min(float(np.median(typical)), 2 * largest / FEWEST_BINS)
    width = _round_up(max(2 * largest / bins, typical_width)) or 1.0
    reach = int(np.ceil(largest / width - 0.5)) if largest else 0
    return [
        Distribution(
            first,
            second,
            width,
            tuple(round(width * i, 9) for i in range(-reach, reach + 1)),
            _counts(margins, width, reach),
            _counts(games, width, reach),
        )
        for first, second, margins, games in parts
    ]


def _width(parts: Sequence[NDArray[np.float64]]) -> float:
    """Of a bin by the rule of Freedman and Diaconis (1981): 2·IQR/n^(1/3), so few deals get few."""
    values = np.concatenate(parts)
    if not values.size:
        return 0.0
    low, high = np.percentile(values, [25, 75])
    return float(2 * (high - low) / np.cbrt(values.size))


def _counts(parts: Sequence[NDArray[np.float64]], width: float, reach: int) -> tuple[int, ...]:
    values = np.concatenate(parts)
    values = values[~np.isnan(values)]
    places = np.clip(np.rint(values / width).astype(np.int64), -reach, reach) + reach
    return tuple(int(n) for n in np.bincount(places, minlength=2 * reach + 1))


def _round_up(width: float) -> float:
    """The next of 1, 2, 5, 10, 20, ... (and 0.5, 0.2, ...)."""
    if width <= 0:
        return 0.0
    size = 10.0 ** np.floor(np.log10(width))
    return float(size * next(step for step in (1, 2, 5, 10) if step * size >= width))

"""Where a function of one variable is 0."""

from __future__ import annotations

from collections.abc import Callable

from arena.stats.errors import StatsError


def root(gap: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """A value between `low` and `high`, to within `tolerance`, at which `gap` changes its sign.

    Source: Brent 1973, Algorithms for Minimization without Derivatives, chapter 4.
    """
    from scipy.optimize import brentq  # here: 0.07 s that commands without intervals save

    try:
        return float(brentq(gap, low, high, xtol=tolerance))
    except ValueError as error:
        raise StatsError(f"no root between {low:g} and {high:g}: {error}") from error

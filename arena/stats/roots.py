"""Where a function of one variable is 0; `scipy.optimize` takes a tenth of a second to import."""

from __future__ import annotations

from collections.abc import Callable

from arena.stats.errors import StatsError


def root(gap: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """A value between `low` and `high`, to within `tolerance`, at which `gap` changes its sign.

    Formula: inverse quadratic interpolation where the last three values are nearly on a
    parabola, else bisection. Source: Chandrupatla 1997, Adv. Eng. Softw. 28.
    """
    a, at_a, b, at_b = low, gap(low), high, gap(high)
    if at_a * at_b > 0:
        raise StatsError(f"no change of sign between {low:g} and {high:g}")
    best, at_best = (a, at_a) if abs(at_a) < abs(at_b) else (b, at_b)
    step = 0.5
    while at_best and abs(b - a) > tolerance + 4e-16 * abs(best):
        x = a + step * (b - a)
        at_x = gap(x)
        if (at_x > 0) == (at_a > 0):  # the root is between x and b
            c, at_c = a, at_a
        else:
            c, at_c, b, at_b = b, at_b, a, at_a
        a, at_a = x, at_x
        best, at_best = (a, at_a) if abs(at_a) < abs(at_b) else (b, at_b)
        xi, phi = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
        step = 0.5
        if phi * phi < xi and (1 - phi) ** 2 < 1 - xi:
            step = at_a / (at_b - at_a) * at_c / (at_b - at_c)
            step += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
            least = min((tolerance / 2 + 2e-16 * abs(best)) / abs(b - a), 0.5)
            step = min(1 - least, max(least, step))
    return best

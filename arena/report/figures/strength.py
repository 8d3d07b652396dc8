"""Strength against time."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from arena.analysis.estimates import Estimate
from arena.report.figures.style import (
    MUTED,
    agent_look,
    draw_estimates,
    fitting,
    name_agents,
    new_figure,
    with_minus,
)
from arena.report.labels import best_few
from arena.report.words import duration

if TYPE_CHECKING:
    from arena.report.sections.ladder import LadderAgent

_MOST_TICKS, _LEAST_TICKS = 8, 3
_LEAST_DECADES = 1.0
"""Least length of the axis of times: on a shorter one, differences look larger than they are."""


def draw_strength_and_time(ladder: Sequence[LadderAgent], unit: str, better: str) -> Figure | None:
    """Score ratings over the median time of a decision; `better` is `above`, or `better than`."""
    agents = [
        (number, agent, Estimate(rating.value, rating.low, rating.high, agent.margin.n))
        for number, agent in enumerate(ladder)
        if (rating := agent.rating) and rating.value is not None and agent.seconds.median > 0
    ]
    if len(agents) < 2:
        return None
    figure, axes = new_figure(max(3.9, 0.7 + 0.2 * len(best_few(agents))))
    front = sorted((a.seconds.median, shown.value) for _, a, shown in agents if a.on_front)
    axes.plot(*zip(*front, strict=True), color=MUTED, lw=1.2, ls="--", drawstyle="steps-post")
    named = {agent.name for agent in best_few(ladder)}
    shown_names = fitting(agent.label for agent in best_few(ladder))
    for number, agent, shown in agents:
        if agent.name not in named:
            continue
        look = {**agent_look(number), "linestyle": "none", "markersize": 7, "elinewidth": 2}
        marked = " (sees all cards)" if agent.sees_all_cards else ""
        label = f"{shown_names[agent.label]}{marked}"
        draw_estimates(axes, [agent.seconds.median], [shown], label=label, **look)
    rest = [(a.seconds.median, shown.value) for _, a, shown in agents if a.name not in named]
    if rest:
        label = f"{len(rest)} others"
        axes.errorbar(*zip(*rest, strict=True), fmt=".", color=MUTED, alpha=0.7, label=label)
    _time_axis(axes, [agent.seconds.median for _, agent, _ in agents])
    axes.yaxis.set_major_formatter(FuncFormatter(with_minus))
    axes.set_ylabel(f"score rating\n(points per {unit} {better} the field)")
    axes.grid(axis="both")
    name_agents(axes)
    return figure


def _time_axis(axes: Axes, times: list[float]) -> None:
    low, high = log10(min(times)), log10(max(times))
    room = max(0.12 * (high - low), (_LEAST_DECADES - (high - low)) / 2)
    limits = 10 ** (low - room), 10 ** (high + room)
    axes.set_xscale("log")
    axes.set_xlim(*limits)
    axes.xaxis.set_major_locator(FixedLocator(time_ticks(*limits)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: duration(x)))
    axes.set_xlabel("median time per decision")


def time_ticks(low: float, high: float) -> list[float]:
    """Round values on a logarithmic axis: 1, 10, 100, with 3 or 2 and 5 between if it is short.

    >>> time_ticks(0.0004, 0.2)
    [0.001, 0.01, 0.1]
    >>> time_ticks(0.0004, 0.02)
    [0.001, 0.003, 0.01]
    >>> time_ticks(2e-6, 9e-6)
    [2e-06, 5e-06]
    """
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    ticks: list[float] = []
    for steps in ((1,), (1, 3), (1, 2, 5)):
        # Not 10**d * s, which is not the number that is meant: 3 * 10**-5 has a long tail.
        every = [float(f"{step}e{decade}") for decade in decades for step in steps]
        ticks = [tick for tick in every if low <= tick <= high]
        if len(ticks) >= _LEAST_TICKS:
            break
    return ticks[:: ceil(len(ticks) / _MOST_TICKS)]

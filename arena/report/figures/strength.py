"""Strength against time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from arena.report.figures.labels import Label, Line, place_labels
from arena.report.figures.style import (
    GREEN,
    LINE,
    MUTED,
    PAPER,
    despine,
    new_figure,
    short,
    with_minus,
)
from arena.report.words import duration

if TYPE_CHECKING:
    from arena.report.sections.ladder import LadderAgent

MOST_LABELS = 24
"""Agents whose names still find a place."""
_MOST_TICKS, _LEAST_TICKS = 8, 3
_LEAST_DECADES = 1.0
"""What the axis of times shows at least: below it, differences look larger than they are."""


def draw_strength_and_time(ladder: Sequence[LadderAgent], unit: str, better: str) -> Figure | None:
    """Score ratings over the median time of a decision; `better` is `above`, or `better than`."""
    agents = [a for a in ladder if a.rating and a.rating.value is not None and a.seconds.median > 0]
    if len(agents) < 2:
        return None
    figure, axes = new_figure(3.9 if len(agents) <= 8 else 5.4)
    front = sorted((a for a in agents if a.on_front), key=lambda a: a.seconds.median)
    axes.plot(
        *zip(*map(_point, front), strict=True),
        color=GREEN,
        lw=1.5,
        ls="--",
        drawstyle="steps-post",
        label="no other is both faster and stronger",
        zorder=1,
    )
    for agent in agents:
        colour = GREEN if agent.on_front else MUTED
        for start, end in _intervals([agent]):
            axes.plot(*zip(start, end, strict=True), color=colour, lw=2)
        marker = "D" if agent.sees_all_cards else "o"
        axes.plot(*_point(agent), marker, ms=7, color=colour, markeredgecolor=PAPER)
    _time_axis(axes, [a.seconds.median for a in agents])
    axes.yaxis.set_major_formatter(FuncFormatter(with_minus))
    axes.set_ylabel(f"score rating\n(points per {unit} {better} the field)")
    axes.grid(axis="both", color=LINE)
    axes.set_axisbelow(True)
    figure.legend(loc="outside upper right", frameon=False, fontsize="small")
    despine(axes)
    if len(agents) <= MOST_LABELS:
        labels = [_label(agent) for agent in agents]
        place_labels(axes, labels, [*_steps(front), *_intervals(agents)])
    return figure


def _label(agent: LadderAgent) -> Label:
    marked = " (sees all cards)" if agent.sees_all_cards else ""
    return Label(f"{short(agent.label, 24)}{marked}", *_point(agent))


def _point(agent: LadderAgent) -> tuple[float, float]:
    assert agent.rating is not None and agent.rating.value is not None  # else not drawn
    return agent.seconds.median, agent.rating.value


def _steps(front: list[LadderAgent]) -> Iterator[Line]:
    """The line that joins the front."""
    for (x, y), (next_x, next_y) in pairwise(map(_point, front)):
        yield (x, y), (next_x, y)
        yield (next_x, y), (next_x, next_y)


def _intervals(agents: list[LadderAgent]) -> Iterator[Line]:
    for agent in agents:
        x, rating = agent.seconds.median, agent.rating
        if rating is not None and rating.low is not None and rating.high is not None:
            yield (x, rating.low), (x, rating.high)


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

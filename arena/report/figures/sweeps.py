"""Strength along a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from arena.report.figures.style import (
    PAPER,
    agent_look,
    draw_estimates,
    name_agents,
    new_figure,
    short,
    with_minus,
)

if TYPE_CHECKING:
    from arena.analysis import Sweep


def draw_sweeps(found: Sequence[Sweep], unit: str) -> Figure:
    """A panel for each swept parameter, a line for each of the others."""
    figure, grid = new_figure(3.4 * len(found), len(found), 1, squeeze=False)
    for axes, sweep in zip(grid.flat, found, strict=True):
        lines = list(dict.fromkeys(point.line for point in sweep.points))
        for number, line in enumerate(lines):
            points = [point for point in sweep.points if point.line == line]
            look = agent_look(number)
            colour, x = look["color"], [point.x for point in points]
            draw_estimates(axes, x, [p.y for p in points], label=short(line) or None, **look)
            for point in points:
                axes.plot(
                    point.x,
                    point.y.value,
                    look["marker"],
                    ms=7,
                    color=colour if point.best else PAPER,
                    markeredgecolor=colour,
                    markeredgewidth=1.5,
                )
        every = sorted({point.x for point in sweep.points})
        if every[0] > 0 and every[-1] >= 10 * every[0]:
            axes.set_xscale("log")
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.set_xticks(every, [f"{x:,g}" for x in every])
        axes.set_xlabel(sweep.parameter)
        axes.set_ylabel(
            f"margin against {short(sweep.against, 20)}\n(points per {unit})"
            if sweep.against
            else f"score rating\n(points per {unit})"
        )
        axes.set_title(
            f"{sweep.family}, {sweep.fixed}" if sweep.fixed else sweep.family, loc="left"
        )
        axes.yaxis.set_major_formatter(FuncFormatter(with_minus))
        axes.grid(axis="y")
        if len(lines) > 1:
            name_agents(axes)
    return figure

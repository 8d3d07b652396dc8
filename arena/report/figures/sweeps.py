"""Strength along a parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, NullFormatter

from arena.report.figures.style import (
    DARK,
    PAPER,
    agent_look,
    draw_cells,
    draw_estimates,
    name_agents,
    new_figure,
    short,
    with_minus,
)
from arena.report.words import interval, signed

if TYPE_CHECKING:
    from arena.analysis.sweeps import Sweep


FEWEST_LINES = 3
"""Lines from which on two numeric parameters are a map."""


def draw_sweeps(found: Sequence[Sweep], unit: str) -> Figure:
    """A panel for each swept parameter: a map of two numbers, or a line for each other setting."""
    figure, grid = new_figure(3.4 * len(found), len(found), 1, squeeze=False)
    for axes, sweep in zip(grid.flat, found, strict=True):
        y = f"margin against {short(sweep.against, 20)}" if sweep.against else "score rating"
        rows = _second_numbers(sweep)
        if rows:
            _draw_map(axes, sweep, rows, f"{y}\n(points per {unit})")
        else:
            _draw_lines(axes, sweep)
            axes.set_ylabel(f"{y}\n(points per {unit})")
        axes.set_xlabel(sweep.parameter)
        title = f"{sweep.family}, {sweep.fixed}" if sweep.fixed else sweep.family
        axes.set_title(title, loc="left")
    return figure


def _second_numbers(sweep: Sweep) -> dict[str, str]:
    """The values of a second parameter by line, in numeric order; empty if it is not a number."""
    lines = list(dict.fromkeys(point.line for point in sweep.points))
    settings = [line.partition("=") for line in lines]
    try:
        numbers = [float(value) for _, _, value in settings]
    except ValueError:
        return {}
    full = len(sweep.points) == len(lines) * len({point.x for point in sweep.points})
    if len(lines) < FEWEST_LINES or not full:
        return {}
    return {line: f"{number:g}" for line, number in zip(lines, numbers, strict=True)}


def _draw_map(axes: Axes, sweep: Sweep, rows: Mapping[str, str], label: str) -> None:
    columns = sorted({point.x for point in sweep.points})
    place = {line: row for row, line in enumerate(rows)}
    values = np.full((len(rows), len(columns)), np.nan)
    for point in sweep.points:
        x, y = columns.index(point.x), place[point.line]
        values[y, x] = point.y.value
        limits = "" if point.y.low is None else f"\n{interval(point.y.low, point.y.high)}"
        text = f"{signed(point.y.value)}{limits}"
        axes.text(x, y, text, ha="center", va="center", fontsize=7.5, color=DARK)
        if point.best:
            axes.add_patch(Rectangle((x - 0.46, y - 0.46), 0.92, 0.92, fill=False, ec=DARK))
    draw_cells(axes, values, label)
    axes.set_xticks(range(len(columns)), [f"{x:,g}" for x in columns])
    axes.set_yticks(range(len(rows)), list(rows.values()))
    axes.set_ylabel(next(iter(rows)).partition("=")[0])


def _draw_lines(axes: Axes, sweep: Sweep) -> None:
    lines = list(dict.fromkeys(point.line for point in sweep.points))
    for number, line in enumerate(lines):
        points = [point for point in sweep.points if point.line == line]
        look = agent_look(number)
        colour, x = look["color"], [point.x for point in points]
        draw_estimates(
            axes, x, [p.y for p in points], label=short(line.replace("=", " = ")) or None, **look
        )
        for point in points:
            assert point.y.value is not None  # settings without a result are in no sweep
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
    axes.yaxis.set_major_formatter(FuncFormatter(with_minus))
    axes.grid(axis="y")
    if len(lines) > 1:
        name_agents(axes)

"""Strength along a parameter."""

from __future__ import annotations

from typing import Any

import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from arena.report.figures.style import MARKERS, PALETTE, despine, new_figure, short, with_minus

__all__ = ["sweeps"]


def sweeps(document: dict[str, Any]) -> Figure | None:
    """A panel for each swept parameter, a line for each of the others."""
    sweeps = document["sweeps"]
    if not sweeps:
        return None
    figure, grid = new_figure(3.4 * len(sweeps), len(sweeps), 1, squeeze=False)
    for axes, sweep in zip(grid.flat, sweeps, strict=True):
        lines = list(dict.fromkeys(point["line"] for point in sweep["points"]))
        for number, line in enumerate(lines):
            points = [point for point in sweep["points"] if point["line"] == line]
            xs = [point["x"] for point in points]
            ys = [point["y"]["value"] for point in points]
            colour = PALETTE[number % len(PALETTE)]
            sns.lineplot(
                x=xs,
                y=ys,
                ax=axes,
                color=colour,
                marker=MARKERS[number % len(MARKERS)],
                markersize=7,
                label=short(line) or None,
                errorbar=None,
            )
            lows = [p["y"]["low"] if p["y"]["low"] is not None else p["y"]["value"] for p in points]
            highs = [
                p["y"]["high"] if p["y"]["high"] is not None else p["y"]["value"] for p in points
            ]
            axes.vlines(xs, lows, highs, color=colour, lw=1.8)
        every = [point["x"] for point in sweep["points"]]
        if min(every) > 0 and max(every) >= 10 * min(every):
            axes.set_xscale("log")
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.set_xticks(sorted(set(every)), [f"{x:,g}" for x in sorted(set(every))])
        axes.set_xlabel(sweep["parameter"])
        unit = document["run"]["unit"]
        against = sweep["against"]
        axes.set_ylabel(
            f"margin against {short(against, 20)}\n(points per {unit})"
            if against
            else f"score rating\n(points per {unit})"
        )
        axes.set_title(sweep["family"], loc="left")
        axes.yaxis.set_major_formatter(FuncFormatter(with_minus))
        axes.grid(axis="y")
        if axes.get_legend() is not None:
            axes.get_legend().set_frame_on(False)
        despine(axes)
    return figure

"""Traces of sequential tests between their bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from arena.report.figures.style import BLUE, MUTED, ORANGE, new_figure, short, with_minus

if TYPE_CHECKING:
    from arena.report.sequential import ShownTest


def draw_traces(shown: Sequence[ShownTest]) -> Figure:
    """The likelihood ratio after every deal, a panel for each test."""
    columns = 1 if len(shown) == 1 else 2
    rows = -(-len(shown) // columns)
    figure, grid = new_figure(0.6 + 2.2 * rows, rows, columns, squeeze=False)
    for axes, test in zip(grid.flat, shown, strict=False):
        deals, ratios = [0], [0.0]
        for n, ratio in test.trace.path:
            deals.append(n)
            ratios.append(ratio)
        axes.plot(deals, ratios, color=BLUE, linewidth=1.4)
        trace = test.trace
        for bound, word in ((trace.upper or 0.0, test.above), (trace.lower or 0.0, test.below)):
            axes.axhline(bound, color=ORANGE, linewidth=1, linestyle="--")
            axes.annotate(
                word,
                (1, bound),
                xycoords=("axes fraction", "data"),
                xytext=(-2, 3 if bound > 0 else -3),
                textcoords="offset points",
                ha="right",
                va="bottom" if bound > 0 else "top",
                color=MUTED,
            )
        axes.axhline(0, color=MUTED, linewidth=0.6)
        axes.margins(x=0.02, y=0.18)
        axes.set(title=short(test.title, 60), xlabel=test.units, ylabel="log likelihood ratio")
        axes.yaxis.set_major_formatter(FuncFormatter(with_minus))
    for axes in list(grid.flat)[len(shown) :]:
        axes.set_axis_off()
    return figure

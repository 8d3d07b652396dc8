"""Margins of the direct meetings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from arena.report.figures.style import (
    BLUE,
    INK,
    ORANGE,
    PAPER,
    fitting,
    new_figure,
    with_minus,
)
from arena.report.words import signed

if TYPE_CHECKING:
    from arena.analysis.standings import PairStanding
    from arena.report.sections.ladder import LadderAgent

MOST_PAIRS = 45
"""Rows of the list of pairs; with more (beyond ten agents) the map of meetings shows them."""


def draw_cross_table(
    pairs: Sequence[PairStanding], agents: Sequence[LadderAgent], unit: str
) -> Figure:
    """Mean margins of all pairs as a coloured table."""
    import seaborn as sns  # here: pages do without, and it takes long to import

    names = [agent.name for agent in agents]
    place = {name: i for i, name in enumerate(names)}
    table = np.full((len(names), len(names)), np.nan)
    marks = np.full(table.shape, "", dtype=object)
    for pair in pairs:
        i, j = place[pair.first], place[pair.second]
        if pair.mean is None:
            continue
        table[i, j], table[j, i] = pair.mean, -pair.mean
        marks[i, j], marks[j, i] = signed(pair.mean), signed(-pair.mean)
    size = len(names)
    figure, axes = new_figure(1.2 + 0.36 * max(size, 4))
    largest = np.nanmax(np.abs(table)) if not np.isnan(table).all() else 1.0
    sns.heatmap(
        table,
        ax=axes,
        annot=marks if size <= 14 else False,
        fmt="",
        vmin=-largest,
        vmax=largest,
        cmap=sns.blend_palette([ORANGE, "#f6f6f4", BLUE], as_cmap=True),
        xticklabels=list(fitting((agent.label for agent in agents), 18).values()),
        yticklabels=list(fitting((agent.label for agent in agents), 34).values()),
        linewidths=1.0,
        linecolor=PAPER,
        annot_kws={"color": "#14181b", "fontsize": 8},
        cbar_kws={"label": f"points per {unit} of the row", "shrink": 0.8},
    )
    axes.tick_params(length=0)
    axes.tick_params(axis="x", rotation=35 if size > 4 else 0)
    axes.tick_params(axis="y", rotation=0)
    axes.collections[0].colorbar.ax.yaxis.set_major_formatter(FuncFormatter(with_minus))
    return figure


def draw_forest(met: Sequence[PairStanding], labels: Mapping[str, str], unit: str) -> Figure | None:
    """Every pair with its interval, sorted by margin; None if there are none, or too many."""
    pairs = sorted((p for p in met if p.mean is not None), key=lambda pair: pair.mean or 0.0)
    if not 0 < len(pairs) <= MOST_PAIRS:
        return None
    figure, axes = new_figure(1.1 + 0.27 * len(pairs))
    limits = [(y, pair.low, pair.high) for y, pair in enumerate(pairs) if pair.low is not None]
    if limits:
        axes.hlines(*zip(*limits, strict=True), color=BLUE, lw=2.2)
    axes.plot([pair.mean for pair in pairs], range(len(pairs)), "o", ms=6, color=BLUE)
    axes.axvline(0, color=INK, lw=0.8)
    names = fitting((labels[name] for p in pairs for name in (p.first, p.second)), 26)
    titles = [f"{names[labels[p.first]]} – {names[labels[p.second]]}" for p in pairs]
    axes.set_yticks(range(len(pairs)), titles)
    axes.set_ylim(-0.7, len(pairs) - 0.3)
    axes.set_xlabel(f"points per {unit} for the agent named first")
    axes.xaxis.set_major_formatter(FuncFormatter(with_minus))
    axes.grid(axis="x")
    return figure

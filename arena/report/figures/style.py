"""Colours, type and the small helpers that all figures share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import seaborn as sns
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from arena.report.words import MINUS

BLUE, ORANGE, GREEN = "#0072b2", "#d55e00", "#009e73"
PALETTE = (BLUE, ORANGE, GREEN, "#cc79a7", "#e69f00", "#56b4e9", "#8c7a00", "#7f7f7f")
INK, MUTED, LINE, PAPER = "#1b1f24", "#5b6470", "#dfe3e0", "#fffffe"
MARKERS = "oDs^vPX*"
WIDTH = 7.4
LINES = ("-", "--", ":", "-.")
"""Kinds of lines, so that more than eight can be told apart."""


@contextmanager
def figure_style() -> Iterator[None]:
    """The look of all figures, while they are drawn."""
    settings: dict[Any, Any] = {
        **sns.axes_style("ticks"),
        **sns.plotting_context("notebook", font_scale=0.82),
        "font.family": ["DejaVu Sans"],
        "text.parse_math": False,  # a name with dollar signs is a name
        "svg.fonttype": "none",
        "savefig.transparent": False,
        "axes.prop_cycle": cycler(color=PALETTE),
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "axes.titlecolor": INK,
        "axes.facecolor": PAPER,
        "figure.facecolor": PAPER,
        "legend.facecolor": PAPER,
        "legend.edgecolor": LINE,
        "text.color": INK,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "grid.color": LINE,
        "axes.titlesize": "medium",
        "axes.titleweight": "bold",
    }
    with mpl.rc_context(settings):
        yield


def new_figure(
    height: float, rows: int = 1, columns: int = 1, **keywords: Any
) -> tuple[Figure, Any]:
    """An empty figure of the page's width, with its axes."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(rows, columns, **keywords)


def short(name: str, length: int = 34) -> str:
    """A name that fits, with its end cut off if it must be."""
    return name if len(name) <= length else f"{name[: length - 1]}…"


def despine(axes: Axes) -> None:
    """Leave only the axes at the left and below."""
    sns.despine(ax=axes)


def with_minus(value: float, _: object = None) -> str:
    """A number on an axis, with a true minus sign."""
    return f"{value:g}".replace("-", MINUS)

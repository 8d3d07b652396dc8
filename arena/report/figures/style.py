"""Colours, type and the small helpers that all figures share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from arena.report.words import MINUS

if TYPE_CHECKING:
    from arena.analysis.estimates import Estimate

BLUE, ORANGE, GREEN = "#0072b2", "#d55e00", "#009e73"
PALETTE = (BLUE, ORANGE, GREEN, "#cc79a7", "#e69f00", "#56b4e9", "#8c7a00", "#7f7f7f")
INK, MUTED, LINE, PAPER = "#1b1f24", "#5b6470", "#dfe3e0", "#fffffe"
DARK = "#14181b"
"""Of text on coloured cells, in the dark scheme too."""
MARKERS = "oDs^vPX<"
WIDTH = 7.4
LINES = ("-", "--", ":", "-.")
_SETTINGS: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 9.8,
    "axes.labelsize": "medium",
    "axes.titlesize": "medium",
    "axes.titleweight": "bold",
    "axes.axisbelow": True,
    "axes.linewidth": 1.25,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=PALETTE),
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.facecolor": PAPER,
    "figure.facecolor": PAPER,
    "legend.facecolor": PAPER,
    "legend.edgecolor": LINE,
    "legend.fontsize": "small",
    "legend.frameon": False,
    "lines.solid_capstyle": "round",
    "savefig.transparent": False,
    "svg.fonttype": "none",
    "text.color": INK,
    "text.parse_math": False,  # a name with dollar signs is a name
    "grid.color": LINE,
    "grid.linewidth": 1,
    **{
        f"{axis}tick.{key}": value
        for axis in "xy"
        for key, value in {
            "color": MUTED,
            "labelcolor": INK,
            "labelsize": 9,
            "major.size": 6,
            "major.width": 1.25,
        }.items()
    },
}


@contextmanager
def figure_style() -> Iterator[None]:
    """The look of all figures, while they are drawn."""
    with mpl.rc_context(_SETTINGS):
        yield


def new_figure(
    height: float, rows: int = 1, columns: int = 1, **keywords: Any
) -> tuple[Figure, Any]:
    """An empty figure of the page's width, with its axes."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(rows, columns, **keywords)


def agent_look(number: int) -> dict[str, str]:
    """Colour, marker and line of an agent: different for each of 64 agents, the same everywhere."""
    turn = number // len(PALETTE)
    return {
        "color": PALETTE[number % len(PALETTE)],
        "marker": MARKERS[(number + turn) % len(MARKERS)],
        "linestyle": LINES[turn % len(LINES)],
    }


def draw_estimates(
    axes: Axes, x: Sequence[float], estimates: Sequence[Estimate], **look: Any
) -> None:
    """Values with their intervals; those without an interval are points alone."""
    pairs = [(at, e, e.value) for at, e in zip(x, estimates, strict=True) if e.value is not None]
    axes.errorbar(
        [at for at, *_ in pairs],
        [value for *_, value in pairs],
        yerr=[
            [0.0 if e.low is None else max(value - e.low, 0.0) for _, e, value in pairs],
            [0.0 if e.high is None else max(e.high - value, 0.0) for _, e, value in pairs],
        ],
        **{"markersize": 5, "elinewidth": 1.2, "markeredgecolor": PAPER, **look},
    )


def draw_cells(axes: Axes, values: np.ndarray[Any, np.dtype[np.float64]], label: str) -> None:
    """A map of cells, orange below 0 and blue above; text in `DARK` is readable on all of them."""
    colours = LinearSegmentedColormap.from_list("strength", [ORANGE, "#f6f6f4", BLUE])
    reach = 1.5 * float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    rows, columns = values.shape
    edges = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    mesh = axes.pcolormesh(*edges, values, cmap=colours, vmin=-reach, vmax=reach, zorder=0)
    bar = axes.figure.colorbar(mesh, ax=axes, label=label, shrink=0.8)
    bar.ax.yaxis.set_major_formatter(FuncFormatter(with_minus))
    axes.tick_params(length=0)


def name_agents(axes: Axes) -> None:
    """The legend of a figure with a colour for each agent: right of the axes."""
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def short(name: str, length: int = 34) -> str:
    """A name that fits, with its middle left out if it must be: settings stand at the end."""
    if len(name) <= length:
        return name
    tail = (length - 1) // 2
    return f"{name[: length - 1 - tail]}…{name[-tail:]}"


def fitting(names: Iterable[str], length: int = 42) -> dict[str, str]:
    """The names of one figure, as short as they can be with no two the same.

    >>> fitting(["mc, c = 1, best of many", "mc, c = 2, best of many"], 10).values()
    dict_values(['mc, c = 1… of many', 'mc, c = 2… of many'])
    """
    every = list(dict.fromkeys(names))
    while True:
        shown = {name: short(name, length) for name in every}
        if len(set(shown.values())) == len(every):
            return shown
        length += 1


def with_minus(value: float, _: object = None) -> str:
    """A number on an axis, with a true minus sign."""
    return f"{value:g}".replace("-", MINUS)

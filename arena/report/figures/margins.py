"""How the points are spread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from arena.report.figures.style import BLUE, INK, ORANGE, despine, new_figure, short, with_minus

__all__ = ["margins"]


def margins(document: dict[str, Any]) -> Figure | None:
    """How often which margin occurred, for the pairs that the document chose."""
    parts = document["distributions"]
    if not parts:
        return None
    columns = 1 if len(parts) == 1 else 2
    rows = -(-len(parts) // columns)
    figure, grid = new_figure(0.7 + 1.75 * rows, rows, columns, squeeze=False, sharex=True)
    unit, units = document["run"]["unit"], document["run"]["units"]
    single = "match" if unit == "match" else "round"
    for axes, part in zip(grid.flat, parts, strict=False):
        width = part["width"]
        edges = np.array([*part["centres"], part["centres"][-1] + width]) - width / 2
        shares = pd.DataFrame(
            {
                "margin": [*part["centres"], *part["centres"]],
                "what": [f"{unit} (mean of seatings)"] * len(part["centres"])
                + [f"single {single}"] * len(part["centres"]),
                "share": [*_shares(part["deals"]), *_shares(part["games"])],
            }
        )
        sns.histplot(
            shares,
            x="margin",
            weights="share",
            hue="what",
            bins=edges.tolist(),
            palette=[BLUE, ORANGE],
            element="step",
            alpha=0.25,
            linewidth=1.1,
            legend=False,
            ax=axes,
        )
        versus = f" – {short(part['second'], 20)}" if part["second"] else " – all others"
        axes.set_title(f"{short(part['first'], 20)}{versus}", fontsize="small", loc="left")
        axes.set_ylabel("")
        axes.set_xlabel("")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:g}%"))
        axes.yaxis.set_major_locator(MaxNLocator(3))
        axes.xaxis.set_major_formatter(FuncFormatter(with_minus))
        axes.axvline(0, color=INK, lw=0.7)
        despine(axes)
    for axes in list(grid.flat)[len(parts) :]:
        axes.set_visible(False)
    for column in range(columns):
        lowest = [axes for axes in grid[:, column] if axes.get_visible()][-1]
        lowest.tick_params(labelbottom=True)
    keys = [
        Patch(facecolor=to_rgba(colour, 0.25), edgecolor=colour, label=label)
        for colour, label in ((BLUE, f"{unit} (mean of seatings)"), (ORANGE, f"single {single}"))
    ]
    figure.legend(handles=keys, loc="outside upper right", ncols=2, frameon=False, fontsize="small")
    figure.supxlabel("margin in favour of the one named first, in points", fontsize="medium")
    figure.supylabel(f"share of {units} or {single}s", fontsize="medium")
    return figure


def _shares(counts: list[int]) -> list[float]:
    total = sum(counts) or 1
    return [n / total for n in counts]

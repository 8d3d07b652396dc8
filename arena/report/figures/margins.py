"""How the points are spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from arena.report.figures.style import BLUE, INK, ORANGE, despine, new_figure, short, with_minus

if TYPE_CHECKING:
    from arena.analysis import Distribution
    from arena.report.sections.overview import RunPart


def draw_margins(
    parts: Sequence[Distribution], labels: Mapping[str, str], run: RunPart
) -> Figure | None:
    """How often which margin occurred, for the pairs that the document chose."""
    if not parts:
        return None
    columns = 1 if len(parts) == 1 else 2
    rows = -(-len(parts) // columns)
    figure, grid = new_figure(0.7 + 1.75 * rows, rows, columns, squeeze=False, sharex=True)
    unit, units, single = run.unit, run.units, run.single
    titles = _titles(parts, labels)
    for axes, part, title in zip(grid.flat, parts, titles, strict=False):
        width = part.width
        edges = np.array([*part.centres, part.centres[-1] + width]) - width / 2
        shares = pd.DataFrame(
            {
                "margin": [*part.centres, *part.centres],
                "what": [f"{unit} (mean of seatings)"] * len(part.centres)
                + [f"single {single}"] * len(part.centres),
                "share": [*_shares(part.deals), *_shares(part.games)],
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
        axes.set_title(title, fontsize="small", loc="left")
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
    figure.supylabel(
        f"share of {units} or {run.singles}" if unit != single else f"share of {units}",
        fontsize="medium",
    )
    return figure


def _titles(parts: Sequence[Distribution], labels: Mapping[str, str]) -> list[str]:
    """Short, but no two the same: names that agree in what is shown are written in full."""

    def title(part: Distribution, length: int) -> str:
        first = short(labels.get(part.first, part.first), length)
        second = part.second
        against = "all others" if second is None else short(labels.get(second, second), length)
        return f"{first} – {against}"

    found = [title(part, 20) for part in parts]
    return found if len(set(found)) == len(found) else [title(part, 200) for part in parts]


def _shares(counts: Sequence[int]) -> list[float]:
    total = sum(counts) or 1
    return [n / total for n in counts]

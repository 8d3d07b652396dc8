"""How margins are spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from arena.report.figures.style import BLUE, INK, LINE, ORANGE, new_figure, short, with_minus

if TYPE_CHECKING:
    from arena.analysis import Distribution
    from arena.report.about import RunPart


def draw_margins(
    parts: Sequence[Distribution], labels: Mapping[str, str], run: RunPart
) -> Figure | None:
    """How often which margin occurred: a row for each pair or agent, all on one scale."""
    if not parts:
        return None
    figure, axes = new_figure(1.1 + 0.62 * len(parts))
    kinds = ((BLUE, f"{run.unit} (mean of seatings)"), (ORANGE, f"single {run.single}"))
    shares = [(_shares(part.deals), _shares(part.games)) for part in parts]
    highest = max(float(share.max()) for row in shares for share in row) or 1.0
    for row, (part, both) in enumerate(zip(parts, shares, strict=True)):
        base = len(parts) - 1 - row
        edges = np.array([*part.centres, part.centres[-1] + part.width]) - part.width / 2
        axes.axhline(base, color=LINE, lw=1, zorder=0)
        for (colour, label), share in zip(kinds, both, strict=True):
            top = base + 0.92 * share / highest
            name = label if row == 0 else None
            axes.stairs(top, edges, baseline=base, fill=True, color=colour, alpha=0.25, label=name)
            axes.stairs(top, edges, baseline=None, color=colour, lw=1)
    axes.axvline(0, color=INK, lw=0.7)
    axes.set_yticks(range(len(parts)), _titles(parts, labels)[::-1], va="bottom")
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.05, len(parts))
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_formatter(FuncFormatter(with_minus))
    axes.set_xlabel("margin in favour of the agent named first, in points")
    figure.legend(loc="outside upper right", ncols=2)
    return figure


def _titles(parts: Sequence[Distribution], labels: Mapping[str, str]) -> list[str]:
    """Short, but no two the same: names that agree in what is shown are written in full."""

    def title(part: Distribution, length: int) -> str:
        first = short(labels.get(part.first, part.first), length)
        second = part.second
        return first if second is None else f"{first} – {short(labels.get(second, second), length)}"

    found = [title(part, 20) for part in parts]
    return found if len(set(found)) == len(found) else [title(part, 200) for part in parts]


def _shares(counts: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    values = np.array(counts, dtype=np.float64)
    return values / (values.sum() or 1.0)

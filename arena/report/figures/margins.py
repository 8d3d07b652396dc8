"""How margins are spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from arena.report.figures.style import BLUE, INK, LINE, ORANGE, fitting, new_figure, with_minus

if TYPE_CHECKING:
    from arena.analysis.distributions import Distribution
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
    sides = [[labels.get(name, name) for name in _sides(part)] for part in parts]
    names = fitting((name for row in sides for name in row), 42 if parts[0].second is None else 26)
    titles = [" – ".join(names[name] for name in row) for row in sides]
    axes.set_yticks(range(len(parts)), titles[::-1], va="bottom")
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.05, len(parts))
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_formatter(FuncFormatter(with_minus))
    winner = "agent named first" if parts[0].second else "agent, against all others"
    axes.set_xlabel(f"margin in favour of the {winner}, in points")
    figure.legend(loc="outside upper right", ncols=2)
    return figure


def _sides(part: Distribution) -> list[str]:
    return [part.first] if part.second is None else [part.first, part.second]


def _shares(counts: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    values = np.array(counts, dtype=np.float64)
    return values / (values.sum() or 1.0)

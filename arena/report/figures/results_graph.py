"""The known results of a field that is not transitive, as a graph."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from arena.report.figures.style import INK, LINE, MUTED, ORANGE, PAPER, new_figure, short
from arena.stats import Contrast

if TYPE_CHECKING:
    from arena.report.sections.ladder import LadderAgent

MOST_AGENTS = 16
"""With more agents the arrows are not distinguishable; the map of comparisons has them."""


def draw_results_graph(
    comparisons: Sequence[Contrast],
    cycles: Sequence[Sequence[str]],
    ladder: Sequence[LadderAgent],
) -> Figure | None:
    """An arrow from each agent to those that it is known to beat; None for too many agents."""
    if len(ladder) > MOST_AGENTS:
        return None
    figure, axes = new_figure(3.4 + 0.12 * len(ladder))
    turn = 2 * pi / len(ladder)
    at = {
        agent.name: (1.9 * sin(number * turn), cos(number * turn))
        for number, agent in enumerate(ladder)
    }
    on_cycle = {
        (one, next_one)
        for cycle in cycles
        for one, next_one in zip(cycle, (*cycle[1:], cycle[0]), strict=True)
    }
    for known in comparisons:
        if not known.different:
            continue
        pair = (known.first, known.second)
        axes.annotate(
            "",
            xy=at[pair[1]],
            xytext=at[pair[0]],
            arrowprops={
                "arrowstyle": "-|>",
                "color": ORANGE if pair in on_cycle else MUTED,
                "lw": 2.0 if pair in on_cycle else 1.0,
                "shrinkA": 16,
                "shrinkB": 16,
            },
            zorder=3 if pair in on_cycle else 2,
        )
    for agent in ladder:
        axes.text(
            *at[agent.name],
            short(agent.label, 20),
            ha="center",
            va="center",
            color=INK,
            bbox={"boxstyle": "round,pad=0.35", "facecolor": PAPER, "edgecolor": LINE},
            zorder=4,
        )
    axes.set_xlim(-2.4, 2.4)
    axes.set_ylim(-1.25, 1.25)
    axes.axis("off")
    return figure

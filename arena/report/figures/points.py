"""How the points were made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.report.figures.style import (
    LINES,
    MARKERS,
    PALETTE,
    PAPER,
    despine,
    new_figure,
    short,
)
from arena.report.words import ROLES

if TYPE_CHECKING:
    from arena.report.sections.points import PointsPart


def draw_tricks(part: PointsPart, labels: Mapping[str, str]) -> Figure | None:
    """Points taken in each trick: a line for every agent."""
    agents = [agent for agent in part.agents if any(t.value is not None for t in agent.tricks)]
    if not agents:
        return None
    figure, axes = new_figure(3.2 if len(agents) <= 8 else 3.2 + 0.16 * (len(agents) - 8))
    spread = 0.5 / len(agents)
    for number, agent in enumerate(agents):
        shift = spread * (number - (len(agents) - 1) / 2)
        colour = PALETTE[number % len(PALETTE)]
        places = [(i + shift, t) for i, t in enumerate(agent.tricks, 1) if t.value is not None]
        axes.plot(
            [x for x, _ in places],
            [trick.value for _, trick in places],
            color=colour,
            marker=MARKERS[number % len(MARKERS)],
            markersize=5,
            lw=1.4,
            ls=LINES[number // len(PALETTE) % len(LINES)],
            markeredgecolor=PAPER,
            label=short(labels[agent.name], 24),
        )
        for x, trick in places:
            if trick.low is not None and trick.high is not None:
                axes.vlines(x, trick.low, trick.high, color=colour, lw=1.2)
    axes.set_xlabel("trick")
    axes.set_ylabel("points taken in it")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=16))
    axes.grid(axis="y")
    axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    despine(axes)
    return figure


def draw_roles(part: PointsPart, labels: Mapping[str, str]) -> Figure | None:
    """Mean score by role, of every agent."""
    agents, found = part.agents, part.roles
    if not agents or not found:
        return None
    figure, axes = new_figure(0.9 + 0.42 * len(found) + 0.12 * len(found) * len(agents))
    height = 0.78 / len(agents)
    for number, agent in enumerate(agents):
        colour = PALETTE[number % len(PALETTE)]
        for row, role in enumerate(found):
            mean = agent.measures.get(role)
            if mean is None or mean.value is None:
                continue
            y = row + height * (number - (len(agents) - 1) / 2)
            if mean.low is not None:
                line = LINES[number // len(PALETTE) % len(LINES)]
                axes.plot([mean.low, mean.high], [y, y], color=colour, lw=2, ls=line)
            axes.plot(
                mean.value,
                y,
                MARKERS[number % len(MARKERS)],
                ms=6,
                color=colour,
                markeredgecolor=PAPER,
                label=short(labels[agent.name], 24) if row == 0 else None,
            )
    axes.set_yticks(range(len(found)), [ROLES[role] for role in found])
    axes.invert_yaxis()
    axes.set_xlabel("mean score of a round")
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    despine(axes)
    return figure

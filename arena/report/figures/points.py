"""How the points were made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.report.figures.style import (
    PAPER,
    agent_look,
    draw_estimates,
    name_agents,
    new_figure,
    short,
)
from arena.report.labels import best_few
from arena.report.words import ROLES

if TYPE_CHECKING:
    from arena.report.sections.points import PointsPart


def draw_tricks(part: PointsPart, labels: Mapping[str, str]) -> Figure | None:
    """Points taken in each trick: a line for every agent, or for the best few."""
    agents = best_few(
        [agent for agent in part.agents if any(t.value is not None for t in agent.tricks)]
    )
    if not agents:
        return None
    figure, axes = new_figure(max(3.2, 0.7 + 0.2 * len(agents)))
    for number, agent in enumerate(agents):
        shift = 0.5 / len(agents) * (number - (len(agents) - 1) / 2)
        places = [trick + shift for trick in range(1, len(agent.tricks) + 1)]
        label = short(labels[agent.name], 24)
        draw_estimates(axes, places, agent.tricks, label=label, lw=1.4, **agent_look(number))
    axes.set_xlabel("trick")
    axes.set_ylabel("points taken in it")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=16))
    axes.grid(axis="y")
    name_agents(axes)
    return figure


def draw_roles(part: PointsPart, labels: Mapping[str, str]) -> Figure | None:
    """Mean score by role, of every agent or of the best few."""
    agents, found = best_few(part.agents), part.roles
    if not agents or not found:
        return None
    figure, axes = new_figure(0.9 + 0.42 * len(found) + 0.12 * len(found) * len(agents))
    for number, agent in enumerate(agents):
        look = agent_look(number)
        shift = 0.78 / len(agents) * (number - (len(agents) - 1) / 2)
        rows = [
            (row + shift, mean)
            for row, role in enumerate(found)
            if (mean := agent.measures.get(role)) is not None and mean.value is not None
        ]
        limits = [(y, mean.low, mean.high) for y, mean in rows if mean.low is not None]
        if limits:
            axes.hlines(*zip(*limits, strict=True), color=look["color"], lw=2)
        axes.plot(
            [mean.value for _, mean in rows],
            [y for y, _ in rows],
            ls="none",
            ms=6,
            marker=look["marker"],
            color=look["color"],
            markeredgecolor=PAPER,
            label=short(labels[agent.name], 24),
        )
    axes.set_yticks(range(len(found)), [ROLES[role] for role in found])
    axes.invert_yaxis()
    axes.set_xlabel("mean score of a round")
    axes.grid(axis="x")
    name_agents(axes)
    return figure

"""How the points were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.report.figures.style import (
    DARK,
    PAPER,
    agent_look,
    draw_cells,
    draw_estimates,
    fitting,
    name_agents,
    new_figure,
)
from arena.report.labels import best_few
from arena.report.words import ROLES, plain

if TYPE_CHECKING:
    from arena.analysis.points_breakdown import AgentBreakdown
    from arena.report.sections.points import PointsPart

MOST_LINES = 4
"""Agents with a line each; of more, a map is easier to read."""


def draw_tricks(part: PointsPart, labels: Mapping[str, str]) -> Figure | None:
    """Points taken in each trick: a line for each agent, or a map of more agents."""
    agents = best_few(
        [agent for agent in part.agents if any(t.value is not None for t in agent.tricks)]
    )
    if not agents:
        return None
    names = fitting(labels[agent.name] for agent in agents)
    figure, axes = new_figure(max(3.2, 0.7 + 0.3 * len(agents)))
    axes.set_xlabel("trick")
    if len(part.agents) > MOST_LINES:
        _draw_map(axes, agents, [names[labels[agent.name]] for agent in agents])
        return figure
    for number, agent in enumerate(agents):
        shift = 0.5 / len(agents) * (number - (len(agents) - 1) / 2)
        places = [trick + shift for trick in range(1, len(agent.tricks) + 1)]
        label = names[labels[agent.name]]
        draw_estimates(axes, places, agent.tricks, label=label, lw=1.4, **agent_look(number))
    axes.set_ylabel("points taken in it")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=16))
    axes.grid(axis="y")
    name_agents(axes)
    return figure


def _draw_map(axes: Axes, agents: Sequence[AgentBreakdown], names: Sequence[str]) -> None:
    rows = [[np.nan if t.value is None else t.value for t in agent.tricks] for agent in agents]
    points = np.array(rows)
    for (y, x), value in np.ndenumerate(points):
        axes.text(x, y, plain(value), ha="center", va="center", fontsize=7.5, color=DARK)
    draw_cells(axes, points - np.nanmean(points, axis=0), "points above the mean of these agents")
    axes.set_xticks(range(points.shape[1]), [f"{x}" for x in range(1, points.shape[1] + 1)])
    axes.set_yticks(range(len(agents)), names)
    axes.invert_yaxis()


def draw_roles(part: PointsPart, labels: Mapping[str, str]) -> Figure | None:
    """Mean score by role, of every agent or of the best few."""
    agents, found = best_few(part.agents), part.roles
    if not agents or not found:
        return None
    names = fitting(labels[agent.name] for agent in agents)
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
            label=names[labels[agent.name]],
        )
    axes.set_yticks(range(len(found)), [ROLES[role] for role in found])
    axes.invert_yaxis()
    axes.set_xlabel("mean score of a round")
    axes.grid(axis="x")
    name_agents(axes)
    return figure

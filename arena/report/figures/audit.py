"""Points lost per decision."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from arena.audit.tables import DIMENSIONS, AuditTables
from arena.report.figures.style import agent_look, draw_estimates, name_agents, new_figure, short


def draw_losses(tables: AuditTables, dimension: str, labels: Mapping[str, str]) -> Figure | None:
    """Points lost as far as could be known, by group of one dimension: a line for every agent."""
    losses = [x for x in tables.losses if x.dimension == dimension and x.known is not None]
    groups = tables.groups(dimension) if losses else []
    if not groups:
        return None
    agents = [agent.name for agent in tables.agents]
    figure, axes = new_figure(max(3.2, 0.7 + 0.2 * len(agents)))
    for number, agent in enumerate(agents):
        mine = {x.group: x.known for x in losses if x.agent == agent and x.known is not None}
        shift = 0.5 / len(agents) * (number - (len(agents) - 1) / 2)
        found = [
            (place + shift, mine[group]) for place, group in enumerate(groups) if group in mine
        ]
        if found:
            places, estimates = zip(*found, strict=True)
            label = short(labels.get(agent, agent), 24)
            draw_estimates(axes, places, estimates, label=label, lw=1.4, **agent_look(number))
    axes.set_xticks(range(len(groups)), groups)
    axes.set_xlabel(DIMENSIONS[dimension])
    axes.set_ylabel("points lost per decision")
    axes.axhline(0, lw=0.8, color="0.6")
    axes.grid(axis="y")
    name_agents(axes)
    return figure

"""How the points were made."""

from __future__ import annotations

from typing import Any

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from arena.report.figures.style import (
    MARKERS,
    MOST_LINES,
    PALETTE,
    PAPER,
    despine,
    new_figure,
    short,
)
from arena.report.words import ROLES

__all__ = ["roles", "tricks"]


def tricks(document: dict[str, Any]) -> Figure | None:
    """Points taken in each trick."""
    shown = {agent["name"] for agent in document["agents"][:MOST_LINES]}
    rows = [
        {"agent": agent["name"], "trick": number, **trick}
        for agent in document["makeup"]["agents"]
        if agent["name"] in shown
        for number, trick in enumerate(agent["tricks"], start=1)
        if trick["value"] is not None
    ]
    if not rows:
        return None
    frame = pd.DataFrame(rows)
    order = [a["name"] for a in document["agents"] if a["name"] in set(frame["agent"])]
    figure, axes = new_figure(3.2)
    spread = 0.5 / max(1, len(order))
    for number, name in enumerate(order):
        mine = frame[frame["agent"] == name]
        x = mine["trick"] + spread * (number - (len(order) - 1) / 2)
        colour = PALETTE[number % len(PALETTE)]
        sns.lineplot(
            x=x,
            y=mine["value"],
            ax=axes,
            color=colour,
            marker=MARKERS[number % len(MARKERS)],
            markersize=6,
            label=short(name),
            errorbar=None,
        )
        bounded = mine.dropna(subset=["low", "high"])
        at = bounded["trick"] + spread * (number - (len(order) - 1) / 2)
        axes.vlines(at, bounded["low"], bounded["high"], color=colour, lw=1.4)
    axes.set_xlabel("trick")
    axes.set_ylabel("points taken in it")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=16))
    axes.grid(axis="y")
    axes.legend(frameon=False, fontsize="small", ncols=2 if len(order) > 4 else 1)
    despine(axes)
    return figure


def roles(document: dict[str, Any]) -> Figure | None:
    """Mean score by role."""
    made = {agent["name"]: agent for agent in document["makeup"]["agents"]}
    names = [agent["name"] for agent in document["agents"] if agent["name"] in made][:MOST_LINES]
    roles = document["makeup"]["roles"]
    if not names or not roles:
        return None
    figure, axes = new_figure(0.9 + 0.42 * len(roles) + 0.12 * len(roles) * len(names))
    height = 0.78 / len(names)
    for number, name in enumerate(names):
        colour = PALETTE[number % len(PALETTE)]
        for row, role in enumerate(roles):
            found = made[name]["measures"].get(role)
            if found is None or found["value"] is None:
                continue
            y = row + height * (number - (len(names) - 1) / 2)
            if found["low"] is not None:
                axes.plot([found["low"], found["high"]], [y, y], color=colour, lw=2)
            axes.plot(
                found["value"],
                y,
                MARKERS[number % len(MARKERS)],
                ms=6,
                color=colour,
                markeredgecolor=PAPER,
                label=short(name) if row == 0 else None,
            )
    axes.set_yticks(range(len(roles)), [ROLES[role] for role in roles])
    axes.invert_yaxis()
    axes.set_xlabel("mean score of a round")
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    despine(axes)
    return figure

"""The deals after which agents left a race."""

from __future__ import annotations

from matplotlib.figure import Figure

from arena.report.figures.style import BLUE, MUTED, ORANGE, new_figure, short
from arena.tournament.racing import RaceOutcome


def draw_race(outcome: RaceOutcome, units: str) -> Figure:
    """A bar for each agent, as long as it was in the race; who is left is on top."""
    rows = [(name, outcome.deals, BLUE) for name in outcome.racing]
    rows += [
        (each.agent, each.deals, ORANGE if each.low > 0 else MUTED)
        for each in reversed(outcome.left)
    ]
    figure, axes = new_figure(0.9 + 0.28 * len(rows))
    places = range(len(rows))
    axes.barh(places, [deals for _, deals, _ in rows], color=[colour for *_, colour in rows])
    axes.set_yticks(places, [short(name, 40) for name, *_ in rows])
    axes.invert_yaxis()
    axes.set_xlabel(f"{units} in the race")
    axes.grid(axis="y", visible=False)
    return figure

"""How an agent's rating went, as an SVG."""

from __future__ import annotations

from collections.abc import Sequence

from arena.report.figures import picture_of
from arena.report.figures.style import BLUE, MUTED, figure_style, new_figure, short
from arena.stats import Rating

_LABELS = 12
"""More dates than that do not fit below the axis."""


def history_figure(
    name: str, anchor: str, unit: str, points: Sequence[tuple[str, str, Rating]]
) -> str:
    """The rating of one agent after each run that it played: time, run and rating of each."""
    with figure_style():
        figure, axes = new_figure(2.6)
        places = range(len(points))
        ratings = [rating.value or 0.0 for _, _, rating in points]
        for place, (_, _, rating) in zip(places, points, strict=True):
            if rating.low is not None and rating.high is not None:
                axes.plot([place, place], [rating.low, rating.high], color=MUTED, linewidth=2)
        axes.plot(places, ratings, color=BLUE, marker="o", linewidth=1)
        axes.axhline(0, color=MUTED, linewidth=0.6)
        step = max(1, -(-len(points) // _LABELS))
        shown = list(places)[::step]
        labels = [f"{points[place][0][:10]}\n{short(points[place][1], 16)}" for place in shown]
        axes.set_xticks(shown, labels, fontsize="x-small")
        axes.set_xlim(-0.5, len(points) - 0.5)
        axes.set_ylabel(f"points per {unit}\nahead of {short(anchor, 18)}")
        axes.set_title(name)
        return picture_of(name, "", figure).svg

"""Errors of the values that agents give to positions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from arena.analysis.value_error import ValueErrors
from arena.core.errors import ArenaError
from arena.report.figures.style import agent_look, figure_style, new_figure, short


def draw_value_errors(found: Sequence[ValueErrors]) -> Figure:
    """Mean squared error by cards played, a line for each agent; bars are one standard error."""
    figure, axes = new_figure(3.6)
    for number, agent in enumerate(dict.fromkeys(one.agent for one in found)):
        points = [one for one in found if one.agent == agent]
        axes.errorbar(
            [one.cards_played for one in points],
            [one.mean_squared_error for one in points],
            yerr=[one.standard_error or 0.0 for one in points],
            markersize=5,
            label=short(agent),
            **agent_look(number),
        )
    axes.set_xlabel("cards played")
    axes.set_ylabel("mean squared error\n(points²)")
    axes.set_ylim(bottom=0)
    axes.grid(axis="y")
    axes.legend(loc="upper right")
    return figure


def save_value_errors(found: Sequence[ValueErrors], path: Path) -> None:
    """Draw the figure into a file; the ending of its name gives the format."""
    with figure_style():
        figure = draw_value_errors(found)
        if path.suffix.lstrip(".") not in figure.canvas.get_supported_filetypes():
            raise ArenaError(f"--figure {path}: unknown ending; use .png, .svg or .pdf")
        try:
            figure.savefig(path, dpi=160)
        except OSError as error:
            raise ArenaError(f"--figure {path}: {error.strerror}") from None

"""The figures, drawn from the report's document and from nothing else.

Colours are those of Okabe and Ito, which people with any kind of colour vision tell apart.
Inside the page, ink, paper and lines follow the page's own colours, also in the dark.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from arena.report.figures.makeup import roles, tricks
from arena.report.figures.margins import margins
from arena.report.figures.pairs import cross_table, forest
from arena.report.figures.strength import strength_and_time
from arena.report.figures.style import BLUE, INK, LINE, MUTED, ORANGE, PAPER, style
from arena.report.figures.sweeps import sweeps

__all__ = ["Picture", "draw"]

_PAGE_COLOURS = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    LINE: "var(--line)",
    PAPER: "var(--card)",
    BLUE: "var(--good)",
    ORANGE: "var(--bad)",
}
DPI = 160


@dataclass(frozen=True)
class Picture:
    """One figure in all its forms."""

    name: str
    caption: str
    png: bytes
    svg: str

    @property
    def inline(self) -> str:
        """The figure for the inside of a page: in its colours, with names of its own."""
        body = self.svg[self.svg.index("<svg") :]
        for colour, variable in _PAGE_COLOURS.items():
            body = body.replace(colour, variable)
        body = re.sub(r"(<svg[^>]*?) (?:width|height)=\"[^\"]*\"", r"\1", body)
        body = re.sub(r"(<svg[^>]*?) (?:width|height)=\"[^\"]*\"", r"\1", body)
        body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
        body = re.sub(r"'DejaVu Sans'[^;\"]*", "sans-serif", body)
        used = set(re.findall(r"(?:url\(#|href=\"#)([^)\"]+)", body))
        return re.sub(r' id="([^"]+)"', lambda m: m[0] if m[1] in used else "", body)


def draw(document: dict[str, Any]) -> list[Picture]:
    """All figures that the document has numbers for."""
    found = []
    with style():
        for name, (make, caption) in _FIGURES.items():
            figure = make(document)
            if figure is not None:
                units = document["run"]
                text = caption.format(unit=units["unit"], units=units["units"])
                found.append(_picture(name, text, figure))
    return found


def _picture(name: str, caption: str, figure: Figure) -> Picture:
    png, svg = io.BytesIO(), io.StringIO()
    figure.savefig(png, format="png", dpi=DPI, metadata={"Software": None})
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    return Picture(name, caption, png.getvalue(), svg.getvalue())


_FIGURES: dict[str, tuple[Callable[[dict[str, Any]], Figure | None], str]] = {
    "cross-table": (
        cross_table,
        "Mean margin of the agent in the row against the one in the column, in points per {unit}. "
        "* differs beyond chance.",
    ),
    "forest": (
        forest,
        "Every pair: mean margin with its interval, in points per {unit}. Filled: differs beyond "
        "chance after adjustment for the number of pairs.",
    ),
    "strength-and-time": (
        strength_and_time,
        "Strength against time per decision, with intervals. The dashed line joins the agents "
        "that no other beats on both.",
    ),
    "margins": (
        margins,
        "How often which margin occurred: of single games, and of {units} with their seatings "
        "averaged. Spikes are games of all or nothing.",
    ),
    "sweeps": (sweeps, "Strength along a parameter, with intervals."),
    "roles": (roles, "Mean score by role, with intervals over {units}."),
    "tricks": (
        tricks,
        "Points taken in each trick, bonus included, with intervals over {units}.",
    ),
}

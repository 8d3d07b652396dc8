"""The figures, drawn from the report's document and from nothing else.

Colours are those of Okabe and Ito, which people with any kind of colour vision tell apart.
Inside the page, ink, paper and lines follow the page's own colours, also in the dark.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure

from arena.report.figures.style import BLUE, INK, LINE, MUTED, ORANGE, PAPER, figure_style

if TYPE_CHECKING:
    from arena.report.document import ReportDocument
    from arena.report.section import Section

__all__ = ["Picture", "draw", "picture_of"]

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


def draw(document: ReportDocument, sections: Iterable[Section[Any]]) -> list[Picture]:
    """All figures that the document has numbers for."""
    found: list[Picture] = []
    with figure_style():
        for section in sections:
            part = document.parts.get(section.name)
            if part is not None:
                drawings = section.figures(part, document)
                found += [picture_of(d.name, d.caption, d.figure) for d in drawings]
    return found


def picture_of(name: str, caption: str, figure: Figure) -> Picture:
    """A figure in all its forms."""
    png, svg = io.BytesIO(), io.StringIO()
    figure.savefig(png, format="png", dpi=DPI, metadata={"Software": None})
    figure.set_layout_engine("none")  # where everything stands is known now
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    return Picture(name, caption, png.getvalue(), svg.getvalue())

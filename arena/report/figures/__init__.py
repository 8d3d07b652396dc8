"""The figures, drawn from the report's document and from nothing else.

Colours are those of Okabe and Ito, which people with any kind of colour vision can distinguish.
Inside the page, ink, paper and lines follow the page's own colours, also in the dark.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
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
    """A figure with its caption, as SVG."""

    name: str
    caption: str
    svg: str
    png: bytes | None = None
    """If it was asked for."""

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


def draw(
    document: ReportDocument,
    sections: Iterable[Section[Any]],
    *,
    every: bool = False,
    png: bool = False,
) -> list[Picture]:
    """The figures of the page, or every figure that the document has numbers for."""
    found = []
    with figure_style():
        for section in sections:
            part = document.parts.get(section.name)
            drawings = () if part is None else section.figures(part, document)
            for drawing in drawings:
                figure = drawing.draw() if every or drawing.on_page else None
                if figure is not None:
                    found.append(picture_of(drawing.name, drawing.caption, figure, png=png))
    return found


def picture_of(name: str, caption: str, figure: Figure, *, png: bool = False) -> Picture:
    """A figure as SVG, and as PNG if asked for."""
    svg, raster = io.StringIO(), io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": name}), warnings.catch_warnings():
        # A name that matplotlib's font cannot measure is text in the SVG, and shown by the browser.
        warnings.filterwarnings("ignore", r"Glyph \d+")
        # Not savefig, which lays out and draws everything once more.
        canvas: Any = FigureCanvasSVG(figure)
        canvas.print_svg(svg, metadata={"Date": None, "Creator": None})
    if png:
        figure.set_layout_engine("none")  # the layout is known now
        figure.savefig(raster, format="png", dpi=DPI, metadata={"Software": None})
    return Picture(name, caption, svg.getvalue(), raster.getvalue() or None)

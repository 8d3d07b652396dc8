"""Names beside the points of a figure, placed so that they can be read.

Each name is tried at places around its point, near ones first, and takes the cheapest: it
must stay in the axes and cover neither a name nor a point, and should not lie on a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from arena.report.figures.style import MUTED

_RADIUS, _GAP = 5.0, 8.0
"""Of a point, and from its middle to its name; in typographic points."""
_ROWS = 9
"""How many lines of text up and down a name may move."""
_NEAR = 1.6
"""Names that have moved further, in lines of text, get a thin line to their point."""
_COVERS, _OUTSIDE, _CROSSES = 100.0, 100.0, 3.0
"""What it costs, where a line of text further away costs 1."""

Line: TypeAlias = tuple[tuple[float, float], tuple[float, float]]
"""A horizontal or vertical line, from one place to another, as data."""


class Label(NamedTuple):
    """A name, and the point it belongs to."""

    text: str
    x: float
    y: float


class _Place(NamedTuple):
    """Where a name could stand: the side it is aligned to, its middle, and how far it moved."""

    side: Literal["left", "right", "center"]
    box: Bbox
    rows: float

    @property
    def anchor(self) -> tuple[float, float]:
        x = {"left": self.box.x0, "right": self.box.x1, "center": (self.box.x0 + self.box.x1) / 2}
        return x[self.side], (self.box.y0 + self.box.y1) / 2


def place_labels(axes: Axes, labels: Sequence[Label], lines: Sequence[Line]) -> list[Annotation]:
    """Write the names; the limits and scales of the axes must be final."""
    figure = axes.get_figure(root=True)
    assert figure is not None  # axes are drawn in one
    figure.draw_without_rendering()  # lays the figure out, so that places are known
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]  # matplotlib's
    pixel = figure.dpi / 72
    inside = axes.get_window_extent(renderer)
    centres = [axes.transData.transform((label.x, label.y)) for label in labels]
    points = [Bbox.from_bounds(x, y, 0, 0).padded(_RADIUS * pixel) for x, y in centres]
    drawn = [Bbox(axes.transData.transform(line)).padded(pixel) for line in lines]

    notes = []
    names: list[Bbox] = []
    for label, (x, y) in zip(labels, centres, strict=True):
        note = axes.annotate(
            label.text,
            (label.x, label.y),
            textcoords="offset points",
            xytext=(0, 0),
            fontsize="small",
            va="center",
        )
        note.set_in_layout(False)
        size = note.get_window_extent(renderer)

        def cost(place: _Place) -> float:
            box = place.box
            return (
                place.rows
                + _OUTSIDE * (not _contains(inside, box))
                + _COVERS * box.count_overlaps([*names, *points])
                + _CROSSES * box.count_overlaps(drawn)
            )

        best = min(_places(x, y, size, _GAP * pixel), key=cost)
        names.append(best.box.padded(pixel))
        anchor = (best.anchor[0] - x) / pixel, (best.anchor[1] - y) / pixel
        note.set(ha=best.side, position=anchor)
        if best.rows > _NEAR:
            _connect(axes, label, anchor)
        notes.append(note)
    return notes


def _places(x: float, y: float, size: Bbox, gap: float) -> Iterator[_Place]:
    """Above and below, and to the right and to the left in rows of half a line of text."""
    width, height = size.width, size.height
    beside: tuple[tuple[Literal["left", "right"], float], ...]
    beside = (("left", x + gap), ("right", x - gap - width))
    for number in range(4 * _ROWS + 1):
        rows = (number + 1) // 2 * (0.5 if number % 2 else -0.5)
        for side, left in beside:
            # The best is a little above the middle, where lines to other points do not pass.
            bottom = y + (rows + 0.15) * height
            dearer = 0.3 * (side == "right")
            yield _Place(side, Bbox.from_bounds(left, bottom, width, height), abs(rows) + dearer)
    for bottom in (y + gap, y - gap - height):
        box = Bbox.from_bounds(x - width / 2, bottom, width, height)
        yield _Place("center", box, 1.0)


def _contains(outer: Bbox, inner: Bbox) -> bool:
    both = Bbox.intersection(outer, inner)
    return both is not None and bool((both.get_points() == inner.get_points()).all())


def _connect(axes: Axes, label: Label, offset: tuple[float, float]) -> None:
    axes.annotate(
        "",
        (label.x, label.y),
        textcoords="offset points",
        xytext=offset,
        arrowprops={"arrowstyle": "-", "color": MUTED, "lw": 0.6, "shrinkA": 0},
    ).set_in_layout(False)

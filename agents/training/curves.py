"""Learning curves: in a line of text, and as figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median

_LEVELS = "▁▂▃▄▅▆▇█"
_WIDTH = 24


def sparkline(values: Sequence[float], width: int = _WIDTH) -> str:
    """A curve in one line of text: the means of `width` stretches.

    Values above twice the median are drawn at the top, so that a bad beginning does not
    flatten the rest.

    >>> sparkline([4, 3, 2, 2])
    '█▅▁▁'
    >>> sparkline([400, 4, 3, 2, 2])
    '█▅▃▁▁'
    """
    if len(values) > width:
        ends = [len(values) * i // width for i in range(width + 1)]
        stretches = [values[a:b] for a, b in pairwise(ends)]
        values = [sum(some) / len(some) for some in stretches]
    low, high = min(values, default=0.0), max(values, default=0.0)
    if values and 2 * median(values) > low:
        high = min(high, 2 * median(values))
    span = high - low or 1.0
    shares = [(min(value, high) - low) / span for value in values]
    return "".join(_LEVELS[round(share * (len(_LEVELS) - 1))] for share in shares)


def bar(done: float) -> str:
    """A progress bar.

    >>> bar(0.25)
    '[######------------------]  25%'
    """
    full = round(done * _WIDTH)
    return f"[{'#' * full}{'-' * (_WIDTH - full)}] {done:4.0%}"


def write_figure(
    path: Path,
    curves: Mapping[str, Sequence[tuple[float, float, float, float]]],
    x: str,
    y: str,
    title: str,
) -> None:
    """Draw curves with bands: each point is x, y and the ends of its interval."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for name, points in curves.items():
        xs, ys, lows, highs = (list(column) for column in zip(*points, strict=True))
        axes.plot(xs, ys, marker="o", markersize=3, label=name)
        axes.fill_between(xs, lows, highs, alpha=0.2)
    axes.set(xlabel=x, ylabel=y, title=title)
    axes.grid(alpha=0.3)
    if len(curves) > 1:
        axes.legend()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def write_loss_curves(path: Path, curves: Mapping[str, Sequence[float]], unit: str) -> None:
    """Draw losses by epoch, without bands."""
    points = {
        name: [(float(i + 1), loss, loss, loss) for i, loss in enumerate(losses)]
        for name, losses in curves.items()
    }
    write_figure(path, points, "epoch", unit, path.stem)

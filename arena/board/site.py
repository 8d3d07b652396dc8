"""The pages of a board: plain files that any web server can publish, or a browser open."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import jinja2

from arena.board.ratings import Board, boards
from arena.core.errors import ArenaError
from arena.core.files import write_atomically
from arena.report.figures import picture_of
from arena.report.figures.style import BLUE, MUTED, figure_style, new_figure, short
from arena.report.glossary import name_span
from arena.report.sections.pages import page_text
from arena.report.words import count, interval, rating_text
from arena.stats import Rating
from arena.store import Run

INDEX = "index.html"
KEPT = "ratings.json"
_PAGES = Path(__file__).parent / "page"
_LABELS = 12
"""More dates than that do not fit below the axis."""


def build(runs: Sequence[Run], folder: Path) -> list[Board]:
    """Write the boards of some runs into a folder; only what is new is computed and drawn."""
    found = boards(runs, folder / KEPT)
    if not found:
        raise ArenaError("no run has results yet: 'arena run' makes some")
    pages = _environment()
    for board in found:
        several = [mark for mark in _rated(board) if len(board.history_of(mark)) > 1]
        figures = {mark: _figure(board, mark, folder) for mark in several}
        reports = {run: _report(Path(run), folder) for run in board.runs}
        text = pages.get_template("board.html.j2").render(
            board=board, figures=figures, reports=reports
        )
        write_atomically(folder / f"{board.slug}.html", text)
    text = pages.get_template("index.html.j2").render(boards=found)
    write_atomically(folder / INDEX, text)
    return found


def _report(run: Path, folder: Path) -> str:
    """The address of a run's report, seen from the pages; empty if it has none."""
    page = run / "report.html"
    return Path(os.path.relpath(page, folder)).as_posix() if page.is_file() else ""


def _rated(board: Board) -> list[str]:
    return [agent.name for field in board.now.fields for agent in field]


def _figure(board: Board, fingerprint: str, folder: Path) -> str:
    """The file of an agent's history; drawn only if it is not there, as its name says all."""
    points = board.history_of(fingerprint)
    name, anchor = (board.labels[mark] for mark in (fingerprint, board.anchor(fingerprint)))
    drawn_from = hashlib.sha256(repr((name, anchor, board.unit, points)).encode()).hexdigest()
    file = Path("figures") / f"{fingerprint[:12]}-{drawn_from[:12]}.svg"
    if not (folder / file).exists():
        write_atomically(folder / file, _history_figure(name, anchor, board.unit, points))
    return file.as_posix()


def _history_figure(
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


def _environment() -> jinja2.Environment:
    pages = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_PAGES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    pages.globals["css"], pages.globals["js"] = page_text("report.css"), page_text("report.js")
    pages.filters.update(rating_text=rating_text, count=count, name=name_span)
    pages.globals["interval"] = interval
    return pages

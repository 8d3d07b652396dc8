"""The pages of a board: plain files that any web server can publish, or a browser open."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import jinja2

from arena.board.figures import history_figure
from arena.board.ratings import Board, boards
from arena.core.errors import ArenaError
from arena.core.files import write_atomically
from arena.report.sections.pages import page_text
from arena.report.words import count, interval, rating_text
from arena.store import Run

INDEX = "index.html"
KEPT = "ratings.json"
_PAGES = Path(__file__).parent / "page"


def build(runs: Sequence[Run], folder: Path) -> list[Board]:
    """Write the boards of some runs into a folder; only what is new is computed and drawn."""
    found = boards(runs, folder / KEPT)
    if not found:
        raise ArenaError("no run has results yet: 'arena run' makes some")
    pages = _environment()
    for board in found:
        figures = {mark: _figure(board, mark, folder) for mark in _rated(board)}
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
    name, anchor = (board.names.shown[mark] for mark in (fingerprint, board.anchor(fingerprint)))
    drawn_from = hashlib.sha256(repr((name, anchor, board.unit, points)).encode()).hexdigest()
    file = Path("figures") / f"{fingerprint[:12]}-{drawn_from[:12]}.svg"
    if not (folder / file).exists():
        write_atomically(folder / file, history_figure(name, anchor, board.unit, points))
    return file.as_posix()


def _environment() -> jinja2.Environment:
    pages = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_PAGES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    pages.globals["css"], pages.globals["js"] = page_text("report.css"), page_text("report.js")
    pages.filters.update(rating_text=rating_text, count=count)
    pages.globals["interval"] = interval
    return pages

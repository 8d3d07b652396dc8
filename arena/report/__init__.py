"""Reports: a run as a page, a text, tables, figures, and one file with every number.

    report.html     one file that opens offline and prints well
    report.md       short enough for a pull request comment
    report.json     every number, under stable names
    tables/*.csv    the tables
    figures/*       the figures, as PNG and SVG

Nothing is computed here: `arena.analysis` asks `arena.stats`, and the report shows it.
"""

from __future__ import annotations

import json
from pathlib import Path

from arena.files import write_atomically
from arena.store import Run

__all__ = ["HTML", "write"]

HTML = "report.html"
MARKDOWN = "report.md"
JSON = "report.json"


def write(run_folder: Path | str, out: Path | str | None = None) -> Path:
    """Write the report of a run into its folder (or into `out`); the path of the page."""
    # Here, because drawing takes seconds to import and `arena run --no-report` need not wait.
    from arena.report.document import make_document
    from arena.report.figures import draw
    from arena.report.render import render_html, render_markdown
    from arena.report.tables import tables

    folder = Path(run_folder if out is None else out)
    with Run(run_folder) as run:
        document = make_document(run)
    pictures = draw(document)
    for name, text in tables(document).items():
        write_atomically(folder / "tables" / f"{name}.csv", text)
    for picture in pictures:
        write_atomically(folder / "figures" / f"{picture.name}.png", picture.png)
        write_atomically(folder / "figures" / f"{picture.name}.svg", picture.svg)
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
    write_atomically(folder / JSON, f"{text}\n")
    write_atomically(folder / MARKDOWN, render_markdown(document))
    page = folder / HTML
    write_atomically(page, render_html(document, pictures))
    return page

"""Reports: a run as a page, a text, tables, figures, and one file with every number.

    report.html     one file that opens offline and prints well
    report.md       short enough for a pull request comment
    report.json     every number, under stable names
    tables/*.csv    the tables
    figures/*.svg   the figures of the page
    figures/*.png   on request, as are report.tex, supplement.tex and references.bib for a paper

Nothing is computed here: `arena.analysis` asks `arena.stats`, and the report shows the results.
A report is made of sections (`arena.report.section`), which plug-ins can add to.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from arena import __version__
from arena.core.files import read_bytes, refuse_links, write_atomically
from arena.store import Run
from arena.store.folder import AUDIT

if TYPE_CHECKING:
    from arena.analysis.result_files import ResultFile
    from arena.report.context import Context, ResultsContext

__all__ = ["HTML", "is_current", "write", "write_file_report", "write_report"]

HTML = "report.html"
MARKDOWN = "report.md"
JSON = "report.json"
LATEX = "report.tex"
SUPPLEMENT = "supplement.tex"
BIBTEX = "references.bib"
_MADE_FROM = re.compile(rb'<meta name="arena-made-from" content="([0-9a-f]+)">')
_HEAD = 4096
"""How many bytes of a page are searched for what it was made from."""


def write(
    run_folder: Path | str,
    out: Path | str | None = None,
    *,
    latex: bool = False,
    png: bool = False,
) -> Path:
    """Write the report of a run into its folder (or into `out`); returns the path of the page."""
    from arena.report.context import Context  # here: scipy takes long to import

    with Run(run_folder) as run:
        folder = Path(run_folder if out is None else out)
        return write_report(Context(run), folder, latex=latex, png=png)


def write_file_report(
    file: ResultFile, folder: Path, *, latex: bool = False, png: bool = False
) -> Path:
    """Write the report of results from elsewhere; returns the path of the page."""
    from arena.report.context import FileContext  # here: scipy takes long to import

    return _write(FileContext(file), folder, file.digest, latex=latex, png=png)


def write_report(context: Context, folder: Path, *, latex: bool = False, png: bool = False) -> Path:
    """Write a report from results that may already be there; returns the path of the page.

    `latex` adds the tables for a paper, `png` every figure as PNG.
    """
    # Here, because drawing takes long to import and `arena run --no-report` need not wait.
    from arena.report.race import race_report, write_race_report
    from arena.report.sequential import stopped_report, write_sequential

    refuse_links(folder)
    made_from = _made_from(context.run)  # first: results stored from now on make the page outdated
    if context.run.manifest.race is not None:
        return write_race_report(race_report(context.run), folder, made_from)
    if context.run.manifest.stop is not None:
        return write_sequential(stopped_report(context.run), folder, made_from)
    return _write(context, folder, made_from, latex=latex, png=png)


def _write(
    context: ResultsContext, folder: Path, made_from: str, *, latex: bool, png: bool
) -> Path:
    from arena.report.document import all_sections, make_document
    from arena.report.figures import draw
    from arena.report.render import render_html, render_latex, render_markdown
    from arena.report.sections.method import MethodPart
    from arena.report.tables import as_csv

    refuse_links(folder)
    sections = list(all_sections())
    document = make_document(context, sections)
    pictures = draw(document, sections, every=png, png=png)
    for section in sections:
        part = document.parts.get(section.name)
        for name, rows in section.csv(part).items() if part is not None else ():
            text = as_csv(rows)
            if text:
                write_atomically(folder / "tables" / f"{name}.csv", text)
    for picture in pictures:
        write_atomically(folder / "figures" / f"{picture.name}.svg", picture.svg)
        if picture.png is not None:
            write_atomically(folder / "figures" / f"{picture.name}.png", picture.png)
    text = json.dumps(document.to_json(), indent=1, ensure_ascii=False, allow_nan=False)
    write_atomically(folder / JSON, f"{text}\n")
    write_atomically(folder / MARKDOWN, render_markdown(document, sections))
    if latex:
        paper = render_latex(document, sections)
        write_atomically(folder / LATEX, paper.tables)
        if paper.supplement:
            write_atomically(folder / SUPPLEMENT, paper.supplement)
        else:
            (folder / SUPPLEMENT).unlink(missing_ok=True)
        write_atomically(folder / BIBTEX, document[MethodPart].bibtex)
    page = folder / HTML
    write_atomically(page, render_html(document, sections, pictures, made_from))
    return page


def is_current(run: Run) -> bool:
    """Whether the page in a run's folder was made, by this version, from what is stored now."""
    try:
        with (run.path / HTML).open("rb") as page:
            found = _MADE_FROM.search(page.read(_HEAD))
    except OSError:
        return False
    return found is not None and found[1].decode() == _made_from(run)


def _made_from(run: Run) -> str:
    found = sha256(f"{__version__} {run.digest}".encode())
    audit = run.path / AUDIT
    if audit.exists():
        found.update(read_bytes(audit))  # an audit that finds nothing new leaves them as they are
    return found.hexdigest()

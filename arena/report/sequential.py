"""The report of sequential tests: the trace between the bounds, and the estimate after stopping.

A run that stops when it knows has played lucky streaks to their end: its plain means lie too far
out, and tables made of them would too. So it has a page of its own, on which every margin is the
median-unbiased estimate that knows of the stop. Gates have the same page.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from arena.core.files import write_atomically
from arena.report.tables import Column, TextTable, as_markdown, as_text
from arena.report.words import count, interval, signed
from arena.store import Run
from arena.tournament.stopping import SequentialTrace, read_traces


@dataclass(frozen=True)
class ShownTest:
    """One test with the words of its page."""

    title: str
    answer: str
    trace: SequentialTrace
    units: str
    unit: str
    above: str
    """The decision beyond the upper bound, and beyond the lower one."""
    below: str


@dataclass(frozen=True)
class SequentialReport:
    """The content of the page."""

    title: str
    about: str
    tests: tuple[ShownTest, ...]
    lines: tuple[str, ...] = ()
    """Shown as they are, below the table."""
    outcome: str = ""
    """Of a gate: `pass`, `regression`, `inconclusive` or `fault`."""


def stopped_report(run: Run) -> SequentialReport:
    """The report of a run with a `stop` section."""
    manifest, stop = run.manifest, run.manifest.stop
    assert stop is not None  # asked for such runs only
    units = run.units
    h0, h1 = signed(stop.h0, 1), signed(stop.h1, 1)
    answers = {
        "H0": f"nearer to {h0} than to {h1}",
        "H1": f"nearer to {h1} than to {h0}",
        "continue": "not decided",
    }
    shown = tuple(
        ShownTest(
            title=f"{pair.first} against {pair.second}",
            answer=answers[pair.trace.decision],
            trace=pair.trace,
            units=units,
            unit="points per match" if run.is_match else "points per deal",
            above=answers["H1"],
            below=answers["H0"],
        )
        for pair in read_traces(run.path)
    )
    about = (
        f"{manifest.rules.game}, {manifest.deal_set}, seed {manifest.seed}. Each pair played "
        f"until a sequential test of {h0} against {h1} points decided (errors {stop.alpha:g} and "
        f"{stop.beta:g} for each pair), at most {count(manifest.units_per_pairing)} {units}."
    )
    faults = len(run.faults())
    lines = (f"{faults} faults.",) if faults else ()
    if not shown:
        lines = (*lines, "Not finished: nothing is decided yet.")
    return SequentialReport(run.name, about, shown, lines)


def tests_table(report: SequentialReport) -> TextTable:
    """A row for each test."""
    first = report.tests[0] if report.tests else None
    units, unit = (first.units, first.unit) if first else ("deals", "points per deal")
    columns = (
        Column("pair", words=True),
        Column("answer", words=True),
        *map(Column, (units, f"estimate, {unit}", "95% interval", "log ratio", "its bounds")),
    )
    cells = []
    for test in report.tests:
        trace = test.trace
        cells.append(
            (
                test.title,
                test.answer,
                count(trace.n),
                signed(trace.estimate),
                interval(trace.low, trace.high),
                signed(trace.ratio, 2),
                interval(trace.lower, trace.upper, 2, show=signed),
            )
        )
    caption = (
        "Estimates are median-unbiased and know that the test stopped; the plain mean of such a "
        "run lies too far out."
    )
    return TextTable("tests", caption, columns, tuple(cells))


def as_words(report: SequentialReport) -> str:
    """For a terminal."""
    table = tests_table(report)
    return "\n".join((as_text(table), table.caption, *report.lines)) + "\n"


def write_sequential(
    report: SequentialReport, folder: Path, made_from: str = "", replays: str = ""
) -> Path:
    """Write page, text, numbers and figure; the path of the page.

    `replays` are the deals that the page shows card by card, as `embedded_replays` writes them.
    """
    from arena.report.figures import picture_of
    from arena.report.figures.style import figure_style
    from arena.report.figures.trace import draw_traces

    table = tests_table(report)
    inline = ""
    if report.tests:
        with figure_style():
            picture = picture_of("walks", "", draw_traces(report.tests))
        write_atomically(folder / "figures" / "walks.svg", picture.svg)
        inline = picture.inline
    text = json.dumps({"format": 2, **asdict(report)}, indent=1, ensure_ascii=False)
    write_atomically(folder / "report.json", f"{text}\n")
    markdown = f"# {report.title}\n\n{report.about}\n\n{as_markdown(table)}\n\n{table.caption}\n"
    write_atomically(folder / "report.md", markdown + "".join(f"\n{x}\n" for x in report.lines))
    page = folder / "report.html"
    html = page_of(
        title=report.title,
        about=report.about,
        heading="When it stopped, and what it found",
        table=table,
        notes=[f"{test.title}: {test.trace.note}" for test in report.tests if test.trace.note],
        figure=inline,
        figure_caption="The likelihood ratio after every deal, in the order of the deals. The test "
        "stops where it meets a bound.",
        lines=report.lines,
        made_from=made_from,
        outcome=report.outcome,
        replays=replays,
    )
    write_atomically(page, html)
    return page


def page_of(
    *,
    title: str,
    about: str,
    heading: str,
    table: TextTable,
    notes: Sequence[str] = (),
    figure: str = "",
    figure_caption: str = "",
    lines: Sequence[str] = (),
    made_from: str = "",
    outcome: str = "",
    replays: str = "",
) -> str:
    """The page of a run that results have ended: one table, one figure, and deals to look at."""
    from arena.report.sections.pages import page_text

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    return environment.from_string(page_text("sequential.html.j2")).render(
        title=title,
        about=about,
        heading=heading,
        table=table,
        notes=notes,
        figure=Markup(figure),
        figure_caption=figure_caption,
        lines=lines,
        css=Markup(page_text("report.css")),
        outcome=outcome,
        replays=Markup(replays),
        js=Markup(page_text("report.js")),
        made_from=made_from,
    )

"""The report of a race: who left when, and by how much each is behind at least.

Plain means of a race lie too far out: agents leave on unlucky streaks. So every margin here is a
pair of anytime-valid limits, which know nothing of when one looked.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from arena.core.files import write_atomically
from arena.report.sequential import page_of
from arena.report.tables import Column, TextTable, as_markdown, as_text
from arena.report.words import count, interval, percent, signed
from arena.store import Run
from arena.tournament.racing import RaceOutcome, read_race


@dataclass(frozen=True)
class RaceReport:
    """The content of the page."""

    title: str
    about: str
    answer: str
    outcome: RaceOutcome | None
    unit: str
    """The unit of the limits: points per deal or per match."""
    units: str
    reference: str | None
    alpha: float


def race_report(run: Run) -> RaceReport:
    """The report of a run with `schedule: {type: race}`."""
    manifest, race = run.manifest, run.manifest.race
    assert race is not None  # asked for such runs only
    units = run.units
    outcome = read_race(run.path)
    what = (
        f"Every agent played {race.reference} until it was known better or worse"
        if race.reference is not None
        else f"All played all until {race.keep} {'was' if race.keep == 1 else 'were'} left"
    )
    about = (
        f"{manifest.rules.game}, {manifest.deal_set}, seed {manifest.seed}. {what}, at most "
        f"{count(manifest.units_per_pairing)} {units} a pair. Anything said here is wrong in at "
        f"most {percent(race.alpha, 0)} of such races, over all agents and looks."
    )
    return RaceReport(
        title=run.name,
        about=about,
        answer=_answer(outcome, race.keep, race.reference, units),
        outcome=outcome,
        unit="points per match" if run.is_match else "points per deal",
        units=units,
        reference=race.reference,
        alpha=race.alpha,
    )


def _answer(outcome: RaceOutcome | None, keep: int, reference: str | None, units: str) -> str:
    if outcome is None:
        return "Not finished: the race goes on."
    cost = (
        f"{count(outcome.pair_deals)} pair-{units} were played, "
        f"{percent(outcome.pair_deals / outcome.most_pair_deals, 0)} of "
        f"{count(outcome.most_pair_deals)}."
    )
    if reference is not None:
        better = [each.agent for each in outcome.left if each.low > 0]
        worse = [each.agent for each in outcome.left if each.high < 0]
        groups = (("Better", better), ("Worse", worse), ("Not decided", outcome.racing))
        found = "; ".join(f"{word}: {', '.join(names)}" for word, names in groups if names)
        return f"Against {reference}. {found}. {cost}"
    names = ", ".join(outcome.racing)
    if len(outcome.racing) <= keep:
        word = "is the best" if keep == 1 else f"are the best {keep}"
        return f"{names} {word} of {len(outcome.racing) + len(outcome.left)}. {cost}"
    return f"Not decided between {names}: all {units} were played. {cost}"


def race_table(report: RaceReport) -> TextTable:
    """The agents that stayed and those that left, the last one first."""
    columns = (
        Column("agent", words=True),
        Column(f"{report.units} until it left"),
        Column("compared with", words=True),
        Column(f"margin, {report.unit}"),
    )
    cells: list[tuple[str, ...]] = []
    if report.outcome is not None:
        cells += [(name, "–", "–", "–") for name in report.outcome.racing]
        cells += [
            (
                each.agent,
                count(each.deals),
                each.rival,
                interval(each.low, each.high, show=signed),
            )
            for each in reversed(report.outcome.left)
        ]
    caption = (
        f"Limits of the margin of each agent against the agent that it was compared with when it "
        f"left; all of them hold together with {percent(1 - report.alpha, 0)} confidence, whenever "
        "one looks. A race has no other estimates: plain means of agents that left on the way are "
        "biased."
    )
    return TextTable("race", caption, columns, tuple(cells))


def race_text(report: RaceReport) -> str:
    """For a terminal."""
    table = race_table(report)
    if report.outcome is None:
        return f"{report.answer}\n"
    return "\n".join((report.answer, "", as_text(table), table.caption)) + "\n"


def write_race_report(report: RaceReport, folder: Path, made_from: str = "") -> Path:
    """Write page, text, numbers and figure; the path of the page."""
    from arena.report.figures import picture_of
    from arena.report.figures.race import draw_race
    from arena.report.figures.style import figure_style

    table, inline = race_table(report), ""
    if report.outcome is not None:
        with figure_style():
            picture = picture_of("race", "", draw_race(report.outcome, report.units))
        write_atomically(folder / "figures" / "race.svg", picture.svg)
        inline = picture.inline
    text = json.dumps({"format": 1, **asdict(report)}, indent=1, ensure_ascii=False)
    write_atomically(folder / "report.json", f"{text}\n")
    markdown = (
        f"# {report.title}\n\n{report.about}\n\n**{report.answer}**\n\n{as_markdown(table)}\n\n"
        f"{table.caption}\n"
    )
    write_atomically(folder / "report.md", markdown)
    page = folder / "report.html"
    html = page_of(
        title=report.title,
        about=report.about,
        heading=report.answer,
        table=table,
        figure=inline,
        figure_caption="How many deals each agent played before it left.",
        made_from=made_from,
    )
    write_atomically(page, html)
    return page

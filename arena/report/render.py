"""The document as a page, as a text for a code host, and as tables for a paper."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup, escape

from arena import __version__
from arena.audit.tables import DIMENSIONS
from arena.core.cards import parse_cards, pretty
from arena.report import words
from arena.report.about import RunPart
from arena.report.document import ReportDocument
from arena.report.explanations import Explanations
from arena.report.figures import Picture
from arena.report.glossary import LONG_NAME, explainer, name_span, term
from arena.report.labels import MOST_IN_MAP
from arena.report.latex import Paper, make_paper
from arena.report.replays import embedded_replays
from arena.report.section import Section
from arena.report.sections.deals import DealsPart
from arena.report.sections.ladder import LadderAgent, LadderPart
from arena.report.sections.method import MethodPart
from arena.report.sections.pages import page_text, template_of
from arena.report.sections.pairs import PairsPart
from arena.report.sections.strength import StrengthPart
from arena.report.tables import TextTable, as_markdown
from arena.stats import Rating

BAR_WIDTH = 144
NAMED_COLUMNS = 8
"""Columns of a map that long names fit."""
_CODE = re.compile("`([^`]+)`")


def render_html(
    document: ReportDocument,
    sections: Sequence[Section[Any]],
    pictures: Sequence[Picture],
    made_from: str,
) -> str:
    """One file that needs no other; `made_from` is the hash of what it says."""
    templates = {s: template_of(s) for s in sections if s.name in document.parts}
    shown = [section for section, template in templates.items() if template]
    files = {"macros.html.j2": page_text("macros.html.j2")}
    files |= {f"sections/{section.name}": templates[section] for section in shown}
    agents, say = document[LadderPart].agents, Explanations.of(document)
    deals, mapped = document.find(DealsPart), agents[:MOST_IN_MAP]
    environment = _environment(autoescape=True, files=files)
    numbered, left_out = _numbered(mapped), say.few_of(len(agents), MOST_IN_MAP, MOST_IN_MAP)
    labels = {agent.name: agent.label for agent in agents}
    names = labels.keys() | labels.values()
    environment.filters["explained"] = explainer(names)
    environment.filters["name"] = name_span
    environment.globals["term"] = term
    return environment.from_string(page_text("report.html.j2")).render(
        d=document.parts,
        made_from=made_from,
        version=document.parts["provenance"].versions["arena"]
        if "provenance" in document.parts
        else __version__,
        shown=shown,
        css=page_text("report.css"),
        js=page_text("report.js"),
        figures={picture.name: picture for picture in pictures},
        cross=_cross(document),
        labels=labels,
        numbered=numbered,
        map_note=left_out + say.columns(numbered),
        scale=_scale(agents),
        hero=_hero(mapped, document.parts["verdict"].top),
        mapped=mapped,
        left_out=left_out,
        roles=words.ROLES,
        dimensions=DIMENSIONS,
        say=say,
        isolated=[agent.name for agent in agents if agent.own_process],
        replays=embedded_replays(
            [] if deals is None else deals.swings, document[RunPart].bonus, labels
        ),
    )


def render_markdown(document: ReportDocument, sections: Sequence[Section[Any]]) -> str:
    """Short enough for a comment on a pull request."""
    template = _environment(autoescape=False, files={}).from_string(page_text("report.md.j2"))
    tables = [folded(table) for table in _tables(document, sections)]
    return template.render(d=document.parts, tables=tables)


def _tables(document: ReportDocument, sections: Sequence[Section[Any]]) -> list[TextTable]:
    """All tables for people."""
    return [
        table
        for section in sections
        if section.name in document.parts
        for table in section.tables(document.parts[section.name], document)
    ]


LONG_TABLE = 15
"""Rows beyond which a table is folded in the text, so that it stays short to look at."""


def folded(table: TextTable) -> str:
    """A table in Markdown: whole, but if it is long to be unfolded by the reader."""
    shown = as_markdown(table)
    if len(table.cells) <= LONG_TABLE:
        return shown
    rows = f"{words.count(len(table.cells))} rows"
    return f"<details><summary>{table.name}: {rows}</summary>\n\n{shown}\n\n</details>"


def render_latex(document: ReportDocument, sections: Sequence[Section[Any]]) -> Paper:
    """All tables for people, for a paper and its supplement."""
    method = document[MethodPart]
    keys = [work.key for work in method.works]
    labels = {agent.name: agent.label for agent in document[LadderPart].agents}
    tables = [_labelled(table, labels) for table in _tables(document, sections)]
    return make_paper(document[RunPart].name, tables, method.citation, keys)


def _labelled(table: TextTable, labels: Mapping[str, str]) -> TextTable:
    """A table with the short names of agents; `a – b` is a pair."""

    def shown(cell: str) -> str:
        return " – ".join(labels.get(name, name) for name in cell.split(" – "))

    return replace(table, cells=tuple(tuple(map(shown, cells)) for cells in table.cells))


def _environment(autoescape: bool, files: dict[str, str]) -> Environment:
    environment = Environment(
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=False,
        keep_trailing_newline=True,
        loader=DictLoader(files),
    )
    environment.filters |= {
        "attr_format": _format,
        "bar": _bar,
        "cards": _cards,
        "coded": _coded,
        "count": words.count,
        "duration": words.duration,
        "md": words.markdown,
        "options": words.options,
        "pcell": lambda p: words.pvalue(p).removeprefix("= "),
        "percent": words.percent,
        "plain": words.plain,
        "rating_text": words.rating_text,
        "signed": words.signed,
    }
    return environment


def _coded(text: str) -> Markup:
    """A text in which what stands between backticks is code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))


def _cards(text: str) -> str:
    """Cards as players write them."""
    return " ".join(map(pretty, parse_cards(text)))


def _format(value: float | None, how: str, digits: int) -> str:
    formats = {"plain": words.plain, "signed": words.signed, "percent": words.percent}
    return formats[how](value, digits)


def _cross(document: ReportDocument) -> dict[str, dict[tuple[str, str], dict[str, Any]]]:
    """The cells of the two maps; `much` is how strongly a cell is coloured."""
    compared = [
        (c.first, c.second, c.difference, c.different, c.p_adjusted)
        for c in document[StrengthPart].comparisons
    ]
    met = [(p.first, p.second, p.mean, False, None) for p in document[PairsPart].pairs]
    return {"strength": _cells(compared), "pairs": _cells(met)}


def _cells(
    rows: Sequence[tuple[str, str, float | None, bool, float | None]],
) -> dict[tuple[str, str], dict[str, Any]]:
    largest = max((abs(mean or 0.0) for _, _, mean, *_ in rows), default=0.0) or 1.0
    cells = {}
    for first, second, mean, different, p in rows:
        if mean is None:
            continue
        for key, value in (((first, second), mean), ((second, first), -mean)):
            cells[key] = {
                "mean": value,
                "significant": different,
                "p": p,
                "much": round(60 * abs(mean) / largest) if different else 0,
            }
    return cells


def _numbered(agents: Sequence[LadderAgent]) -> bool:
    """Whether a map heads its columns with ranks: many long names do not fit above them."""
    return len(agents) > NAMED_COLUMNS and any(len(a.label) > LONG_NAME for a in agents)


def _scale(agents: Sequence[LadderAgent]) -> tuple[float, float]:
    """The range that the bars of the leaderboard share."""
    values = [
        value
        for agent in agents
        if agent.rating
        for value in (agent.rating.value, agent.rating.low, agent.rating.high)
        if value is not None
    ]
    return min([*values, 0.0]), max([*values, 0.0])


def _bar(rating: Rating | None, scale: tuple[float, float]) -> Markup:
    """A rating's interval as a small picture; the numbers stand next to it."""
    if rating is None or rating.value is None or scale[0] == scale[1]:
        return Markup("")

    def x(value: float) -> float:
        return round(5 + (BAR_WIDTH - 10) * (value - scale[0]) / (scale[1] - scale[0]), 1)

    zero = f'<line class="zero" x1="{x(0)}" x2="{x(0)}" y1="1" y2="19"/>'
    line = ""
    if rating.low is not None and rating.high is not None:
        line = f'<line x1="{x(rating.low)}" x2="{x(rating.high)}" y1="10" y2="10"/>'
    dot = f'<circle cx="{x(rating.value)}" cy="10" r="5"/>'
    return Markup(
        f'<svg class="bar" viewBox="0 0 {BAR_WIDTH} 20" aria-hidden="true">{zero}{line}{dot}</svg>'
    )


def _hero(agents: Sequence[LadderAgent], top: Collection[str]) -> list[dict[str, Any]]:
    """The rating picture: the place of each agent's interval and dot, in percent."""
    low, high = _scale(agents)
    if low == high:
        return []

    def at(value: float | None, otherwise: float) -> float:
        return round(100 * ((otherwise if value is None else value) - low) / (high - low), 2)

    return [
        {
            "label": agent.label,
            "top": agent.name in top,
            "value": rating.value,
            "at": at(rating.value, 0.0),
            "left": at(rating.low, rating.value),
            "right": at(rating.high, rating.value),
            "zero": at(0.0, 0.0),
        }
        for agent in agents
        if (rating := agent.rating) is not None and rating.value is not None
    ]

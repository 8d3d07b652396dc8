"""The document as a page and as a text for a code host."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from arena.report import words
from arena.report.figures import Picture

__all__ = ["render_html", "render_markdown"]

MOST_PAIRS = 15
"""In the text, which should be short; the page has all pairs."""
BAR_WIDTH = 144


def render_html(document: dict[str, Any], pictures: Sequence[Picture]) -> str:
    """One file that needs no other."""
    names = [agent["name"] for agent in document["agents"]]
    made = {agent["name"]: agent for agent in document["makeup"]["agents"]}
    return (
        _environment(autoescape=True)
        .from_string(_text("report.html.j2"))
        .render(
            d=document,
            css=_text("report.css"),
            js=_text("report.js"),
            figures={picture.name: picture for picture in pictures},
            cross=_cross(document),
            scale=_scale(document),
            makeup=[made[name] for name in names if name in made],
            has_bonus=any(
                (agent["measures"].get("bonus") or {}).get("value") for agent in made.values()
            ),
            roles=words.ROLES,
            replays=_embedded({"bonus": document["run"]["bonus"], "replays": document["swings"]}),
        )
    )


def render_markdown(document: dict[str, Any]) -> str:
    """Short enough for a comment on a pull request."""
    template = _environment(autoescape=False).from_string(_text("report.md.j2"))
    return template.render(d=document, most_pairs=MOST_PAIRS)


def _text(name: str) -> str:
    return resources.files("arena.report").joinpath("page", name).read_text(encoding="utf-8")


def _environment(autoescape: bool) -> Environment:
    environment = Environment(
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=False,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "attr_format": _format,
        "bar": _bar,
        "count": words.count,
        "duration": words.duration,
        "likely": _likely,
        "md": words.markdown,
        "method": words.method,
        "pcell": lambda p: words.pvalue(p).removeprefix("= "),
        "percent": words.percent,
        "plain": words.plain,
        "signed": words.signed,
        "yes_no": lambda value: (
            {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
        ),
    }
    return environment


def _format(value: float | None, how: str, digits: int) -> str:
    formats = {"plain": words.plain, "signed": words.signed, "percent": words.percent}
    return formats[how](value, digits)


def _likely(share: float) -> str:
    """A probability that never claims to be certain."""
    if share > 1 - words.P_FLOOR:
        return f"> {words.percent(1 - words.P_FLOOR)}"
    return f"< {words.percent(words.P_FLOOR)}" if share < words.P_FLOOR else words.percent(share)


def _cross(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any] | None]:
    """The cells of the cross table; `much` is how strongly a cell is coloured."""
    names = [agent["name"] for agent in document["agents"]]
    cells: dict[tuple[str, str], dict[str, Any] | None] = {
        (a, b): None for a in names for b in names
    }
    largest = max((abs(pair["mean"] or 0.0) for pair in document["pairs"]), default=0.0) or 1.0
    for pair in document["pairs"]:
        if pair["mean"] is None:
            continue
        for key, mean in (
            ((pair["first"], pair["second"]), pair["mean"]),
            ((pair["second"], pair["first"]), -pair["mean"]),
        ):
            much = round(60 * abs(mean) / largest)
            cells[key] = {"mean": mean, "significant": pair["significant"], "much": much}
    return cells


def _scale(document: dict[str, Any]) -> tuple[float, float]:
    """The range that the bars of the leaderboard share."""
    values = [
        agent["rating"][key]
        for agent in document["agents"]
        if agent["rating"]
        for key in ("value", "low", "high")
        if agent["rating"][key] is not None
    ]
    return min([*values, 0.0]), max([*values, 0.0])


def _bar(rating: Mapping[str, Any] | None, scale: tuple[float, float]) -> Markup:
    """A rating's interval as a small picture; the numbers stand beside it."""
    if rating is None or scale[0] == scale[1]:
        return Markup("")

    def x(value: float) -> float:
        return round(5 + (BAR_WIDTH - 10) * (value - scale[0]) / (scale[1] - scale[0]), 1)

    zero = f'<line class="zero" x1="{x(0)}" x2="{x(0)}" y1="1" y2="19"/>'
    line = ""
    if rating["low"] is not None and rating["high"] is not None:
        line = f'<line x1="{x(rating["low"])}" x2="{x(rating["high"])}" y1="10" y2="10"/>'
    dot = f'<circle cx="{x(rating["value"])}" cy="10" r="5"/>'
    svg = (
        f'<svg class="bar" viewBox="0 0 {BAR_WIDTH} 20" aria-hidden="true">{zero}{line}{dot}</svg>'
    )
    return Markup(svg)


def _embedded(data: Any) -> str:
    """JSON that may stand inside a script element, whatever the names in it are."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text

"""What a reader sees in a report, and whether its numbers are those of `report.json`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

SILENT = {"script", "style", "svg", "title"}
INLINE = {"button", "code", "em", "span", "strong"}
TOKEN = re.compile(r"(?<![\w.#&])\d[\d,]*(?:\.\d+)?(?!\w)(\s?%|\s(?:ns|µs|ms|s)\b)?")
SCALES = {"%": 100.0, "ns": 1e9, "µs": 1e6, "ms": 1e3, "s": 1.0, "": 1.0}


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.inside: list[str] = []
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in SILENT:
            self.inside.append(tag)
        if tag not in INLINE:
            self.parts.append("  ")

    def handle_endtag(self, tag: str) -> None:
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()
        if tag not in INLINE:
            self.parts.append("  ")

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.parts.append(data)


def visible(html: str) -> str:
    """The text of a page, without scripts and drawings."""
    parser = _Text()
    parser.feed(html)
    return "".join(parser.parts)


def numbers(value: Any) -> Iterator[float]:
    """All numbers in a document."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from numbers(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def texts(value: Any) -> Iterator[str]:
    """All texts in a document, and its keys."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


def strangers(text: str, document: dict[str, Any]) -> list[str]:
    """The numbers of a text that the document does not have, to the digits shown."""
    known_texts = {
        t for t in texts({**document, "verdict": [], "sweeps": []}) if re.search(r"\d", t)
    }
    for known in sorted(known_texts, key=len, reverse=True):
        text = text.replace(known, " ")
    values = {abs(value) for value in numbers(document)}
    found = []
    for match in TOKEN.finditer(text):
        unit = (match[1] or "").strip()
        shown = match[0].removesuffix(match[1] or "")
        plain = shown.replace(",", "")
        decimals = len(plain.partition(".")[2])
        # Multiplied and divided: the last bit decides how a half is rounded.
        scale = SCALES[unit]
        scaled = [x for value in values for x in (value * scale, value / (1 / scale))]
        fixed = any(f"{value:.{decimals}f}" == plain for value in scaled)
        three_figures = unit in ("ns", "µs", "ms", "s") and any(
            f"{value:.3g}" == plain for value in scaled
        )
        if not fixed and not three_figures:
            found.append(match[0])
    return found

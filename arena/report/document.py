"""`report.json`: every number of the report under a stable name (see docs/report-json.md).

The document has one part for each section, a dataclass of its own. Page, text, tables and figures
are all drawn from it and from nothing else. `json_schema` says what is in the file; `FORMAT` goes
up when a name changes its meaning or goes away.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeVar

from arena.report.context import ResultsContext
from arena.report.section import ADDED, Section
from arena.report.sections import SECTIONS

FORMAT = 5
T = TypeVar("T")


@dataclass(frozen=True)
class ReportDocument:
    """The parts by the names of their sections, in the order of the page."""

    parts: Mapping[str, Any]

    def __getitem__(self, kind: type[T]) -> T:
        """The part of a kind, which every report has."""
        found = self.find(kind)
        if found is None:
            raise KeyError(kind.__name__)
        return found

    def find(self, kind: type[T]) -> T | None:
        """The part of a kind, if this report has one."""
        return next((part for part in self.parts.values() if isinstance(part, kind)), None)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {"format": FORMAT, **{name: asdict(part) for name, part in self.parts.items()}}


def make_document(context: ResultsContext, sections: Iterable[Section[Any]]) -> ReportDocument:
    """All parts of the report of a run."""
    parts = {section.name: context.part(section) for section in sections}
    return ReportDocument({name: part for name, part in parts.items() if part is not None})


def all_sections(report: Callable[[str], object] | None = None) -> Iterator[Section[Any]]:
    """The built-in sections, and those of plug-ins where they ask to be.

    `report` is called with a line for each section that cannot be loaded.
    """
    ordered: list[Section[Any]] = [kind() for kind in SECTIONS]
    for kind in ADDED.loaded(report or _warn).values():
        added = kind()
        names = [section.name for section in ordered]
        place = names.index(added.after) + 1 if added.after in names else len(ordered)
        ordered.insert(place, added)
    yield from ordered


def _warn(line: str) -> None:
    print(f"arena: {line}", file=sys.stderr)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of `report.json`, without sections from outside."""
    from pydantic import TypeAdapter, create_model  # here: only this needs it

    fields: dict[str, Any] = {"format": (Literal[5], ...)}
    for kind in SECTIONS:
        fields[kind.name] = (kind.part | None if kind.optional else kind.part, ...)
    model = create_model("Report", **fields)
    schema = TypeAdapter(model).json_schema()
    schema["required"] = ["format", *(kind.name for kind in SECTIONS if not kind.optional)]
    for kind in SECTIONS:
        if kind.optional:  # left out, never null
            schema["properties"][kind.name] = schema["properties"][kind.name]["anyOf"][0]
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "report.json of arena"
    return dict(schema)

"""Tables: for people (terminals, Markdown; LaTeX in `latex`) and, with all digits, as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from arena.core.printable import as_cell
from arena.core.tables import text_table
from arena.report.words import markdown

Rows: TypeAlias = Iterable[Mapping[str, Any]]


@dataclass(frozen=True)
class Column:
    """A title, and whether its cells are words."""

    title: str
    words: bool = False
    key: bool = False
    """Whether it names the row: every part of a table that is split has it."""


@dataclass(frozen=True)
class TextTable:
    """Cells as they are read; the first row of `cells` belongs to the best agent."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    cells: tuple[tuple[str, ...], ...]


def as_text(table: TextTable) -> str:
    """For a terminal: words on the left, numbers on the right.

    >>> columns = (Column("agent", words=True), Column("deals"))
    >>> print(as_text(TextTable("x", "", columns, (("rule", "1,000"),))))
    agent  deals
    rule   1,000
    """
    head = [column.title for column in table.columns]
    left = [i for i, column in enumerate(table.columns) if column.words]
    return text_table(head, table.cells, left)


def as_markdown(table: TextTable) -> str:
    """For a code host or a paper in Markdown."""
    head = " | ".join(markdown(column.title) for column in table.columns)
    rule = "|".join("---" if column.words else "---:" for column in table.columns)
    rows = [" | ".join(map(markdown, cells)) for cells in table.cells]
    return "\n".join([f"| {head} |", f"|{rule}|", *(f"| {row} |" for row in rows)])


# --- CSV ---------------------------------------------------------------------------------


def as_csv(rows: Rows) -> str:
    """With all digits; empty if there are no rows."""
    listed = list(rows)
    columns = list(dict.fromkeys(column for row in listed for column in row))
    if not columns:
        return ""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: as_cell(value) for name, value in row.items()} for row in listed)
    return out.getvalue()


def flat(values: Mapping[str, Any], skip: Sequence[str] = ()) -> dict[str, Any]:
    """Nested values as columns `outer_inner`.

    >>> flat({"name": "x", "margin": {"value": 1.0, "n": 2}})
    {'name': 'x', 'margin_value': 1.0, 'margin_n': 2}
    """
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key in skip:
            continue
        if isinstance(value, Mapping):
            found |= {f"{key}_{inner}": x for inner, x in flat(value).items()}
        elif isinstance(value, list | tuple):
            found[key] = " ".join(map(str, value))
        else:
            found[key] = value
    return found

"""Tables: for people (terminals, Markdown, LaTeX) and, with all digits, as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from arena.core.printable import as_cell
from arena.core.tables import text_table
from arena.report.words import MINUS, markdown

Rows: TypeAlias = Iterable[Mapping[str, Any]]


@dataclass(frozen=True)
class Column:
    """A title, and whether its cells are words."""

    title: str
    words: bool = False


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


def as_latex(table: TextTable) -> str:
    r"""A `table` environment; it needs the package booktabs and nothing else.

    >>> columns = (Column("agent", words=True), Column("score rating"))
    >>> print(as_latex(TextTable("ladder", "All.", columns, (("a_b", "−3.1"),))))
    \begin{table}
    \centering
    \caption{All.}
    \label{tab:ladder}
    \begin{tabular}{lr}
    \toprule
    agent & score rating \\
    \midrule
    a\_b & $-$3.1 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    kinds = "".join("l" if column.words else "r" for column in table.columns)
    head = " & ".join(_latex(column.title) for column in table.columns)
    rows = [" & ".join(map(_latex, cells)) + r" \\" for cells in table.cells]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_latex(table.caption)}}}",
            rf"\label{{tab:{table.name}}}",
            rf"\begin{{tabular}}{{{kinds}}}",
            r"\toprule",
            rf"{head} \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    MINUS: "$-$",
    "±": r"$\pm$",
    "\N{EN DASH}": "--",
    "µ": r"\textmu{}",
    "…": r"\dots{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}


def _latex(text: str) -> str:
    return re.sub("|".join(map(re.escape, _LATEX)), lambda found: _LATEX[found[0]], text)


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

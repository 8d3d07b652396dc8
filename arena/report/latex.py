"""The tables of a report for a paper: they fit a column, and longer ones are in a supplement.

    report.tex       what stands in the paper: at most `MOST_ROWS` rows, a page, and one column wide
    supplement.tex   the tables that are longer, whole, over as many pages as they need
    references.bib   arena, the works that the experiment repeats, and the methods used

A table that is too wide is split between its columns, and each part names its rows again. Labels
begin with the name of the run, so that the tables of several runs can stand in one paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from arena.report.tables import Column, TextTable
from arena.report.words import MINUS, count

MOST_ROWS = 12
"""Rows of a table in the paper; the others are in the supplement."""
_MOST_LINES = 48
"""Lines of all rows together: the caption and the head have the rest of a page."""
_COLUMN_PT = 229.0
"""Width of a column: that of LaTeX's `article` in two columns, the narrowest in common use."""
_CHARACTER_PT = 4.3
"""Width of a character in `\\footnotesize`; digits are 4.25 pt wide, letters 3.8 on average."""
_GAP_PT = 4.0
"""Space between two columns of a table."""
_MOST_WORDS = 14
"""Characters of a cell of words before it is broken into lines."""
_HEAD = r"""% Tables of the run {run}. Needs \usepackage{{array,booktabs,longtable}}.
% In the text: \cite{{{cite}}}; at the end: \bibliography{{references}}.
% {citation}
"""


@dataclass(frozen=True)
class Paper:
    """The files for a paper, as texts."""

    tables: str
    supplement: str
    """Empty if all tables are in `tables` whole."""


def make_paper(run: str, tables: Sequence[TextTable], citation: str, cite: Sequence[str]) -> Paper:
    """All tables of a run, cut to fit; `cite` are keys of `references.bib`."""
    prefix = _slug(run)
    head = _HEAD.format(run=run, citation=citation, cite=",".join(cite))
    short, whole = [], []
    for table in tables:
        label = f"tab:{prefix}:{_slug(table.name)}"
        first = table
        if (rows := _rows_on_a_page(table)) < len(table.cells):
            rest = f"tab:{prefix}:{_slug(table.name)}-all"
            shown = f"The first {rows} of {count(len(table.cells))} rows."
            first = replace(table, caption=f"{table.caption} {shown}", cells=table.cells[:rows])
            whole += [_long(*part) for part in _parts(table, rest)]
        short += [as_latex(*part) for part in _parts(first, label)]
    supplement = "\n\n".join([head, *whole]) + "\n" if whole else ""
    return Paper("\n\n".join([head, *short]) + "\n", supplement)


def as_latex(table: TextTable, label: str, caption: str) -> str:
    r"""A `table` environment one column wide.

    >>> columns = (Column("agent", words=True), Column("score rating"))
    >>> table = TextTable("ladder", "", columns, (("a_b", "−3.1"),))
    >>> print(as_latex(table, "tab:ladder", "All."))
    \begin{table}
    \centering\footnotesize\setlength{\tabcolsep}{2pt}\setlength{\belowcaptionskip}{4pt}
    \caption{All.}
    \label{tab:ladder}
    \begin{tabular}{@{}lr@{}}
    \toprule
    agent & \shortstack[r]{score\\rating} \\
    \midrule
    a\_b & $-$3.1 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering\footnotesize\setlength{\tabcolsep}{2pt}\setlength{\belowcaptionskip}{4pt}",
            rf"\caption{{{caption}}}",
            rf"\label{{{label}}}",
            rf"\begin{{tabular}}{{{_kinds(table)}}}",
            r"\toprule",
            rf"{_head(table)} \\",
            r"\midrule",
            *_rows(table),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def _long(table: TextTable, label: str, caption: str) -> str:
    """A `longtable`: one that goes on over pages, each with the head."""
    head = [r"\toprule", rf"{_head(table)} \\", r"\midrule"]
    return "\n".join(
        [
            r"{\footnotesize\setlength{\tabcolsep}{2pt}",
            rf"\begin{{longtable}}{{{_kinds(table)}}}",
            rf"\caption{{{caption}}}\label{{{label}}} \\",
            *head,
            r"\endfirsthead",
            *head,
            r"\endhead",
            r"\bottomrule",
            r"\endlastfoot",
            *_rows(table),
            r"\end{longtable}}",
        ]
    )


def _parts(table: TextTable, label: str) -> Iterator[tuple[TextTable, str, str]]:
    """The table in as many parts as fit a column, each with its label and caption."""
    keys = [i for i, column in enumerate(table.columns) if column.key]
    widths = [_width(table, i) for i in range(len(table.columns))]
    shown: list[list[int]] = [[]]
    for i in range(len(table.columns)):
        with_keys = sorted({*keys, *shown[-1], i})
        if sum(widths[j] for j in with_keys) > _COLUMN_PT and set(shown[-1]) - set(keys):
            shown.append([])
        shown[-1].append(i)
    for number, group in enumerate(shown, start=1):
        indexes = sorted({*keys, *group})
        part = replace(
            table,
            columns=tuple(table.columns[i] for i in indexes),
            cells=tuple(tuple(cells[i] for i in indexes) for cells in table.cells),
        )
        if number == 1:
            yield part, label, _latex(table.caption)
        else:
            yield part, f"{label}-{number}", rf"Table~\ref{{{label}}}, continued."


def _rows_on_a_page(table: TextTable) -> int:
    """How many rows stand in the paper: fewer if long names are broken into many lines."""
    words = [i for i, column in enumerate(table.columns) if column.words]
    lines = [max((_lines(cells[i]) for i in words), default=1) for cells in table.cells]
    return sum(total <= _MOST_LINES for total in accumulate(lines[:MOST_ROWS]))


def _lines(words: str) -> int:
    """Into how many lines a cell is broken."""
    return -(-len(words) // _MOST_WORDS)


def _width(table: TextTable, index: int) -> float:
    """Of a column in points."""
    column, cells = table.columns[index], _longest(table, index)
    if column.words:
        cells = min(cells, _MOST_WORDS)
    title = max(map(len, _title_lines(column, cells)))
    return max(cells, title) * _CHARACTER_PT + _GAP_PT


def _longest(table: TextTable, index: int) -> int:
    """Characters of the longest cell of a column."""
    return max((len(cells[index]) for cells in table.cells), default=0)


def _title_lines(column: Column, cells: int) -> list[str]:
    """The title in lines no longer than the cells below it, if its words allow it."""
    lines: list[str] = []
    for word in column.title.split():
        if lines and len(lines[-1]) + 1 + len(word) <= cells:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines or [""]


def _kinds(table: TextTable) -> str:
    """How the columns are aligned; long words are broken, in the space that is left."""
    places = range(len(table.columns))
    long = {i for i in places if table.columns[i].words and _longest(table, i) > _MOST_WORDS}
    left = max(_COLUMN_PT - sum(_width(table, i) for i in places), 0.0)
    kinds = []
    for i, column in enumerate(table.columns):
        if i in long:
            width = _width(table, i) - _GAP_PT + left / len(long)
            kinds.append(rf">{{\raggedright\arraybackslash}}p{{{width:.0f}pt}}")
        else:
            kinds.append("l" if column.words else "r")
    return "@{}" + "".join(kinds) + "@{}"


def _head(table: TextTable) -> str:
    titles = []
    for i, column in enumerate(table.columns):
        lines = [_latex(line) for line in _title_lines(column, _longest(table, i))]
        stacked = r"\\".join(lines)
        side = "l" if column.words else "r"
        titles.append(stacked if len(lines) == 1 else rf"\shortstack[{side}]{{{stacked}}}")
    return " & ".join(titles)


def _rows(table: TextTable) -> list[str]:
    return [
        " & ".join(
            _breakable(cell) if column.words and len(cell) > _MOST_WORDS else _latex(cell)
            for column, cell in zip(table.columns, cells, strict=True)
        )
        + r" \\"
        for cells in table.cells
    ]


def _slug(name: str) -> str:
    """A name as it may stand in a label.

    >>> _slug("figure 5, {again}")
    'figure-5-again'
    """
    return re.sub(r"[^\w.]+", "-", name, flags=re.ASCII).strip("-")


def _breakable(text: str) -> str:
    """A long name that may be broken after the signs between its words, or within a long word."""
    pieces = re.findall(rf"[\w.]{{1,{_MOST_WORDS}}}[^\w.]*|[^\w.]+", text)
    return r"\allowbreak{}".join(map(_latex, pieces))


_SIGNS = {
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
    "×": r"$\times$",
    "√": r"$\surd$",
    "²": r"$^2$",
    "\N{EN DASH}": "--",
    "µ": r"\textmu{}",
    "…": r"\dots{}",
    "“": "``",
    "”": "''",
    "→": r"$\to$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}


def _latex(text: str) -> str:
    return re.sub("|".join(map(re.escape, _SIGNS)), lambda found: _SIGNS[found[0]], text)

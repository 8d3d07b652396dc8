"""Tables as people read them in a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for people: the first column on the left, the others on the right.

    >>> print(text_table(("agent", "deals"), [("rule", "1,000")]))
    agent  deals
    rule   1,000
    """
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )

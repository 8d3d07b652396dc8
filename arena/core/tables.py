"""Tables as text."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def text_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = (0,)
) -> str:
    """A table for the terminal: the columns in `left` on the left, the others on the right.

    >>> print(text_table(("agent", "deals"), [("rule", "1,000")]))
    agent  deals
    rule   1,000
    """
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )

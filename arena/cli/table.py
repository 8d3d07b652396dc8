"""Tables and times as people read them."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["duration", "text_table"]


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


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(0.00123), duration(75), duration(0.0)
    ('1.23 ms', '75 s', '-')
    """
    if seconds >= 1000:
        return f"{seconds:,.0f} s"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return "-"

"""The compact letter display."""

from __future__ import annotations


def compact_letters(
    agents: int, different: list[tuple[int, int]], order: list[int] | None = None
) -> list[str]:
    """Compact letter display: two agents share a letter exactly when they are not different.

    Formula: insert and absorb: start with one letter for all; for each different pair split every
    letter both carry; drop letters contained in others. Letters follow `order` (best first).
    Source: Piepho 2004, J. Computational and Graphical Statistics 13.
    """
    order = list(range(agents)) if order is None else order
    rank = {agent: place for place, agent in enumerate(order)}
    columns: list[frozenset[int]] = [frozenset(range(agents))]
    for i, j in different:
        split: list[frozenset[int]] = []
        for column in columns:
            split.extend([column - {i}, column - {j}] if {i, j} <= column else [column])
        columns = [c for c in dict.fromkeys(split) if c and not any(c < other for other in split)]
    columns.sort(key=lambda column: sorted(rank[agent] for agent in column))
    names = [_letter(n) for n in range(len(columns))]
    return [
        "".join(name for name, column in zip(names, columns, strict=True) if agent in column)
        for agent in range(agents)
    ]


def _letter(n: int) -> str:
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    return alphabet[n] if n < 26 else f"({_letter(n // 26 - 1)}{alphabet[n % 26]})"

"""Tables at which people play the same cards: each learns what the others made of a deal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

MOST_COMPARED = 8
"""Each table is compared with each other one: the work grows with the cube of their number."""


class Compares(Protocol):
    """A table with people."""

    def hear(self, deal: str, other: str, scores: tuple[int, ...]) -> None:
        """Another table has played a deal that this one has played too."""
        ...


class SameCards:
    """The results of some tables, called `table 1` and so on, by deal."""

    def __init__(self, tables: Sequence[Compares]) -> None:
        self._names = {id(table): f"table {n}" for n, table in enumerate(tables, start=1)}
        self._scores: dict[str, list[tuple[Compares, tuple[int, ...]]]] = {}

    def finished(self, table: Compares, deal: str, scores: tuple[int, ...]) -> None:
        """Tell this table about the others that have played the deal, and them about it."""
        before = self._scores.setdefault(deal, [])
        for other, theirs in before:
            table.hear(deal, self._names[id(other)], theirs)
            other.hear(deal, self._names[id(table)], scores)
        before.append((table, scores))

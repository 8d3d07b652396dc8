"""Rounds that `arena record` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from agents.training.rounds import Rounds, number_of
from arena.core.codec import decode_view
from arena.core.errors import ArenaError
from arena.core.rules import Rules
from arena.tournament.record import parts


def recorded_rounds(folder: Path) -> Rounds:
    """All rounds of a recording, in its order."""
    from pyarrow import parquet

    rows: list[tuple[int, int, int, list[int]]] = []
    rules: Rules | None = None
    for part in parts(folder):
        table = parquet.read_table(part, columns=["number", "seat", "card", "view"])
        numbers, seats, cards = (
            table.column(name).to_numpy() for name in ("number", "seat", "card")
        )
        first = np.flatnonzero(numbers == 0)
        views: Any = table.column("view").take(first).to_pylist()
        for start, end, encoded in zip(first, [*first[1:], len(cards)], views, strict=True):
            view = decode_view(encoded)
            if rules not in (None, view.rules) or view.tricks or view.table:
                raise ArenaError(f"{part}: expected whole rounds by one set of rules")
            rules = view.rules
            trump, declarer = number_of(view.trump), number_of(view.declarer)
            rows.append((trump, declarer, int(seats[start]), cards[start:end].tolist()))
    assert rules is not None  # a recording has a part, and a part has a round
    columns = [np.array(column, dtype=np.int8) for column in zip(*rows, strict=True)]
    return Rounds(rules, *columns)

"""Results with known margins, without a game."""

from __future__ import annotations

import numpy as np

from arena.analysis.results import Meeting, Results


def meeting(first: str, second: str, games: list[list[float]]) -> Meeting:
    """Two agents on deals d0, d1, ... with these margins in each seating."""
    table = np.array(games, dtype=np.float64)
    scores = np.column_stack([50 + table.mean(axis=1), 50 - table.mean(axis=1)])
    return Meeting(
        first,
        second,
        tuple(f"d{i}" for i in range(len(table))),
        table.mean(axis=1),
        table,
        scores,
        (table > 0).mean(axis=1),
        (table == 0).mean(axis=1),
        (0, 0),
    )


def results(*pairs: Meeting) -> Results:
    """Results that hold these meetings."""
    agents = tuple(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
    return Results(agents, pairs, "deal", "made", 1, ("made",))

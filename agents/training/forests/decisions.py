"""Decisions to learn from, wherever they come from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.forests.position import SIZE, Position, position_of, told
from arena.core.codec import decode_view
from arena.core.errors import ArenaError
from arena.core.rules import View
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.tournament.record import parts


class Decision(NamedTuple):
    """What was known, and what was done."""

    deal: str
    """Decisions of one deal are held out together, or not at all."""
    game: KernelGame
    position: Position
    view: View
    """What the rule player goes by."""
    card: int
    """The card that was played."""
    values: NDArray[np.float64] | None = None
    """What a search thought of each legal card; None if none did, or there was no choice."""

    @classmethod
    def of(
        cls, deal: str, view: View, card: int, values: NDArray[np.float64] | None = None
    ) -> Decision:
        """The decision of a view."""
        game, position = kernel_game(view.rules, view.trump), np.empty(SIZE, dtype=np.uint64)
        position_of(told(view), game.words, game.to_bits, position)
        return cls(deal, game, position, view, card, values)


def recorded_decisions(folder: Path) -> Iterator[Decision]:
    """All decisions of a recording."""
    from pyarrow import parquet

    for part in parts(folder):
        table = parquet.read_table(part, columns=["deal", "view", "card", "values"])
        for record in table.to_pylist():
            view = decode_view(record["view"])
            if view.rules.name != "klaverjas":
                raise ArenaError(f"{folder}: games of {view.rules.name}; forests play klaverjas")
            values = np.array(record["values"]) if record["values"] else None
            yield Decision.of(record["deal"], view, record["card"], values)

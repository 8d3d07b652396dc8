"""Decisions of teachers that a forest learns from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.forests.position import SIZE, Position, position_of, view_numbers
from arena.core.codec import decode_view
from arena.core.errors import ArenaError
from arena.core.rules import View
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.tournament.record import parts


class TeacherDecision(NamedTuple):
    """A position, and the card that the teacher played."""

    deal: str
    """Decisions of one deal are held out together, or not at all."""
    game: KernelGame
    position: Position
    view: View
    """For the rule player, which a forest is compared with."""
    card: int
    values: NDArray[np.float64] | None = None
    """A search's value of each legal card; None if there was no search, or no choice."""

    @classmethod
    def of(
        cls, deal: str, view: View, card: int, values: NDArray[np.float64] | None = None
    ) -> TeacherDecision:
        """The decision of a view."""
        game, position = kernel_game(view.rules, view.trump), np.empty(SIZE, dtype=np.uint64)
        position_of(view_numbers(view), game.words, game.to_bits, position)
        return cls(deal, game, position, view, card, values)


def recorded_decisions(folder: Path) -> Iterator[TeacherDecision]:
    """All decisions of a recording."""
    from pyarrow import parquet

    for part in parts(folder):
        table = parquet.read_table(part, columns=["deal", "view", "card", "values"])
        for record in table.to_pylist():
            view = decode_view(record["view"])
            if view.rules.name != "klaverjas":
                raise ArenaError(f"{folder}: games of {view.rules.name}; forests play klaverjas")
            values = np.array(record["values"]) if record["values"] else None
            yield TeacherDecision.of(record["deal"], view, record["card"], values)

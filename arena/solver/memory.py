"""What a search remembers: a table of bounds, and the way to the position it is at."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arena.games.kernel.jit import records
from arena.games.kernel.layout import STATE_WORDS, Numbers, Words

FAR = 20_000
"""Beyond every balance."""
NEVER = -1
"""Instead of a limit for bonuses: they do not count."""
UNKNOWN = 30_000
"""The answer of a search that ran out of nodes."""

NODES, MOST_NODES, SALT = 0, 1, 2
"""Places in `Workspace.counts`."""
NO_LIMIT = np.iinfo(np.int64).max

_CARDS = 40

ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("low", np.int16),
        ("high", np.int16),
        ("low_bonus", np.int16),
        ("high_bonus", np.int16),
        ("card", np.int16),
        ("size", np.int16),
        ("low_points", np.uint16),
        ("high_points", np.uint16),
    ],
    align=True,
)
"""Bounds of X; with a limit for bonuses, a goal and limit that are reached and one that is not.
Bounds hold for the points with which they were found (`keys.canonical_cards`)."""

FRAME = np.dtype(
    [
        ("moves", np.uint64),
        ("card", np.uint64),
        ("table", np.uint64),
        ("led", np.uint64),
        ("best", np.uint64),
        ("key", np.uint64),
        ("canonical", np.uint64),
        ("points", np.uint64),
        ("seat", np.uint64),
        ("holder", np.uint64),
        ("place", np.int64),
        ("left", np.int64),
        ("sweeps", np.int64),
        ("goal", np.int64),
        ("limit", np.int64),
        ("value", np.int64),
        ("advice", np.uint64),
    ],
    align=True,
)
"""A position on the way: the trick so far, what is asked of it, and the answer so far."""


class Workspace(NamedTuple):
    """Memory of a solver. Positions under one salt share the entries of the table."""

    table: Any
    counts: Numbers
    """Nodes visited, the most that may be, and the salt of the keys."""
    hands: Words
    frames: Any
    """A record for each card played."""
    found: Numbers
    """Bounds of the margin that is looked for."""
    after: Words
    """The state after a card."""

    @classmethod
    def of(cls, bits: int = 18) -> Workspace:
        """A table of 2 ** `bits` entries of 24 bytes."""
        return cls(
            records(np.zeros(1 << bits, dtype=ENTRY)),
            np.array([0, NO_LIMIT, 1], dtype=np.int64),
            np.zeros(4, dtype=np.uint64),
            records(np.zeros(_CARDS, dtype=FRAME)),
            np.zeros(2, dtype=np.int64),
            np.zeros(STATE_WORDS, dtype=np.uint64),
        )

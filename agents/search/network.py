"""A network that judges leaves.

It is a model as `agents.dense_network` has them, with one output: by how many points the
side to move will win the round. So it serves games of two sides.

What it is shown are `INPUTS` numbers, seen from the seat to move: for each seat, beginning
with that one, the cards it holds and the cards it has played (64 bits each, in kernel
coordinates), then the cards on the table; and the points and bonuses of both sides so
far, in hundreds, and whether the declarer is on the side to move.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.dense_network import Network, Use, forward, read_network, save_network
from arena.games.kernel.jit import compiled, inlined
from arena.games.kernel.layout import (
    DECLARER,
    HANDS,
    ONE,
    PLAYED,
    S16,
    STEP,
    TABLE,
    TAKEN,
    THREE,
    TURN,
    Words,
)
from arena.model_file import ModelFile

__all__ = ["INPUTS", "NO_NETWORK", "Network", "expected_margin", "load_network", "save_network"]

INPUTS = 9 * 64 + 3

_PART = np.uint64(0xFFFF)
_JUDGE = Use("judges", INPUTS, 1)

NO_NETWORK = Network(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))


def load_network(model: ModelFile) -> Network:
    """Read a model; `ArenaError` says what is wrong with it."""
    return read_network(model, _JUDGE)


@compiled
def expected_margin(state: Words, game: Words, network: Network) -> float:
    """By how many points the side to move is expected to win."""
    values = np.zeros(INPUTS, np.float32)
    _look(state, game, values)
    return np.float64(forward(network, values)[0])


@inlined
def _look(state: Words, game: Words, values: NDArray[np.float32]) -> None:
    turn = state[TURN]
    seat = turn
    for place in range(4):
        _spread(state[HANDS + seat], values, 64 * place)
        _spread(state[PLAYED + seat], values, 64 * (4 + place))
        seat = (seat + game[STEP]) & THREE
    _spread(state[TABLE], values, 64 * 8)
    values[576] = _taken(state[TAKEN + (turn & ONE)])
    values[577] = _taken(state[TAKEN + (turn & ONE ^ ONE)])
    values[578] = np.float32((state[DECLARER] ^ turn) & ONE == 0)


@inlined
def _spread(cards: Any, values: NDArray[np.float32], at: int) -> None:
    for bit in range(64):
        values[at + bit] = np.float32(cards >> np.uint64(bit) & ONE)


@inlined
def _taken(taken: Any) -> Any:
    return np.float32((taken & _PART) + (taken >> S16 & _PART)) / np.float32(100.0)

"""A network that judges leaves: plain arrays, a compiled forward pass, nothing unpickled.

A model is a `.npz` file with `sizes` (inputs, hidden layers ..., 1), `weights` (float32, all
layers one after the other: a matrix of outputs x inputs, then the biases) and `recipe` (text:
how it was made). Hidden layers are rectified, the last one is linear; it says by how many
points the side to move will win the round. So it serves games of two sides.

What it is shown are `INPUTS` numbers, seen from the seat to move: for each seat, beginning
with that one, the cards it holds and the cards it has played (64 bits each, in kernel
coordinates), then the cards on the table; and the points and bonuses of both sides so
far, in hundreds, and whether the declarer is on the side to move.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError
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

__all__ = ["INPUTS", "NO_NETWORK", "Network", "expected_margin", "load_network", "save_network"]

INPUTS = 9 * 64 + 3

_PART = np.uint64(0xFFFF)


class Network(NamedTuple):
    """Layers as plain arrays."""

    sizes: NDArray[np.int64]
    weights: NDArray[np.float32]

    @property
    def sha256(self) -> str:
        """What it is known by."""
        return hashlib.sha256(self.sizes.tobytes() + self.weights.tobytes()).hexdigest()


NO_NETWORK = Network(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))


def save_network(path: Path, network: Network, recipe: str) -> None:
    """Write a model."""
    with path.open("wb") as file:
        np.savez(file, sizes=network.sizes, weights=network.weights, recipe=np.array(recipe))


@lru_cache(maxsize=4)
def load_network(path: Path) -> Network:
    """Read a model; `ArenaError` says what is wrong with it."""
    try:
        with np.load(path, allow_pickle=False) as data:
            sizes, weights = data["sizes"], data["weights"]
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise ArenaError(f"{path}: not a model that can be read: {error}") from error
    sizes = np.ascontiguousarray(sizes, dtype=np.int64)
    weights = np.ascontiguousarray(weights, dtype=np.float32)
    if sizes.ndim != 1 or len(sizes) < 2 or sizes[0] != INPUTS or sizes[-1] != 1:
        raise ArenaError(f"{path}: layers {sizes.tolist()}, expected {INPUTS}, ..., 1")
    wanted = int(sum((into + 1) * out for into, out in pairwise(sizes)))
    if weights.shape != (wanted,) or not np.all(np.isfinite(weights)):
        raise ArenaError(f"{path}: expected {wanted} finite weights, found {weights.size}")
    return Network(sizes, weights)


@compiled
def expected_margin(state: Words, game: Words, network: Network) -> float:
    """By how many points the side to move is expected to win."""
    values = np.zeros(INPUTS, np.float32)
    _look(state, game, values)
    sizes, weights = network.sizes, network.weights
    at = 0
    for layer in range(len(sizes) - 1):
        inputs, outputs = sizes[layer], sizes[layer + 1]
        result = np.empty(outputs, np.float32)
        biases = at + inputs * outputs
        for out in range(outputs):
            total = weights[biases + out]
            row = at + out * inputs
            for i in range(inputs):
                total += weights[row + i] * values[i]
            is_hidden = layer < len(sizes) - 2
            result[out] = max(total, np.float32(0.0)) if is_hidden else total
        at = biases + outputs
        values = result
    return np.float64(values[0])


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

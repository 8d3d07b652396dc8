"""Dense networks: plain arrays in a file, a compiled forward pass, nothing unpickled.

A model is a `.npz` file with `sizes` (inputs, hidden layers ..., outputs), `weights` (float32, all
layers one after the other: a matrix of outputs x inputs, then the biases) and `recipe` (text:
how it was made). Hidden layers are rectified, the last one is linear. What goes in and what
comes out is up to its use; a model made for another use has other sizes and is refused.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError
from arena.games.kernel.jit import compiled, warms
from arena.model_file import ModelFile

__all__ = ["Network", "Use", "forward", "read_network", "save_network"]


class Network(NamedTuple):
    """Layers as plain arrays."""

    sizes: NDArray[np.int64]
    weights: NDArray[np.float32]

    @property
    def sha256(self) -> str:
        """What it is known by."""
        return hashlib.sha256(self.sizes.tobytes() + self.weights.tobytes()).hexdigest()


class Use(NamedTuple):
    """What a network is for, and so how many numbers go in and come out."""

    purpose: str
    inputs: int
    outputs: int


def save_network(path: Path, network: Network, recipe: str) -> None:
    """Write a model."""
    with path.open("wb") as file:
        np.savez(file, sizes=network.sizes, weights=network.weights, recipe=np.array(recipe))


@lru_cache(maxsize=16)
def read_network(model: ModelFile, use: Use) -> Network:
    """Read a model for some use; `ArenaError` says what is wrong with it.

    What was read is known by the content of the file, not by its path.
    """
    path = model.path
    arrays = model.arrays()
    try:
        sizes, weights = arrays["sizes"], arrays["weights"]
    except KeyError as error:
        raise ArenaError(f"{path}: not a model: {error} is missing") from error
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or weights.dtype.kind != "f":
        raise ArenaError(f"{path}: not a model: expected a list of sizes, and weights")
    layers = sizes.tolist()
    if len(layers) < 2 or min(layers) < 1 or (layers[0], layers[-1]) != use[1:]:
        raise ArenaError(
            f"{path}: layers {layers}, but a network that {use.purpose} "
            f"has {use.inputs}, ..., {use.outputs}"
        )
    wanted = sum((into + 1) * out for into, out in pairwise(layers))
    with np.errstate(over="ignore"):  # what is too large for float32 is not finite then
        weights = np.ascontiguousarray(weights, dtype=np.float32)
    if weights.shape != (wanted,) or not np.all(np.isfinite(weights)):
        raise ArenaError(f"{path}: expected {wanted} finite weights, found {weights.size}")
    return Network(np.ascontiguousarray(sizes, dtype=np.int64), weights)


@compiled
def forward(network: Network, values: NDArray[np.float32]) -> NDArray[np.float32]:
    """What comes out when `values` go in."""
    sizes, weights = network.sizes, network.weights
    at = 0
    for layer in range(len(sizes) - 1):
        inputs, outputs = sizes[layer], sizes[layer + 1]
        # Inputs are sets of cards, and most cards are not in them: zeros add nothing.
        given = np.flatnonzero(values)
        result = np.empty(outputs, np.float32)
        biases = at + inputs * outputs
        for out in range(outputs):
            total = weights[biases + out]
            row = at + out * inputs
            for i in given:
                total += weights[row + i] * values[i]
            is_hidden = layer < len(sizes) - 2
            result[out] = max(total, np.float32(0.0)) if is_hidden else total
        at = biases + outputs
        values = result
    return values


@warms
def _exercise() -> None:
    network = Network(np.array([1, 1], dtype=np.int64), np.zeros(2, dtype=np.float32))
    forward(network, np.zeros(1, dtype=np.float32))

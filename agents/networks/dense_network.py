"""Dense networks: plain arrays in a file, a compiled forward pass, nothing unpickled.

A model is a `.npz` file with `sizes` (inputs, hidden layers ..., outputs), `weights` (float32 or
float16, all layers one after the other: a matrix of outputs x inputs, then the biases) and `recipe`
(text: how it was made). Hidden layers are rectified, the last one is linear. What goes in and what
comes out is up to its use; a model made for another use has other sizes and is refused.
Trained models also have `encoding`: what they are shown and its version, such as `places 1`.

Most inputs are 0, and so are most values after a rectifier: they add nothing. So weights are kept
by input here, and what an input adds to all outputs is added in one go. Where many similar inputs
are judged one after the other, the sums of the first layer are kept for one of them, and for
the others only what differs is added.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.networks.encodings import VERSIONS
from arena.config.model_file import ModelFile
from arena.core.errors import ArenaError
from arena.core.files import write_atomically
from arena.games.kernel.jit import compiled, inlined, uncounted
from arena.games.kernel.layout import Int

Bits: TypeAlias = Literal[16, 32]
BITS_HELP = "bits of a weight in the file: 16 or 32"


class Layers(NamedTuple):
    """A network for compiled code: for each layer a matrix of inputs x outputs, then the biases."""

    sizes: NDArray[np.int64]
    weights: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Network:
    """Layers as they are in a file."""

    sizes: NDArray[np.int64]
    weights: NDArray[np.float32]
    encoding: str = ""
    """The encoding of the inputs; empty if the file does not say."""

    @cached_property
    def sha256(self) -> str:
        """The hash of the model, for the fingerprint."""
        return hashlib.sha256(self.sizes.tobytes() + self.weights.tobytes()).hexdigest()

    @cached_property
    def layers(self) -> Layers:
        """The same for compiled code."""
        parts: list[NDArray[np.float32]] = []
        for matrix, biases in self.matrices():
            parts += [matrix.T.reshape(-1), biases]
        weights = np.concatenate([*parts, np.zeros(0, np.float32)])
        return Layers(self.sizes.astype(np.int64), weights)

    def matrices(self) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """For each layer its matrix of outputs x inputs, and its biases."""
        at = 0
        for into, out in pairwise(self.sizes.tolist()):
            end = at + into * out
            yield self.weights[at:end].reshape(out, into), self.weights[end : end + out]
            at = end + out


class Use(NamedTuple):
    """What networks are for, and so how many numbers go in and come out."""

    purpose: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    def __str__(self) -> str:
        inputs, outputs = (" or ".join(map(str, some)) for some in self[1:])
        return f"a network that {self.purpose} has {inputs}, ..., {outputs}"


def save_network(
    path: Path,
    network: Network,
    recipe: str,
    bits: Bits = 32,
    more: Mapping[str, NDArray[Any]] | None = None,
) -> None:
    """Write a model, all or nothing; the same network and recipe give the same bytes.

    With 16 bits a weight is rounded to a part in two thousand, and the file is half as large.
    `more` are arrays that only its use knows.
    """
    content = BytesIO()
    np.savez(
        content,
        sizes=network.sizes,
        weights=network.weights.astype(f"<f{bits // 8}"),
        recipe=np.array(recipe),
        encoding=np.array(network.encoding),
        **(more or {}),  # type: ignore[arg-type]  # none of them is called allow_pickle
    )
    write_atomically(path, content.getvalue())


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
    fits = len(layers) >= 2 and layers[0] in use.inputs and layers[-1] in use.outputs
    if not fits or min(layers) < 1:
        raise ArenaError(f"{path}: layers {layers}, but {use}")
    wanted = sum((into + 1) * out for into, out in pairwise(layers))
    with np.errstate(over="ignore"):  # what is too large for float32 is not finite then
        weights = np.ascontiguousarray(weights, dtype=np.float32)
    if weights.shape != (wanted,) or not np.all(np.isfinite(weights)):
        raise ArenaError(f"{path}: expected {wanted} finite weights, found {weights.size}")
    encoding = str(arrays.get("encoding", ""))
    known = [f"{name} {version}" for name, version in VERSIONS.items()]
    if encoding and encoding not in known:
        raise ArenaError(
            f"{path}: made for the encoding {encoding!r}; known are {', '.join(known)}"
        )
    return Network(np.ascontiguousarray(sizes, dtype=np.int64), weights, encoding)


# --- compiled ----------------------------------------------------------------------------


@compiled
def forward(layers: Layers, values: NDArray[np.float32]) -> NDArray[np.float32]:
    """What comes out when `values` go in."""
    sums = first_sums(layers)
    add_changes(layers, np.zeros(layers.sizes[0], np.float32), values, sums)
    return outputs_of(layers, sums)


@compiled
def first_sums(layers: Layers) -> NDArray[np.float32]:
    """The sums of the first layer if all inputs are 0."""
    inputs, outputs = layers.sizes[0], layers.sizes[1]
    return layers.weights[inputs * outputs : (inputs + 1) * outputs].copy()


@compiled
def add_changes(
    layers: Layers,
    before: NDArray[np.float32],
    values: NDArray[np.float32],
    sums: NDArray[np.float32],
) -> None:
    """Make the sums of the first layer for the inputs `before` those for `values`."""
    inputs = layers.sizes[0]
    which, amounts = np.empty(inputs, np.int64), np.empty(inputs, np.float32)
    count = 0
    for i in range(inputs):
        change = values[i] - before[i]
        if change != np.float32(0.0):
            which[count], amounts[count] = i, change
            count += 1
    _add(layers.weights, 0, which, amounts, count, sums)


@compiled
def outputs_of(layers: Layers, sums: NDArray[np.float32]) -> NDArray[np.float32]:
    """What comes out of all layers, from the sums of the first one."""
    sizes, weights = layers.sizes, layers.weights
    at = 0
    for layer in range(1, len(sizes) - 1):
        at += (sizes[layer - 1] + 1) * sizes[layer]
        inputs, outputs = sizes[layer], sizes[layer + 1]
        which, amounts = np.empty(inputs, np.int64), np.empty(inputs, np.float32)
        count = 0
        for i in range(inputs):
            if sums[i] > np.float32(0.0):
                which[count], amounts[count] = i, sums[i]
                count += 1
        biases = at + inputs * outputs
        sums = weights[biases : biases + outputs].copy()
        _add(weights, at, which, amounts, count, sums)
    return sums


class Scratch(NamedTuple):
    """Scratch buffers of `evaluate`."""

    sums: NDArray[np.float32]
    """The sums of all layers but the last, one after the other."""
    which: NDArray[np.int64]
    amounts: NDArray[np.float32]
    values: NDArray[np.float32]
    """What came out."""


@compiled
def scratch_for(layers: Layers) -> Scratch:
    """Room for a network."""
    sizes = layers.sizes
    nodes, widest = np.int64(0), np.int64(0)
    for layer in range(1, len(sizes) - 1):
        nodes += sizes[layer]
        widest = max(widest, sizes[layer])
    return Scratch(
        np.empty(nodes, np.float32),
        np.empty(widest, np.int64),
        np.empty(widest, np.float32),
        np.empty(sizes[len(sizes) - 1], np.float32),
    )


@uncounted
def evaluate(layers: Layers, inputs: NDArray[np.int32], count: Int, scratch: Scratch) -> None:
    """What comes out when the first `count` of `inputs` are 1 and all others 0.

    It is in `scratch.values` then. Nothing is allocated, so it is fit for inner loops.
    """
    sizes, weights = layers.sizes, layers.weights
    width = sizes[1]
    at = sizes[0] * width
    sums = scratch.sums[:width]
    _copy(weights, at, sums)
    _add_rows(weights, inputs, count, sums)
    at += width
    first = np.int64(0)
    for layer in range(1, len(sizes) - 1):
        into, out = sizes[layer], sizes[layer + 1]
        found = 0
        for i in range(into):
            value = scratch.sums[first + i]
            scratch.which[found], scratch.amounts[found] = i, value
            found += value > np.float32(0.0)
        first += into
        is_last = layer == len(sizes) - 2
        after = scratch.values if is_last else scratch.sums[first : first + out]
        _copy(weights, at + into * out, after)
        _add(weights, at, scratch.which, scratch.amounts, found, after)
        at += (into + 1) * out


@inlined
def _copy(weights: NDArray[np.float32], at: Int, sums: NDArray[np.float32]) -> None:
    biases = weights[at : at + len(sums)]
    for i in range(len(sums)):
        sums[i] = biases[i]


@inlined
def _add_rows(
    weights: NDArray[np.float32], which: NDArray[np.int32], count: Int, sums: NDArray[np.float32]
) -> None:
    """Add rows of the first matrix: four in one pass."""
    width = len(sums)
    i = 0
    while i + 4 <= count:
        a, b = np.int64(which[i]) * width, np.int64(which[i + 1]) * width
        c, d = np.int64(which[i + 2]) * width, np.int64(which[i + 3]) * width
        first, second = weights[a : a + width], weights[b : b + width]
        third, fourth = weights[c : c + width], weights[d : d + width]
        for out in range(width):
            sums[out] += (first[out] + second[out]) + (third[out] + fourth[out])
        i += 4
    while i < count:
        a = np.int64(which[i]) * width
        row = weights[a : a + width]
        for out in range(width):
            sums[out] += row[out]
        i += 1


@inlined
def _add(
    weights: NDArray[np.float32],
    at: int,
    which: NDArray[np.int64],
    amounts: NDArray[np.float32],
    count: int,
    sums: NDArray[np.float32],
) -> None:
    """Add rows of the matrix that begins at `at`, times their amounts: four in one pass."""
    width = len(sums)
    i = 0
    while i + 4 <= count:
        a, b = at + which[i] * width, at + which[i + 1] * width
        c, d = at + which[i + 2] * width, at + which[i + 3] * width
        w, x, y, z = amounts[i], amounts[i + 1], amounts[i + 2], amounts[i + 3]
        first, second = weights[a : a + width], weights[b : b + width]
        third, fourth = weights[c : c + width], weights[d : d + width]
        for out in range(width):
            sums[out] += (first[out] * w + second[out] * x) + (third[out] * y + fourth[out] * z)
        i += 4
    while i < count:
        row = weights[at + which[i] * width : at + (which[i] + 1) * width]
        amount = amounts[i]
        for out in range(width):
            sums[out] += row[out] * amount
        i += 1

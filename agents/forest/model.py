"""Forests as plain arrays: packed nodes, a compiled walk, nothing unpickled.

A model is a `.npz` file with `nodes` (all trees one after the other: feature, threshold, left
child, and at leaves the value), `roots` (where each tree begins) and `header` (JSON: which
features in which version, what it was trained on, and how). A left child is followed by its
right sibling. The answer for a row is the mean of the leaves that it falls into.
"""

from __future__ import annotations

import json
import zlib
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from agents.forest.features import FEATURES, VERSION
from arena.errors import ArenaError, did_you_mean
from arena.files import write_atomically
from arena.games.kernel.jit import compiled, warms
from arena.model_file import ModelFile

__all__ = ["NODE", "Forest", "predict", "read_forest", "save_forest"]

NODE = np.dtype([("value", "<f4"), ("feature", "<i2"), ("left", "<u2")])
"""Eight bytes; `value` is the threshold, or at a leaf (feature -1) the answer."""
_UNREADABLE = (OSError, EOFError, ValueError, TypeError, KeyError, BadZipFile, zlib.error)


class Forest(NamedTuple):
    """A forest, ready to be asked."""

    nodes: NDArray[Any]
    roots: NDArray[np.int64]


def save_forest(path: Path, forest: Forest, header: dict[str, Any]) -> None:
    """Write a model with its recipe."""
    content = BytesIO()
    np.savez_compressed(
        content, nodes=forest.nodes, roots=forest.roots, header=np.array(json.dumps(header))
    )
    write_atomically(path, content.getvalue())


@lru_cache(maxsize=8)
def read_forest(model: ModelFile) -> tuple[Forest, dict[str, Any]]:
    """A model and its recipe; `ArenaError` says what is wrong with it."""
    path = model.path
    try:
        with np.load(BytesIO(model.read()), allow_pickle=False) as data:
            nodes, roots = data["nodes"], data["roots"].astype(np.int64)
            header = json.loads(str(data["header"]))
        features, version = header["features"], header["feature_version"]
    except _UNREADABLE as error:
        raise ArenaError(f"{path}: not a forest that can be read: {error}") from error
    if features not in FEATURES:
        near = did_you_mean(str(features), FEATURES)
        raise ArenaError(f"{path}: made for the features {features!r}; {near}")
    if version != VERSION:
        raise ArenaError(f"{path}: made for version {version} of the features, this is {VERSION}")
    if nodes.dtype != NODE or not _is_sound(nodes, roots, len(FEATURES[features])):
        raise ArenaError(f"{path}: not a forest: nodes that lead nowhere")
    return Forest(nodes, roots), header


def _is_sound(nodes: NDArray[Any], roots: NDArray[np.int64], features: int) -> bool:
    """Whether every walk stays inside its tree, goes down, and ends."""
    if len(roots) == 0 or roots[0] != 0 or np.any(np.diff(roots) <= 0) or roots[-1] >= len(nodes):
        return False
    sizes = np.diff(np.append(roots, len(nodes)))
    tree = np.repeat(np.arange(len(roots)), sizes)
    inner = nodes["feature"] >= 0
    here = np.arange(len(nodes)) - roots[tree]
    left = nodes["left"].astype(np.int64)
    goes_down = (left[inner] > here[inner]) & (left[inner] + 1 < sizes[tree][inner])
    known = nodes["feature"] < features
    return bool(np.all(goes_down) and np.all(known) and np.all(np.isfinite(nodes["value"])))


@compiled
def predict(forest: Forest, rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """The mean answer of all trees for each row."""
    nodes, roots = forest.nodes, forest.roots
    answers = np.zeros(len(rows))
    for root in roots:
        for i in range(len(rows)):
            at = root
            while nodes[at].feature >= 0:
                right = rows[i, nodes[at].feature] > nodes[at].value
                at = root + np.int64(nodes[at].left) + np.int64(right)
            answers[i] += np.float64(nodes[at].value)
    return answers / np.float64(len(roots))


@warms
def _exercise() -> None:
    nodes = np.array([(0.5, -1, 0)], dtype=NODE)
    predict(Forest(nodes, np.zeros(1, dtype=np.int64)), np.zeros((1, 1), dtype=np.float32))

"""Forests as plain arrays: packed nodes, a compiled walk, nothing unpickled.

A model is a `.npz` file with `nodes` (all trees one after the other: feature, threshold, left
child, and at leaves the answer), `roots` (where each tree begins) and `header` (JSON: which
features in which version, what it was trained on and how, and the sha256 of the two arrays). A
left child is followed by its right sibling. The answer for a row is the mean of the leaves that
it falls into.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.forests.features import (
    ALL,
    FEATURES,
    VERSION,
    columns_of,
    fill_rows,
    set_number,
)
from agents.forests.position import SIZE, ViewNumbers, position_of, view_numbers
from arena.config.model_file import ModelFile
from arena.core.errors import ArenaError, did_you_mean
from arena.core.files import write_atomically
from arena.core.rules import View
from arena.games.kernel.jit import compiled, inlined, uncounted
from arena.games.kernel.layout import Int, Words
from arena.games.kernel.spec import kernel_game

NODE = np.dtype([("value", "<f4"), ("feature", "<i2"), ("left", "<u2")])
"""Eight bytes; `value` is the threshold, or at a leaf (feature -1) the answer."""


@dataclass(frozen=True, eq=False)
class Forest:
    """A forest over the columns of a set of features."""

    nodes: NDArray[Any]
    roots: NDArray[np.int64]
    features: str

    @property
    def sha256(self) -> str:
        """The hash of nodes and roots, as the header has it."""
        digest = hashlib.sha256(self.nodes.tobytes())
        digest.update(self.roots.astype("<i8").tobytes())
        return digest.hexdigest()

    @cached_property
    def words(self) -> Words:
        """The nodes as compiled code takes them: handing on records costs more than a walk."""
        return np.ascontiguousarray(self.nodes).view(np.uint64)

    @cached_property
    def words_in_play(self) -> Words:
        """The same for rows with all features, as `fill_rows` makes them."""
        nodes = self.nodes.copy()
        inner = nodes["feature"] >= 0
        nodes["feature"][inner] = columns_of(self.features)[nodes["feature"][inner]]
        return nodes.view(np.uint64)

    @cached_property
    def number(self) -> int:
        """The number of the set of features."""
        return set_number(self.features)


def save_forest(path: Path, forest: Forest, header: dict[str, Any]) -> None:
    """Write a model with its recipe."""
    said = {
        "features": forest.features,
        "feature_version": VERSION,
        "sha256": forest.sha256,
        "names": list(FEATURES[forest.features]),
        **header,
    }
    content = BytesIO()
    np.savez_compressed(
        content, nodes=forest.nodes, roots=forest.roots, header=np.array(json.dumps(said))
    )
    write_atomically(path, content.getvalue())


@lru_cache(maxsize=8)
def read_forest(model: ModelFile) -> tuple[Forest, dict[str, Any]]:
    """A model and its header; `ArenaError` says what is wrong with it."""
    path = model.path
    arrays = model.arrays()
    try:
        nodes, roots = arrays["nodes"], arrays["roots"].astype(np.int64)
        header = json.loads(str(arrays["header"]))
        features, version = str(header["features"]), header["feature_version"]
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ArenaError(f"{path}: not a forest that can be read: {error}") from error
    if features not in FEATURES:
        near = did_you_mean(features, FEATURES)
        raise ArenaError(f"{path}: made for the features {features!r}; {near}")
    if version != VERSION:
        raise ArenaError(
            f"{path}: made for version {version} of the features, this is {VERSION}: train it "
            "again with 'arena train forest'"
        )
    if nodes.dtype != NODE or not _is_sound(nodes, roots, len(FEATURES[features])):
        raise ArenaError(f"{path}: not a forest: nodes that lead nowhere")
    forest, said = Forest(nodes, roots, features), header.get("sha256")
    if forest.sha256 != said:
        raise ArenaError(
            f"{path}: damaged or changed: the sha256 of its trees is {forest.sha256[:12]}..., "
            f"its header says {str(said)[:12]}..."
        )
    return forest, header


def _is_sound(nodes: NDArray[Any], roots: NDArray[np.int64], features: int) -> bool:
    """Whether every walk stays inside its tree, goes down, and ends."""
    if nodes.ndim != 1 or roots.ndim != 1:
        return False
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


# --- asking ------------------------------------------------------------------------------


def predict(forest: Forest, rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """The answer for each row; its columns are those of the forest's features."""
    answers = np.empty(len(rows))
    _answer(forest.words, forest.roots, np.ascontiguousarray(rows), len(rows), answers)
    return answers


def best_card(forest: Forest, view: View) -> int:
    """The legal card with the best answer; the lowest of those that are alike."""
    game = kernel_game(view.rules, view.trump)
    place = _best(
        *(view_numbers(view), game.words, game.to_bits, game.to_cards),
        *(forest.number, forest.words_in_play, forest.roots),
    )
    return view.legal[place]


@compiled
def _best(
    numbers: ViewNumbers,
    game: Words,
    to_bits: np.ndarray,
    to_cards: np.ndarray,
    features: int,
    words: Words,
    roots: NDArray[np.int64],
) -> int:
    """Which of the legal cards has the best answer."""
    position = np.empty(SIZE, dtype=np.uint64)
    rows = np.empty((_MOST_CARDS, _COLUMNS), dtype=np.float32)
    answers = np.empty(_MOST_CARDS)
    position_of(numbers, game, to_bits, position)
    count = fill_rows(position, game, to_cards, features, rows)
    _answer(words, roots, rows, count, answers)
    best = 0
    for i in range(1, count):
        if answers[i] > answers[best]:
            best = i
    return best


_MOST_CARDS = 8
_COLUMNS = len(ALL)


@uncounted
def _answer(
    words: Words,
    roots: NDArray[np.int64],
    rows: NDArray[np.float32],
    count: int,
    answers: NDArray[np.float64],
) -> None:
    """The mean of all trees for each of the first rows.

    Four trees are walked at once: one alone would wait for memory at every node.
    """
    values, halves = words.view(np.float32), words.view(np.int16)
    last = len(roots) - 1
    for i in range(count):
        row = rows[i]
        total = 0.0
        for first in range(0, len(roots), 4):
            root_a, root_b = roots[first], roots[min(first + 1, last)]
            root_c, root_d = roots[min(first + 2, last)], roots[min(first + 3, last)]
            a, b, c, d = root_a, root_b, root_c, root_d
            walking = True
            while walking:
                a, moved_a = _down(values, halves, root_a, a, row)
                b, moved_b = _down(values, halves, root_b, b, row)
                c, moved_c = _down(values, halves, root_c, c, row)
                d, moved_d = _down(values, halves, root_d, d, row)
                walking = moved_a or moved_b or moved_c or moved_d
            total += values[2 * a]
            total += values[2 * b] if first + 1 <= last else 0.0
            total += values[2 * c] if first + 2 <= last else 0.0
            total += values[2 * d] if first + 3 <= last else 0.0
        answers[i] = total / len(roots)


@inlined
def _down(
    values: NDArray[np.float32],
    halves: NDArray[np.int16],
    root: int,
    at: Int,
    row: NDArray[np.float32],
) -> tuple[Int, bool]:
    """The child that a row goes to, and whether there was one."""
    feature = halves[4 * at + 2]
    if feature < 0:
        return at, False
    left = np.int64(np.uint16(halves[4 * at + 3]))
    return root + left + (1 if row[feature] > values[2 * at] else 0), True

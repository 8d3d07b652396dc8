"""From recorded games to a forest: scikit-learn grows it, we pack it.

Rows are cards. The target of a card is what the search thought of it: how many points worse than
the best card it is, at most `WORST`. Decisions are split by deal, never by card.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.forest.features import FEATURES, VERSION, features_of
from agents.forest.model import NODE, Forest, predict
from arena.codec import decode_view
from arena.errors import ArenaError
from arena.record import parts

__all__ = ["Examples", "accuracy", "examples_of", "header", "pack", "train"]

WORST = 60.0
"""A card that costs more than this is as bad as one that costs this."""


@dataclass(frozen=True)
class Examples:
    """Decisions, card by card."""

    rows: NDArray[np.float32]
    targets: NDArray[np.float64]
    chosen: NDArray[np.bool_]
    """Whether the teacher played the card."""
    decision: NDArray[np.int64]
    held_out: NDArray[np.bool_]
    """Whether the card is of a deal that is not trained on."""


def examples_of(folder: Path, features: str, held_out: float = 0.2) -> Examples:
    """All recorded decisions; the last share of the deals is held out."""
    rows, targets, chosen, decision, deals = [], [], [], [], []
    for number, record in enumerate(_records(folder)):
        view = decode_view(record["view"])
        values = np.array(record["values"])
        if len(values) != len(view.legal):
            raise ArenaError(f"{folder}: decisions without values; record teachers that search")
        rows.append(features_of(view, features))
        targets.append(np.maximum(values - values.max(), -WORST))
        chosen.append(np.array(view.legal) == record["card"])
        decision.append(np.full(len(values), number))
        deals.append(np.full(len(values), record["deal"]))
    deal = np.concatenate(deals)
    names = list(dict.fromkeys(deal.tolist()))
    kept = set(names[: max(1, round(len(names) * (1 - held_out)))])
    return Examples(
        np.concatenate(rows),
        np.concatenate(targets),
        np.concatenate(chosen),
        np.concatenate(decision),
        np.array([name not in kept for name in deal.tolist()]),
    )


def _records(folder: Path) -> Iterator[dict[str, Any]]:
    from pyarrow import parquet

    for part in parts(folder):
        yield from parquet.read_table(part, columns=["deal", "view", "card", "values"]).to_pylist()


def train(examples: Examples, trees: int, leaf: int, seed: int, jobs: int = 1) -> Forest:
    """A forest for the decisions that are not held out."""
    try:
        from sklearn.ensemble import RandomForestRegressor
    except ImportError as error:
        raise ArenaError(
            "training needs scikit-learn: pip install 'arena-tricks[train]'"
        ) from error
    known = ~examples.held_out
    grown = RandomForestRegressor(
        n_estimators=trees, min_samples_leaf=leaf, max_features=0.5, random_state=seed, n_jobs=jobs
    ).fit(examples.rows[known], examples.targets[known])
    return pack(grown.estimators_)


def pack(estimators: Any) -> Forest:
    """Trees of scikit-learn, breadth first so that siblings are neighbours."""
    trees = [_packed(each.tree_) for each in estimators]
    roots = np.cumsum([0, *(len(tree) for tree in trees)])[:-1]
    return Forest(np.concatenate(trees), roots.astype(np.int64))


def _packed(tree: Any) -> NDArray[Any]:
    order, at = [0], 0
    nodes = np.zeros(tree.node_count, dtype=NODE)
    if tree.node_count > np.iinfo(np.uint16).max:
        raise ArenaError("a tree has more than 65535 nodes; ask for larger leaves")
    while at < len(order):
        source = order[at]
        left, right = tree.children_left[source], tree.children_right[source]
        if left < 0:
            nodes[at] = (tree.value[source].ravel()[-1], -1, 0)
        else:
            # The row goes right if it is more than the threshold, also after rounding.
            threshold = np.nextafter(np.float32(tree.threshold[source]), np.float32(-np.inf))
            if np.float32(tree.threshold[source]) <= tree.threshold[source]:
                threshold = np.float32(tree.threshold[source])
            nodes[at] = (threshold, tree.feature[source], len(order))
            order += [left, right]
        at += 1
    return nodes


def accuracy(forest: Forest, examples: Examples) -> dict[int, tuple[int, float]]:
    """On held-out deals, by number of legal cards: decisions, and how often as the teacher."""
    rows = examples.rows[examples.held_out]
    answers = predict(forest, rows)
    decision, chosen = examples.decision[examples.held_out], examples.chosen[examples.held_out]
    starts = np.flatnonzero(np.diff(decision, prepend=-1))
    hits: dict[int, list[bool]] = {}
    for start, end in zip(starts, np.append(starts[1:], len(rows)), strict=True):
        best = start + int(answers[start:end].argmax())
        hits.setdefault(int(end - start), []).append(bool(chosen[best]))
    return {legal: (len(found), float(np.mean(found))) for legal, found in sorted(hits.items())}


def header(features: str, examples: Examples, **recipe: Any) -> dict[str, Any]:
    """What a model says about itself."""
    return {
        "features": features,
        "feature_version": VERSION,
        "names": list(FEATURES[features]),
        "cards": int((~examples.held_out).sum()),
        **recipe,
    }

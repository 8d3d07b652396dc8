"""From decisions to a forest: scikit-learn grows the trees, which are packed for play.

Rows are cards. The *target* of a forest is one of

* `values`: how many points worse than the best card the search judged it, at most `WORST`;
* `card`: whether it was played, as in Hordijk 2022;
* `legal`: whether it may be played (the features of the legal-card forest).

Decisions are split by deal, never by card.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.forests.features import FEATURES, JUDGES_LEGALITY, rows_of
from agents.forests.model import NODE, Forest, predict
from agents.training.forests.decisions import TeacherDecision
from arena.core.cards import cards_of
from arena.core.errors import ArenaError
from arena.games.klaverjas import rule_player

Target: TypeAlias = Literal["values", "card", "legal"]
WORST = 60.0
"""A card that costs more than this is as bad as one that costs this."""


@dataclass(frozen=True)
class CardExamples:
    """Decisions, card by card."""

    features: str
    target: Target
    rows: NDArray[np.float32]
    targets: NDArray[np.float64]
    """NaN if nothing is known of a card: the forest does not learn from it."""
    right: NDArray[np.bool_]
    """Whether the card was played, or is legal."""
    by_rule: NDArray[np.bool_]
    """Whether the rule player would play the card."""
    decision: NDArray[np.int64]
    held_out: NDArray[np.bool_]
    """Whether the card is of a deal that is not trained on."""
    deals: int


def card_examples(
    decisions: Iterable[TeacherDecision], features: str, target: Target, held_out: float = 0.2
) -> CardExamples:
    """The cards of all decisions; the last share of the deals is held out."""
    rows, targets, right, by_rule, numbers, deals = [], [], [], [], [], []
    for number, decision in enumerate(decisions):
        view = decision.view
        cards = np.array(view.legal if features not in JUDGES_LEGALITY else cards_of(view.hand))
        legal = np.isin(cards, view.legal)
        played = cards == decision.card
        rows.append(rows_of(decision.position, decision.game, features))
        right.append(legal if target == "legal" else played)
        targets.append(_targets(decision, target, right[-1]))
        by_rule.append(cards == rule_player.choose_card(view, "as-published"))
        numbers.append(np.full(len(cards), number))
        deals.append(np.full(len(cards), decision.deal))
    if not rows:
        raise ArenaError("no decisions to learn from")
    deal = np.concatenate(deals)
    names = list(dict.fromkeys(deal.tolist()))
    kept = set(names[: max(1, round(len(names) * (1 - held_out)))])
    return CardExamples(
        features,
        target,
        np.concatenate(rows),
        np.concatenate(targets),
        np.concatenate(right),
        np.concatenate(by_rule),
        np.concatenate(numbers),
        np.array([name not in kept for name in deal.tolist()]),
        len(names),
    )


def _targets(
    decision: TeacherDecision, target: Target, right: NDArray[np.bool_]
) -> NDArray[np.float64]:
    if target != "values":
        return right.astype(np.float64)
    values = decision.values
    if values is None and len(right) > 1:
        raise ArenaError(
            "decisions without values: record teachers that search, or say target: card"
        )
    if values is None:
        return np.full(len(right), np.nan)  # no choice, nothing to learn
    return np.maximum(values - np.nanmax(values), -WORST)


@dataclass(frozen=True)
class ForestShape:
    """The size of trees, and the sources of their differences."""

    leaf: int
    """Cards that a leaf must have at least."""
    columns: float
    """Share of the features that a split looks at."""
    seed: int


def new_forest(examples: CardExamples, shape: ForestShape, jobs: int = 1) -> Any:
    """A forest of scikit-learn without trees; `warm_start` lets it grow some at a time."""
    try:
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    except ImportError as error:
        raise ArenaError(
            "training needs scikit-learn: pip install 'arena-tricks[train]'"
        ) from error
    kind = RandomForestRegressor if examples.target == "values" else RandomForestClassifier
    return kind(
        warm_start=True, min_samples_leaf=shape.leaf, max_features=shape.columns,
        random_state=shape.seed, n_jobs=jobs,
    )  # fmt: skip


def grow(forest: Any, examples: CardExamples, trees: int) -> None:
    """Grow a forest to a number of trees; some at a time gives the same trees as all at once."""
    known = ~examples.held_out & ~np.isnan(examples.targets)
    forest.set_params(n_estimators=trees).fit(examples.rows[known], examples.targets[known])


def pack(trees: Sequence[Any], features: str) -> Forest:
    """Trees of scikit-learn for play: the answers are means, or chances of being chosen."""
    return join_trees([packed_tree(each) for each in trees], features)


def join_trees(trees: Sequence[NDArray[Any]], features: str) -> Forest:
    """Packed trees as a forest."""
    roots = np.cumsum([0, *(len(tree) for tree in trees)])[:-1]
    return Forest(np.concatenate(trees), roots.astype(np.int64), features)


def packed_tree(grown: Any) -> NDArray[Any]:
    """The nodes of a tree breadth first, so that siblings are neighbours."""
    tree = grown.tree_
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


# --- figures -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Accuracy:
    """How often a forest is right on held-out deals, by number of legal cards."""

    legal_cards: int
    """0 for all together; cards of a hand are counted one by one by the legal-card forest."""
    decisions: int
    forest: float
    rule: float | None
    """The rule agent as published, on the same decisions; None if legality is judged."""


def accuracy(forest: Forest, examples: CardExamples) -> list[Accuracy]:
    """On held-out deals, by number of legal cards; the last entry is all of them together."""
    known = examples.held_out
    answers, right = predict(forest, examples.rows[known]), examples.right[known]
    by_rule, decision = examples.by_rule[known], examples.decision[known]
    if not len(answers):
        raise ArenaError("no deals are held out: record more of them")
    starts = np.flatnonzero(np.diff(decision, prepend=-1))
    ends = np.append(starts[1:], len(decision))
    if examples.target == "legal":
        legal = np.repeat(np.add.reduceat(right, starts), ends - starts)
        hits, rule_hits = (answers > 0.5) == right, None
    else:
        legal = ends - starts
        spans = zip(starts, ends, strict=True)
        hits = np.array([right[start + int(answers[start:end].argmax())] for start, end in spans])
        rule_hits = np.logical_or.reduceat(by_rule & right, starts)
    found = []
    for number in (*sorted(set(legal.tolist())), 0):
        chosen = legal == number if number else np.full(len(legal), True)
        rule = None if rule_hits is None else float(rule_hits[chosen].mean())
        found.append(Accuracy(number, int(chosen.sum()), float(hits[chosen].mean()), rule))
    return found


def mean_importances(rows: NDArray[np.float64], features: str) -> dict[str, float]:
    """The importance of each feature, from a row for each tree; largest first, they sum to 1.

    Mean decrease in impurity over trees that split, as scikit-learn computes it (figures 3 and 6 of
    Hordijk 2022).
    """
    rows = rows[rows.any(axis=1)]
    means = rows.mean(axis=0) if len(rows) else np.zeros(len(FEATURES[features]))
    shares = means / (means.sum() or 1.0)
    pairs = zip(FEATURES[features], shares.tolist(), strict=True)
    return dict(sorted(pairs, key=lambda pair: -pair[1]))

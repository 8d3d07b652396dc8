"""Random forests: `arena train forest RECIPE`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from agents.forests.features import JUDGES_LEGALITY
from agents.forests.model import save_forest
from agents.training.forests import klaver_live
from agents.training.forests.decisions import TeacherDecision, recorded_decisions
from agents.training.forests.findings import write_findings
from agents.training.forests.growing import (
    Accuracy,
    ForestShape,
    Target,
    accuracy,
    card_examples,
    grow,
    join_trees,
    mean_importances,
    new_forest,
    packed_tree,
)
from agents.training.trainer import Arrays, Training, TrainingRecipe
from arena.config.recipe import TrainingOrder
from arena.core.agent import parameter
from arena.core.errors import ArenaError
from arena.tournament.record import experiment_of

_TREES = 10
"""Trees that grow in a step."""
MOST_BYTES = 3_000_000
"""A larger model is not written: ask for larger leaves or fewer trees."""


@dataclass(frozen=True)
class ForestRecipe(TrainingRecipe):
    """Grows a random forest on recorded decisions.

    Source: Hordijk 2022. Differs: leaves are bounded, so that a model is small and fast; the
    targets are the values of a search; whole deals are held out.
    """

    recording: str = parameter(
        help="folder of the recorded games, or a .csv file in the format of klaver.live; "
        "relative to the recipe"
    )
    variant: Literal["rotterdam", "amsterdam"] | None = parameter(
        None, help="klaver.live: the games to learn from; a recording has its own"
    )
    features: Literal["ours", "published", "published-41", "legal-19", "legal-21"] = parameter(
        "ours", help="inputs of the forest; legal-19 and legal-21 judge which cards are legal"
    )
    target: Literal["values", "card"] = parameter(
        "values", help="target for a card: its value in the search, or whether it was played"
    )
    trees: int = parameter(60, help="trees", at_least=1, at_most=1000)
    leaf: int = parameter(20, help="cards that a leaf must have at least", at_least=1)
    columns: float = parameter(0.5, help="share of the features that a split looks at", at_most=1)
    held_out: float = parameter(0.2, help="share of the deals that is not trained on", at_most=0.9)
    seed: int = parameter(2022, help="root of all randomness", at_least=0)

    def begin(self, order: TrainingOrder) -> ForestTraining:
        """Read the decisions."""
        return ForestTraining(self, order)

    def decisions(self, folder: Path) -> tuple[Iterator[TeacherDecision], dict[str, Any]]:
        """The decisions, and their origin for the header of the model."""
        source = folder / self.recording
        if source.suffix == ".csv":
            if self.variant is None:
                raise ArenaError(f"{source}: say which variant to learn: rotterdam or amsterdam")
            decisions = klaver_live.read_decisions(source, self.variant)
            digest = hashlib.sha256(source.read_bytes()).hexdigest() if source.is_file() else ""
            return decisions, {"file": source.name, "sha256": digest, "variant": self.variant}
        experiment = experiment_of(source)
        if self.variant not in (None, experiment["game"].get("variant")):
            raise ArenaError(f"{source}: a recording of {experiment['game']['variant']}")
        kept = ("name", "game", "deals", "agents", "seed")
        return recorded_decisions(source), {key: experiment[key] for key in kept}


class ForestTraining(Training):
    """Grows some trees at a step."""

    def __init__(self, recipe: ForestRecipe, order: TrainingOrder) -> None:
        self.recipe = recipe
        target: Target = "legal" if recipe.features in JUDGES_LEGALITY else recipe.target
        decisions, data = recipe.decisions(order.folder)
        order.say("reading decisions ...")
        examples = card_examples(decisions, recipe.features, target, recipe.held_out)
        held = int(examples.held_out.sum())
        order.say(f"{len(examples.rows) - held} cards to learn from, {held} held out")
        digest = hashlib.sha256(examples.rows.tobytes() + examples.targets.tobytes()).hexdigest()
        total = -(-recipe.trees // _TREES)
        super().__init__(order, total, {**data, "deals": examples.deals}, digest)
        self.examples = examples
        shape = ForestShape(recipe.leaf, recipe.columns, recipe.seed)
        self.grown = new_forest(examples, shape, order.jobs)
        self.trees: list[NDArray[Any]] = []
        self.importances: list[NDArray[np.float64]] = []
        """A row for each tree."""

    def step(self) -> str:
        trees = min((self.done + 1) * _TREES, self.recipe.trees)
        grow(self.grown, self.examples, trees)
        for tree in self.grown.estimators_[len(self.trees) :]:
            self.trees.append(packed_tree(tree))
            self.importances.append(tree.feature_importances_)
        return f"{trees} of {self.recipe.trees} trees"

    def arrays(self) -> Arrays:
        sizes = np.array([len(tree) for tree in self.trees])
        importances = np.stack(self.importances)
        return {"nodes": np.concatenate(self.trees), "sizes": sizes, "importances": importances}

    def restore(self, arrays: Arrays) -> None:
        ends = np.cumsum(arrays["sizes"])
        self.trees = np.split(arrays["nodes"], ends[:-1])
        self.importances = list(arrays["importances"])
        # scikit-learn only counts the trees it has, to draw the seeds of the next ones.
        self.grown.estimators_ = [None] * len(self.trees)

    def figures(self) -> dict[str, Any]:
        """How often the forest is right on held-out deals."""
        self.forest = join_trees(self.trees, self.recipe.features)
        self.accuracy = accuracy(self.forest, self.examples)
        for one in self.accuracy:
            self.order.say(_line(one, self.examples.target))
        found = self.accuracy[-1]
        return {"accuracy_held_out": found.forest, "decisions_held_out": found.decisions}

    def write(self, header: dict[str, Any]) -> None:
        recipe, output = self.recipe, self.order.output
        del header["arena"]  # the version of the features stands for it
        save_forest(output, self.forest, header)
        size = output.stat().st_size
        if size > MOST_BYTES:
            output.unlink()
            raise ArenaError(
                f"the model has {size / 1e6:.1f} MB, at most {MOST_BYTES / 1e6:.0f} are allowed: "
                f"raise leaf ({recipe.leaf}) or ask for fewer trees ({recipe.trees})"
            )
        importances = mean_importances(np.stack(self.importances), recipe.features)
        write_findings(output.with_suffix(""), self.accuracy, importances)


def _line(one: Accuracy, target: Target) -> str:
    what = f"{one.legal_cards} legal cards" if one.legal_cards else "all"
    if target == "legal":
        return f"  {what + ':':15} {one.forest:7.2%} of {one.decisions} cards judged rightly"
    return (
        f"  {what + ':':15} {one.forest:6.1%} of {one.decisions} as the teacher "
        f"(rule agent {one.rule:.1%})"
    )

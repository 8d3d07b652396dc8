"""How a forest is made: a recipe that `arena train forest` follows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from agents.forests.features import JUDGES_LEGALITY
from agents.forests.model import save_forest
from agents.training.forests import klaver_live
from agents.training.forests.decisions import Decision, recorded_decisions
from agents.training.forests.findings import write_findings
from agents.training.forests.growing import (
    Accuracy,
    Shape,
    Target,
    accuracy,
    examples_of,
    grow,
    importances,
    pack,
)
from arena.config.recipe import RecipeTrainer
from arena.core.agent import parameter
from arena.core.errors import ArenaError
from arena.tournament.record import experiment_of

MOST_BYTES = 3_000_000
"""A larger model is not written: ask for larger leaves or fewer trees."""


@dataclass(frozen=True)
class ForestRecipe:
    """Grows a random forest on recorded decisions.

    Source: Hordijk 2022. Differs: leaves are bounded, so that a model is small and fast; the
    targets are the values of a search; whole deals are held out.
    """

    recording: str = parameter(
        help="folder of the recorded games, or a .csv file in the format of klaver.live; "
        "relative to this file"
    )
    variant: Literal["rotterdam", "amsterdam"] | None = parameter(
        None, help="klaver.live: the games to learn from; a recording says itself what it is of"
    )
    features: Literal["ours", "published", "published-41", "legal-19", "legal-21"] = parameter(
        "ours", help="what the forest is shown; legal-19 and legal-21 judge which cards are legal"
    )
    target: Literal["values", "card"] = parameter(
        "values", help="what it learns of a card: the value in the search, or if it was played"
    )
    trees: int = parameter(60, help="trees", at_least=1, at_most=1000)
    leaf: int = parameter(20, help="cards that a leaf must have at least", at_least=1)
    columns: float = parameter(0.5, help="share of the features that a split looks at", at_most=1)
    held_out: float = parameter(0.2, help="share of the deals that is not trained on", at_most=0.9)
    seed: int = parameter(2022, help="where all randomness comes from", at_least=0)

    def make(self, folder: Path, output: Path, workers: int, say: Callable[[str], None]) -> None:
        """Train, write the model with tables and figures beside it, and tell how good it is."""
        target: Target = "legal" if self.features in JUDGES_LEGALITY else self.target
        decisions, data = self._data(folder)
        say("reading decisions ...")
        examples = examples_of(decisions, self.features, target, self.held_out)
        held = int(examples.held_out.sum())
        say(f"{len(examples.rows) - held} cards to learn from, {held} held out")
        shape = Shape(self.trees, self.leaf, self.columns, self.seed)
        grown = grow(examples, shape, workers, say)
        forest = pack(grown, self.features)
        found = accuracy(forest, examples)
        for one in found:
            say(_told(one, target))
        save_forest(
            output,
            forest,
            {
                "recipe": asdict(self),
                "data": {**data, "deals": examples.deals},
                "accuracy_held_out": found[-1].forest,
                "decisions_held_out": found[-1].decisions,
            },
        )
        size = output.stat().st_size
        if size > MOST_BYTES:
            output.unlink()
            raise ArenaError(
                f"the model has {size / 1e6:.1f} MB, at most {MOST_BYTES / 1e6:.0f} are allowed: "
                f"raise leaf ({self.leaf}) or ask for fewer trees ({self.trees})"
            )
        write_findings(output.with_suffix(""), found, importances(grown, self.features))

    def _data(self, folder: Path) -> tuple[Iterator[Decision], dict[str, Any]]:
        """The decisions, and what the model says about where they are from."""
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


def _told(one: Accuracy, target: Target) -> str:
    what = f"{one.legal_cards} legal cards" if one.legal_cards else "all"
    if target == "legal":
        return f"  {what + ':':15} {one.forest:7.2%} of {one.decisions} cards judged rightly"
    return (
        f"  {what + ':':15} {one.forest:6.1%} of {one.decisions} as the teacher "
        f"(rule agent {one.rule:.1%})"
    )


class ForestTrainer(RecipeTrainer):
    """`arena train forest RECIPE`."""

    recipe = ForestRecipe

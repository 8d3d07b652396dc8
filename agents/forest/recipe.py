"""How a forest is made: a recipe that `arena train forest` follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from agents.forest.model import save_forest
from agents.forest.training import accuracy, examples_of, header, train
from arena.agent import parameter

__all__ = ["ForestRecipe"]


@dataclass(frozen=True)
class ForestRecipe:
    """Grows a random forest on recorded decisions.

    Source: Hordijk 2022. Differs: leaves are bounded, so that a model is small and fast; the
    targets are the values of a search; whole deals are held out.
    """

    recording: str = parameter(help="folder of the recorded games, relative to this file")
    out: str = parameter(help="the model to write, relative to this file")
    features: Literal["ours", "published"] = parameter("ours", help="what the forest is shown")
    trees: int = parameter(60, help="trees", at_least=1, at_most=1000)
    leaf: int = parameter(20, help="cards that a leaf must have at least", at_least=1)
    seed: int = parameter(2022, help="where all randomness comes from", at_least=0)

    def make(self, folder: Path, jobs: int, say: Callable[[str], None]) -> Path:
        """Train, write the model, and tell how often it plays as its teacher."""
        examples = examples_of(folder / self.recording, self.features)
        held = int(examples.held_out.sum())
        say(f"{len(examples.rows) - held} cards to learn from, {held} held out")
        forest = train(examples, self.trees, self.leaf, self.seed, jobs)
        right = accuracy(forest, examples)
        total = sum(count for count, _ in right.values())
        mean = sum(count * share for count, share in right.values()) / max(1, total)
        for legal, (count, share) in right.items():
            say(f"  {legal} legal cards: {share:6.1%} of {count} as the teacher")
        say(f"  all:           {mean:6.1%} of {total}")
        path = folder / self.out
        recipe = {"recipe": asdict(self), "accuracy_held_out": mean, "decisions_held_out": total}
        save_forest(path, forest, header(self.features, examples, **recipe))
        say(f"{path}: {path.stat().st_size / 1e6:.2f} MB")
        return path

"""How a forest is made: a recipe that `arena train forest` follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from agents.forest.model import save_forest
from agents.forest.training import accuracy, examples_of, header, train
from arena.agent import parameter
from arena.config.document import read, with_override
from arena.config.problems import Problems
from arena.model_file import ModelFile
from arena.parameters import model_of, values_of

__all__ = ["ForestRecipe", "ForestTrainer"]


@dataclass(frozen=True)
class ForestRecipe:
    """Grows a random forest on recorded decisions.

    Source: Hordijk 2022. Differs: leaves are bounded, so that a model is small and fast; the
    targets are the values of a search; whole deals are held out.
    """

    recording: str = parameter(help="folder of the recorded games, relative to this file")
    features: Literal["ours", "published"] = parameter("ours", help="what the forest is shown")
    trees: int = parameter(60, help="trees", at_least=1, at_most=1000)
    leaf: int = parameter(20, help="cards that a leaf must have at least", at_least=1)
    seed: int = parameter(2022, help="where all randomness comes from", at_least=0)

    def make(self, folder: Path, output: Path, jobs: int, say: Callable[[str], None]) -> None:
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
        recipe = {"recipe": asdict(self), "accuracy_held_out": mean, "decisions_held_out": total}
        save_forest(output, forest, header(self.features, examples, **recipe))


class ForestTrainer:
    """`arena train forest RECIPE`."""

    def train(
        self,
        config: Path,
        overrides: Sequence[str],
        output: Path,
        workers: int,
        say: Callable[[str], None],
    ) -> str:
        """Follow the recipe in a file; the hash of the model."""
        document = read(config)
        for override in overrides:
            document = with_override(document, override)
        problems = Problems(document)
        checked = problems.check(model_of(ForestRecipe), document.data, ())
        problems.stop_if_any()
        assert checked is not None
        ForestRecipe(**values_of(checked)).make(config.parent, output, workers, say)
        return ModelFile.find(str(output)).sha256

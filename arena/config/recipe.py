"""Recipes for training: frozen dataclasses of parameters, read from a file like an experiment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from arena.config.model_file import ModelFile
from arena.config.parameters import model_of, values_of
from arena.config.problems import Problems
from arena.config.strict_yaml import read, with_override
from arena.core.errors import ArenaError

R = TypeVar("R")


def read_recipe(kind: type[R], config: Path, overrides: Sequence[str]) -> R:
    """The recipe in a file; `ArenaError` says which lines are wrong."""
    document = read(config)
    for override in overrides:
        document = with_override(document, override)
    problems = Problems(document)
    family: Any = kind
    checked: Any = problems.check(model_of(family), document.data, ())
    problems.stop_if_any()
    try:
        return kind(**values_of(checked))
    except ArenaError as error:  # values that do not go together
        raise ArenaError(f"{config}: {error}") from error


class Recipe(Protocol):
    """Makes a model."""

    def make(self, folder: Path, output: Path, workers: int, say: Callable[[str], None]) -> None:
        """Write the model; `folder` is where the recipe is, and what it names."""
        ...


class RecipeTrainer:
    """What `arena train` looks up by name: follows recipes of one kind."""

    recipe: ClassVar[type[Recipe]]

    def train(
        self,
        config: Path,
        overrides: Sequence[str],
        output: Path,
        workers: int,
        say: Callable[[str], None],
    ) -> str:
        """Follow the recipe in a file; the hash of the model."""
        recipe = read_recipe(self.recipe, config, overrides)
        recipe.make(config.parent, output, workers, say)
        return ModelFile.find(str(output)).sha256

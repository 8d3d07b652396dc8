"""Recipes for training: frozen dataclasses, read as strictly as experiments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from arena.config.parameters import model_of, values_of
from arena.config.problems import Problems
from arena.config.strict_yaml import YamlDocument
from arena.core.errors import ArenaError, did_you_mean


@dataclass(frozen=True)
class TrainingOrder:
    """One call of `arena train`: where a training reads, writes and reports."""

    document: YamlDocument
    """The recipe as the user wrote it, for errors that name a line."""
    folder: Path
    """Paths in the recipe are relative to it."""
    output: Path
    """The model file."""
    jobs: int
    say: Callable[[str], None]
    """Reports progress, a line at a time."""
    keep: bool = False
    """Whether the checkpoints stay when the model is written."""


class Recipe(Protocol):
    """A frozen dataclass that makes a model; its fields are the keys of a training file."""

    def train(self, order: TrainingOrder) -> None:
        """Write the model. Its bytes must not depend on the number of jobs."""


def read_recipe(family: Any, document: YamlDocument) -> Recipe:
    """The recipe in a training file; `ConfigError` has a line for each mistake.

    `family` is the class that an entry point of `arena.trainers` names: a recipe, or a class with a
    mapping `kinds` of recipes. Of these, the key `kind` in the file chooses one, else the first is
    taken.
    """
    problems = Problems(document)
    kinds: Mapping[str, Any] | None = getattr(family, "kinds", None)
    if kinds is not None:
        kind = str(document.data.get("kind", next(iter(kinds))))
        if kind not in kinds:
            problems.add(("kind",), f"unknown kind {kind!r}; {did_you_mean(kind, kinds)}")
            problems.stop_if_any()
        family = kinds[kind]
    checked: Any = problems.check(model_of(family), document.data, ())
    problems.stop_if_any()
    try:
        recipe: Recipe = family(**values_of(checked))
    except ArenaError as error:  # values that do not go together
        raise ArenaError(f"{document.place_of(()).source}: {error}") from error
    return recipe

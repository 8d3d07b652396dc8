"""Recipes for training: frozen dataclasses of parameters, read from a file like an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from arena.config.problems import Problems
from arena.config.strict_yaml import read, with_override
from arena.parameters import model_of, values_of

__all__ = ["read_recipe"]

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
    return kind(**values_of(checked))

"""arena: tournaments and evaluation for trick-taking card-game AI."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`arena.load_run`, imported when it is first used: it brings all of the statistics along."""
    if name == "load_run":
        return importlib.import_module("arena.load").load_run
    raise AttributeError(f"module 'arena' has no attribute {name!r}")

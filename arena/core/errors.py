"""Errors that a person can act on.

`ArenaError` is what the command line turns into one line and exit code 2.
Everything that a user can get wrong raises it or a subclass of it; anything
else that escapes is a defect of ours and keeps its traceback.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class ArenaError(Exception):
    """User error, reported in one line."""


def located(path: Path | str, line: int | None, message: str) -> str:
    """`message` prefixed with file and line, as compilers print it.

    >>> located("x.csv", 3, "unknown suit 'X'")
    "x.csv:3: unknown suit 'X'"
    """
    return f"{path}:{line}: {message}" if line is not None else f"{path}: {message}"


def did_you_mean(word: str, allowed: Iterable[str]) -> str:
    """The end of an error about an unknown word: the closest match, if any, and what is allowed.

    >>> did_you_mean("playuots", ["playouts", "rollout"])
    "did you mean 'playouts'? (allowed: playouts, rollout)"
    >>> did_you_mean("x", ["playouts", "rollout"])
    'allowed: playouts, rollout'
    """
    names = sorted(allowed)
    listing = f"allowed: {', '.join(names)}"
    near = difflib.get_close_matches(word, names, n=1)
    return f"did you mean {near[0]!r}? ({listing})" if near else listing

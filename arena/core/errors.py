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


def error_words(error: BaseException) -> str:
    """An error's type and its text, in one line.

    >>> error_words(ValueError("no  idea")), error_words(KeyboardInterrupt())
    ('ValueError: no idea', 'KeyboardInterrupt')
    """
    try:
        text = " ".join(str(error).split())
    except BaseException:  # a plug-in's own type of error, and one more defect of it
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


_MOST_LISTED = 20


def did_you_mean(word: str, allowed: Iterable[str], listed_by: str = "") -> str:
    """The end of an error about an unknown word: the closest match, if any, and what is allowed.

    Of more than 20 names it lists the nearest, and the command that lists all, if there is one.

    >>> did_you_mean("playuots", ["playouts", "rollout"])
    "did you mean 'playouts'? (allowed: playouts, rollout)"
    >>> did_you_mean("x", ["playouts", "rollout"])
    'allowed: playouts, rollout'
    >>> did_you_mean("run-9", [f"run-{i}" for i in range(90, 130)], "arena status")
    "did you mean 'run-99', 'run-98' or 'run-97'? (all 40: arena status)"
    """
    names = sorted(allowed)
    few = len(names) <= _MOST_LISTED
    near = difflib.get_close_matches(word, names, n=1 if few else 3)
    if few:
        listing = f"allowed: {', '.join(names)}"
    elif listed_by:
        listing = f"all {len(names)}: {listed_by}"
    else:
        listing = f"{len(names)} are allowed, from {names[0]} to {names[-1]}"
    if not near:
        return listing
    guesses = " or ".join(filter(None, (", ".join(map(repr, near[:-1])), repr(near[-1]))))
    return f"did you mean {guesses}? ({listing})"

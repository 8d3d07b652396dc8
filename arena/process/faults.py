"""The faults of agents and their words, the same in every process."""

from __future__ import annotations

import operator
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias

from arena.core.errors import ArenaError, error_words
from arena.core.printable import printable

_MESSAGE_LENGTH = 500

FaultKind: TypeAlias = Literal[
    "crash", "illegal", "overtime", "stuck", "killed", "memory", "protocol"
]
"""Raised or died, played what is not legal, came back late, did not come back; in a process of its
own: was ended or stopped by a signal such as others send, used too much memory, did not keep to the
protocol."""


class Unavailable(ArenaError):
    """A resource of an agent is missing, such as its server: the run ends, no agent is at fault."""


class AtFault(ArenaError):
    """An agent's fault outside of a run, in one line that names the agent."""


class AgentFault(Exception):
    """A fault of an agent in a process of its own."""

    def __init__(self, kind: FaultKind, words: str, detail: str = "") -> None:
        super().__init__(words)
        self.kind, self.words, self.detail = kind, words, detail


def crash_words(error: BaseException) -> str:
    """The error that an agent raised, in one line."""
    return cut(f"raised {error_words(error)}", _MESSAGE_LENGTH)


@contextmanager
def one_line_of(agent: str) -> Iterator[None]:
    """Where an agent is asked outside of a run: what it raises is a user error that names it."""
    try:
        yield
    except ArenaError:
        raise
    except AgentFault as error:
        said = error_line(error.detail)
        line = cut(f"{error.words}: {said}" if said else error.words, _MESSAGE_LENGTH)
        raise AtFault(f"the agent {agent} {line}") from error
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(frame.filename).name}, line {frame.lineno}"
        raise AtFault(f"the agent {agent} {crash_words(error)} ({place})") from error


def error_line(text: str) -> str:
    """The line of a program's error output that says what went wrong.

    The last one that names an error; else the last one. (Node ends with its version.)

    >>> error_line("ReferenceError: x is not defined\\n    at f (bot.js:3)\\n\\nNode.js v20.1.0")
    'ReferenceError: x is not defined'
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line for line in lines if _NAMES_ERROR.search(line)]
    return (named or lines or [""])[-1]


_NAMES_ERROR = re.compile(r"\w*(error|exception|panic)\w*\b.*:", re.IGNORECASE)


def cut(text: str, length: int) -> str:
    """Text that can be stored and shown: of a sensible length, nothing that moves a terminal.

    >>> cut("abcdefgh", 4), cut("\\ud800", 9), cut("\\x1b[2J", 9)
    ('ab ... gh', '\\\\ud800', '\\\\x1b[2J')
    """
    if len(text) > length:
        text = f"{text[: length // 2]} ... {text[-(length // 2) :]}"
    return printable(text)


def whole_number(answer: Any) -> int:
    """An answer of another whole-number type (numpy's) as an int; -1 if it is no number of ours."""
    if isinstance(answer, bool):
        return -1
    try:
        return operator.index(answer)
    except BaseException:  # no number, or an agent's own type that raises whatever it likes
        return -1


def shown(answer: Any) -> str:
    """An agent's answer, of whatever type, in a few letters."""
    try:
        text = " ".join(repr(answer).split())
    except BaseException:  # an agent's own type, and a defect of the agent's
        text = f"a {type(answer).__name__}"
    return cut(text if len(text) <= 60 else text[:57] + "...", 60)

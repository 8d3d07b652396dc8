"""What an agent can do wrong, in words: the same wherever it plays."""

from __future__ import annotations

import operator
from typing import Any, Literal, TypeAlias

__all__ = ["AgentFault", "FaultKind", "crash_words", "shown", "whole_number"]

FaultKind: TypeAlias = Literal["crash", "illegal", "overtime", "stuck", "memory", "protocol"]
"""Raised or died, played what is not legal, came back late, did not come back, used too much
memory, did not keep to the protocol (the last two in a process of its own)."""


class AgentFault(Exception):
    """What an agent in a process of its own did wrong."""

    def __init__(self, kind: FaultKind, words: str, detail: str = "") -> None:
        super().__init__(words)
        self.kind, self.words, self.detail = kind, words, detail


def crash_words(error: BaseException) -> str:
    """What an agent raised, in one line."""
    try:
        said = " ".join(str(error).split())
    except Exception:  # an agent's own type, and one more defect of the agent's
        said = ""
    return f"raised {type(error).__name__}: {said}" if said else f"raised {type(error).__name__}"


def whole_number(answer: Any) -> int:
    """An answer of another whole-number type (numpy's) as an int; -1 if it is no number of ours."""
    if isinstance(answer, bool):
        return -1
    try:
        return operator.index(answer)
    except TypeError:
        return -1


def shown(answer: Any) -> str:
    """What an agent answered, in few letters, whatever it is."""
    try:
        text = " ".join(repr(answer).split())
    except Exception:  # an agent's own type, and a defect of the agent's
        text = f"a {type(answer).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."

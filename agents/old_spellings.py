"""Experiments and stored runs of earlier versions, in the words of today.

Beliefs and evaluators were a word with their parameters loose beside it, and a model followed
the word after a colon:

    beliefs: probabilities          beliefs: {kind: probabilities, m1: 1.5}
    m1: 1.5                    now
    evaluator: network:judge.npz    evaluator: {kind: network, model: judge.npz, mix: 0.5}
    mix: 0.5
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from arena.core.registry import Registry

KIND = "kind"
_MODEL = "network:"


def gather(
    written: dict[str, Any],
    choice: str,
    loose: Sequence[str],
    kinds: Registry[Any],
    usual: str,
    moved: dict[tuple[str, ...], str],
) -> None:
    """Put parameters that are written loose beside a choice into it.

    Stored runs have the parameters of all kinds beside it: those of other kinds go. What is
    written as today is left alone.
    """
    beside = [key for key in loose if key in written]
    word = written.get(choice, usual)
    if not isinstance(word, str) or not (beside or word.startswith(_MODEL)):
        return
    inside: dict[str, Any] = {KIND: word}
    if word.startswith(_MODEL):
        inside = {KIND: "network", "model": word.removeprefix(_MODEL)}
        moved[choice, "model"] = choice
    if inside[KIND] in kinds:
        own = {item.name for item in fields(kinds.get(inside[KIND]))}
        for key in beside:
            if key in own:
                inside[key] = written[key]
                moved[choice, key] = key
    for key in beside:
        del written[key]
    moved[choice, KIND] = choice
    written[choice] = inside

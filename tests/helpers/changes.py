"""JSON values with something in them changed, at random."""

from __future__ import annotations

import random
from typing import Any

_VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    10**30,
    1.5,
    "",
    "H7",
    "N",
    "\ud800",
    [],
    {},
    [[]],
    "x" * 99,
]


def changed(value: Any, rng: random.Random) -> Any:
    """The value with something in it changed."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        rest = {k: x for k, x in value.items() if k != key or rng.random() < 0.9}
        return {**rest, key: changed(value[key], rng)} if key in rest else rest
    if isinstance(value, list) and value and rng.random() < 0.8:
        place = rng.randrange(len(value))
        if rng.random() < 0.3:
            return value[:place] + value[place + 1 :]
        if rng.random() < 0.3:
            return [*value, value[place]]
        return [*value[:place], changed(value[place], rng), *value[place + 1 :]]
    return rng.choice(_VALUES)

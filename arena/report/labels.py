"""Short names for the entries of grids, which carry their parameters in their names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar

_SETTING = re.compile(r"[-,]([A-Za-z_][\w.]*)=([^=]*?)(?=[-,][A-Za-z_][\w.]*=|$)")

T = TypeVar("T")

EFFORT = ("simulations", "playouts")
"""Settings that need no name: `ismcts 800`."""
MANY, FEW = 12, 8
"""With more agents than `MANY`, figures with a mark for each agent show the best `FEW`."""
MOST_IN_MAP = 20
"""Agents in a map of all against all that fits a page, on paper too; of more, the best."""


def best_few(agents: Sequence[T], few: int = FEW, many: int = MANY) -> Sequence[T]:
    """All agents, best first, or the best few of many."""
    return agents if len(agents) <= many else agents[:few]


def short_labels(names: Sequence[str]) -> dict[str, str]:
    """A short name for each; those of other agents stay as they are, and none is given twice.

    >>> short_labels(["ismcts-simulations=100", "ismcts-simulations=800", "rule"])
    {'ismcts-simulations=100': 'ismcts 100', 'ismcts-simulations=800': 'ismcts 800', 'rule': 'rule'}
    >>> short_labels(["x-c=1,d=2", "x-c=3,d=2", "y-c=0.7"])
    {'x-c=1,d=2': 'x c = 1', 'x-c=3,d=2': 'x c = 3', 'y-c=0.7': 'y c = 0.7'}
    >>> short_labels(["x-c=1,d=2", "x-c=3,d=4"])
    {'x-c=1,d=2': 'x (c = 1, d = 2)', 'x-c=3,d=4': 'x (c = 3, d = 4)'}
    """
    settings = {name: dict(_SETTING.findall(name)) for name in names}
    bases = {name: name[: _start(name)] for name in names}
    seen: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, setting in settings.items():
        for key, value in setting.items():
            seen[bases[name], key].add(value)
    found = {}
    for name, setting in settings.items():
        varying = [key for key in setting if len(seen[bases[name], key]) > 1]
        if len(setting) == 1:
            ((key, value),) = setting.items()
            found[name] = f"{bases[name]} {value if key in EFFORT else f'{key} = {value}'}"
        elif varying:
            shown = ", ".join(f"{key} = {setting[key]}" for key in varying)
            found[name] = f"{bases[name]} {shown if len(varying) == 1 else f'({shown})'}"
        else:
            found[name] = name
    if len(set(found.values())) < len(found):
        return {name: name for name in names}
    return found


def _start(name: str) -> int:
    """Where the settings begin; the end if there are none."""
    match = _SETTING.search(name)
    return match.start() if match else len(name)

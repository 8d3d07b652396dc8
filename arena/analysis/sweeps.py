"""Agents that differ in parameters only: a line for each setting, along the parameter that varies.

What the theses draw as "score against number of simulations, a line per C".
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.analysis.estimates import Estimate
from arena.parameters import plain
from arena.store.manifest import EntrantUsed

__all__ = ["Sweep", "SweepPoint", "find_sweeps"]

FEWEST_POINTS = 3


@dataclass(frozen=True)
class SweepPoint:
    """One agent of a sweep."""

    agent: str
    line: str
    """What else varies, such as `c=0.5`; empty if nothing does."""
    x: float
    y: Estimate


@dataclass(frozen=True)
class Sweep:
    """A family of agents along one of its parameters."""

    family: str
    parameter: str
    against: str | None
    """The common opponent, if there is exactly one; else y is the score rating."""
    points: tuple[SweepPoint, ...]


def find_sweeps(
    entrants: Mapping[str, EntrantUsed],
    opponents: Mapping[str, set[str]],
    strength: Mapping[str, Estimate],
    margins: Mapping[tuple[str, str], Estimate],
) -> list[Sweep]:
    """The sweeps in a run: at least three values of a number in one family.

    `strength` is the score rating by agent, `margins` the mean margin by (agent, opponent).
    """
    families: dict[str, list[str]] = defaultdict(list)
    for name, entrant in entrants.items():
        if len(entrant.members) == 1:
            (member,) = entrant.members
            key = json.dumps([member.family, plain(member.bidder)], sort_keys=True)
            families[key].append(name)
    found = []
    for names in families.values():
        sweep = _sweep(names, entrants, opponents, strength, margins)
        if sweep is not None:
            found.append(sweep)
    return found


def _sweep(
    names: list[str],
    entrants: Mapping[str, EntrantUsed],
    opponents: Mapping[str, set[str]],
    strength: Mapping[str, Estimate],
    margins: Mapping[tuple[str, str], Estimate],
) -> Sweep | None:
    settings = {name: entrants[name].members[0].parameters for name in names}
    varying = _varying(settings)
    numbers = [key for key in varying if all(_is_number(s.get(key)) for s in settings.values())]
    if not numbers:
        return None
    x = max(numbers, key=lambda key: len({s[key] for s in settings.values()}))
    if len({s[x] for s in settings.values()}) < FEWEST_POINTS:
        return None
    common = set.intersection(*(opponents.get(name, set()) for name in names)) - set(names)
    against = next(iter(common)) if len(common) == 1 else None
    others = [key for key in varying if key != x]
    points = []
    for name, setting in settings.items():
        line = ", ".join(f"{key}={setting.get(key)}" for key in others)
        y = strength.get(name) if against is None else margins.get((name, against))
        if y is not None and y.value is not None:
            points.append(SweepPoint(name, line, float(setting[x]), y))
    points.sort(key=lambda point: (point.line, point.x))
    family = entrants[names[0]].members[0].family
    return Sweep(family, x, against, tuple(points)) if points else None


def _varying(settings: Mapping[str, Mapping[str, Any]]) -> list[str]:
    keys = list(dict.fromkeys(key for setting in settings.values() for key in setting))
    return [
        key
        for key in keys
        if len({json.dumps(s.get(key), sort_keys=True) for s in settings.values()}) > 1
    ]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

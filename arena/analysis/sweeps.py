"""Agents that differ in parameters only: a line for each setting, along the parameter that varies.

What the theses draw as "score against number of simulations, a line per C". Which settings are
best is asked of the joint comparison, like everything else about strength.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.analysis.estimates import Estimate
from arena.analysis.standings import Standings
from arena.config.parameters import plain
from arena.store.manifest import EntrantUsed

FEWEST_POINTS = 3


@dataclass(frozen=True)
class SweepPoint:
    """One agent of a sweep."""

    agent: str
    line: str
    """Other parameters that vary, such as `c=0.5`; empty if none does."""
    x: float
    y: Estimate
    best: bool
    """Whether no setting of the sweep is known to be better."""


@dataclass(frozen=True)
class Sweep:
    """A family of agents along one of its parameters."""

    family: str
    parameter: str
    """Its name; and those of others that only ever change with it, `simulations (with worlds)`."""
    fixed: str
    """The difference from another sweep of the same family, such as its bidder."""
    against: str | None
    """The common opponent, if there is exactly one; else y is the score rating."""
    points: tuple[SweepPoint, ...]

    @property
    def best(self) -> tuple[str, ...]:
        """The settings than which none is known to be better, the strongest first."""
        found = [point for point in self.points if point.best]
        found.sort(key=lambda point: -(point.y.value or 0.0))
        return tuple(point.agent for point in found)


def find_sweeps(entrants: Mapping[str, EntrantUsed], field: Standings) -> list[Sweep]:
    """The sweeps in a run: at least three values of a number in one family, all else equal."""
    families: dict[str, list[str]] = defaultdict(list)
    rated = {agent.name for agent in field.agents}
    for name, entrant in entrants.items():
        if len(entrant.members) == 1 and name in rated:
            (member,) = entrant.members
            key = json.dumps([member.family, plain(member.bidder)], sort_keys=True)
            families[key].append(name)
    found = []
    for names in families.values():
        sweep = _sweep(names, entrants, field)
        if sweep is not None:
            found.append(sweep)
    return found


def _sweep(names: list[str], entrants: Mapping[str, EntrantUsed], field: Standings) -> Sweep | None:
    settings = {name: _setting(entrants[name]) for name in names}
    varying = _varying(settings)
    numbers = [key for key in varying if all(_is_number(s.get(key)) for s in settings.values())]
    if not numbers:
        return None
    x = max(numbers, key=lambda key: len({s[key] for s in settings.values()}))
    along = [key for key in varying if key != x and _follows(key, x, settings.values())]
    others = [key for key in varying if key != x and key not in along]
    lines: dict[str, set[float]] = defaultdict(set)
    for setting in settings.values():
        lines[_line(setting, others)].add(setting[x])
    if max(len(values) for values in lines.values()) < FEWEST_POINTS:
        return None  # agents that differ in several ways at once are no line
    opponents, margins = _meetings(field)
    common = set.intersection(*(opponents.get(name, set()) for name in names)) - set(names)
    against = next(iter(common)) if len(common) == 1 else None
    strength = {agent.name: _strength(agent.rating, agent.margin) for agent in field.agents}
    points = []
    best = field.joint.top_among(names)
    for name, setting in settings.items():
        line = _line(setting, others)
        y = strength.get(name) if against is None else margins.get((name, against))
        if y is not None and y.value is not None:
            points.append(SweepPoint(name, line, float(setting[x]), y, name in best))
    points.sort(key=lambda point: (_numbers_by_size(point.line), point.x))
    member = entrants[names[0]].members[0]
    fixed = f"bidder {member.bidder.family}" if member.bidder is not None else ""
    parameter = f"{x} (with {', '.join(along)})" if along else x
    return Sweep(member.family, parameter, fixed, against, tuple(points)) if points else None


def _numbers_by_size(line: str) -> list[tuple[bool, float, str]]:
    """A key that sorts the numbers in a text by size: `c=5` before `c=10`."""
    parts = re.split(r"(-?\d+(?:\.\d+)?)", line)
    return [(i % 2 == 1, float(part) if i % 2 else 0.0, part) for i, part in enumerate(parts)]


def _line(setting: Mapping[str, Any], others: Sequence[str]) -> str:
    return ", ".join(f"{key}={setting.get(key)}" for key in others)


def _follows(key: str, x: str, settings: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a parameter has one value for each value of `x`: it makes no lines of its own."""
    values: dict[Any, set[str]] = defaultdict(set)
    for setting in settings:
        values[setting[x]].add(json.dumps(setting.get(key), sort_keys=True))
    return all(len(found) == 1 for found in values.values())


def _setting(entrant: EntrantUsed) -> dict[str, Any]:
    """The parameters, nested ones by their path: `beliefs.m1`."""
    found: dict[str, Any] = {}

    def add(path: str, value: Any) -> None:
        if isinstance(value, Mapping):
            for key, inner in value.items():
                add(f"{path}.{key}" if path else str(key), inner)
        else:
            found[path] = value

    add("", plain(entrant.members[0].parameters))
    return found


def _meetings(
    field: Standings,
) -> tuple[dict[str, set[str]], dict[tuple[str, str], Estimate]]:
    """The opponents of each agent, and its mean margins."""
    opponents: dict[str, set[str]] = defaultdict(set)
    margins: dict[tuple[str, str], Estimate] = {}
    for pair in field.pairs:
        opponents[pair.first].add(pair.second)
        opponents[pair.second].add(pair.first)
        ahead = pair.margin
        margins[pair.first, pair.second] = ahead
        margins[pair.second, pair.first] = ahead.negative()
    return opponents, margins


def _strength(rating: Any, margin: Estimate) -> Estimate:
    if rating is None:
        return margin
    return Estimate(rating.value, rating.low, rating.high, margin.n, rating.se)


def _varying(settings: Mapping[str, Mapping[str, Any]]) -> list[str]:
    keys = list(dict.fromkeys(key for setting in settings.values() for key in setting))
    return [
        key
        for key in keys
        if len({json.dumps(s.get(key), sort_keys=True) for s in settings.values()}) > 1
    ]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

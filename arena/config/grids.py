"""One entry of an experiment, several agents: the combinations of a grid, and twins."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from arena.config.parameters import KIND
from arena.config.problems import Problems, written_at
from arena.config.strict_yaml import KeyPath

MOST_TWINS = 100


@dataclass(frozen=True)
class AgentEntry:
    """One agent as it is written, or one combination of its grid."""

    name: str
    data: Mapping[str, Any]
    path: KeyPath
    moved: Mapping[KeyPath, KeyPath]
    """Where values that come from a grid are written."""

    def path_of(self, *keys: str | int) -> KeyPath:
        """Where in the file something of it is written."""
        return written_at(keys, self.path, self.moved)


def twins(entry: AgentEntry, problems: Problems) -> Iterator[tuple[str, int]]:
    """Names and numbers of the twins that an agent plays as: itself, unless it says more."""
    what = {"replicate": "how many twins play", "twin": "which of the twins this one is"}
    for key in what.keys() & entry.data.keys():
        value = entry.data[key]
        if type(value) is not int or not 1 <= value <= MOST_TWINS:
            expected = f"{what[key]}: a whole number from 1 to {MOST_TWINS}"
            problems.add(entry.path_of(key), f"expected {expected}")
            return
    if what.keys() <= entry.data.keys():
        problems.add(entry.path_of("twin"), "a twin has no twins of its own: leave one of both out")
        return
    if "replicate" not in entry.data:
        yield entry.name, entry.data.get("twin", 1)
        return
    for number in range(1, entry.data["replicate"] + 1):
        yield f"{entry.name}-{number}", number


def how_many(agents: Mapping[str, dict[str, Any]]) -> int:
    """How many agents these would be, every combination of a grid counted."""
    return sum(
        prod(len(values) for values in data["grid"].values()) if _is_grid(data.get("grid")) else 1
        for data in agents.values()
    )


def combinations(path: KeyPath, data: dict[str, Any], problems: Problems) -> Iterator[AgentEntry]:
    """The agent written at `path`, or one for each combination of values in its grid."""
    name = str(path[-1])
    if "grid" not in data:
        yield AgentEntry(name, data, path, {})
        return
    grid, here = data["grid"], (*path, "grid")
    if not _is_grid(grid):
        problems.add(here, "expected a mapping from parameters to lists of different plain values")
        return
    fixed = {key: value for key, value in data.items() if key != "grid"}
    for key in grid:
        if key in ("family", "grid", "replicate", "team", "twin"):
            problems.add((*here, key), "cannot be varied")
            return
        if _is_given(fixed, key.split(".")):
            problems.add((*here, key), "given outside the grid too")
            return
    moved: dict[KeyPath, KeyPath] = {tuple(key.split(".")): (*here, key) for key in grid}
    words = _short_names(grid)
    for values in itertools.product(*grid.values()):
        chosen = dict(zip(grid, values, strict=True))
        suffix = ",".join(f"{words[key]}={_word(value)}" for key, value in chosen.items())
        combination = fixed
        for key, value in chosen.items():
            combination = _with_value(combination, key.split("."), value)
        yield AgentEntry(f"{name}-{suffix}", combination, path, moved)


def _is_given(data: Any, keys: list[str]) -> bool:
    """Whether there is a value at a nested key, or where a mapping around it would have to be."""
    if not isinstance(data, dict) or keys[0] not in data:
        return False
    inner = data[keys[0]]
    # A name alone, such as `beliefs: certain`, may be varied in what is inside it.
    return len(keys) == 1 or (not isinstance(inner, str) and _is_given(inner, keys[1:]))


def _with_value(data: dict[str, Any], keys: list[str], value: Any) -> dict[str, Any]:
    """A copy with a value at a nested key; `beliefs: certain` becomes a mapping with its kind."""
    if len(keys) == 1:
        return {**data, keys[0]: value}
    inner = data.get(keys[0], {})
    inner = {KIND: inner} if isinstance(inner, str) else inner
    if not isinstance(inner, dict):
        return data  # reported later
    return {**data, keys[0]: _with_value(inner, keys[1:], value)}


def _short_names(grid: Mapping[str, Any]) -> dict[str, str]:
    """For names of agents: `m1` for `beliefs.m1`, unless another key ends like that."""
    last = [key.rpartition(".")[2] for key in grid]
    return {
        key: word if last.count(word) == 1 else key for key, word in zip(grid, last, strict=True)
    }


def _is_grid(grid: Any) -> bool:
    return (
        isinstance(grid, dict)
        and bool(grid)
        and all(isinstance(values, list) and values for values in grid.values())
        and all(len({json.dumps(x) for x in values}) == len(values) for values in grid.values())
        and not any(isinstance(x, dict | list) for values in grid.values() for x in values)
    )


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)

"""The agents of an experiment: families with parameters, grids of them, and teams."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.config.document import KeyPath
from arena.config.models import Team
from arena.config.problems import Problems
from arena.errors import ArenaError, did_you_mean
from arena.games.needs import why_not
from arena.parameters import model_of, values_of
from arena.play.experiment import AgentSpec, BidderSpec, Entrant
from arena.play.fingerprint import model_hash
from arena.registry import AGENTS, BIDDERS, Registry
from arena.rules import Rules

__all__ = ["RESERVED", "Declared", "declare"]

RESERVED = ("bidder", "family", "grid", "team")
"""Keys of an agent that are no parameters of its family."""


@dataclass
class Declared:
    """The agents of an experiment by name, in the order written."""

    entrants: dict[str, Entrant] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)
    """The entrants that a name in the file stands for: several, if it has a grid."""

    def named(self, name: str) -> list[str] | None:
        """The entrants that `name` stands for; None if it stands for nobody."""
        return self.groups.get(name) or ([name] if name in self.entrants else None)

    @property
    def names(self) -> list[str]:
        """All names that can be used."""
        return list(dict.fromkeys([*self.groups, *self.entrants]))


@dataclass(frozen=True)
class _Entry:
    """One agent as it is written, or one combination of its grid."""

    name: str
    data: Mapping[str, Any]
    path: KeyPath
    moved: Mapping[str | int, KeyPath]
    """Where the keys that come from a grid are written."""

    def path_of(self, key: str) -> KeyPath:
        return self.moved.get(key, (*self.path, key))


def declare(agents: Mapping[str, dict[str, Any]], rules: Rules, problems: Problems) -> Declared:
    """Check all agents; what is wrong is noted in `problems`."""
    declared = Declared()
    for name, data in agents.items():
        declared.groups[name] = []
        if "team" in data:
            continue
        for entry in _combinations(name, data, problems):
            spec = _agent(entry, rules, problems)
            if entry.name in declared.entrants:
                problems.add(entry.path, f"there already is an agent {entry.name!r}")
            elif spec is not None:
                _enter(declared, name, Entrant(entry.name, (spec,)))
    for name, data in agents.items():
        if "team" in data:
            _team(name, data, declared, rules, problems)
    in_order = {name: i for i, names in enumerate(declared.groups.values()) for name in names}
    declared.entrants = dict(sorted(declared.entrants.items(), key=lambda e: in_order[e[0]]))
    return declared


def _enter(declared: Declared, group: str, entrant: Entrant) -> None:
    declared.entrants[entrant.name] = entrant
    declared.groups[group].append(entrant.name)


# --- grids -------------------------------------------------------------------------------


def _combinations(name: str, data: dict[str, Any], problems: Problems) -> Iterator[_Entry]:
    path: KeyPath = ("agents", name)
    if "grid" not in data:
        yield _Entry(name, data, path, {})
        return
    grid, here = data["grid"], (*path, "grid")
    if not _is_grid(grid):
        problems.add(here, "expected a mapping from parameters to lists of different plain values")
        return
    for key in grid:
        if key in data or key in ("family", "grid", "team"):
            reason = "given outside the grid too" if key in data else "cannot be varied"
            problems.add((*here, key), reason)
            return
    fixed = {key: value for key, value in data.items() if key != "grid"}
    moved: dict[str | int, KeyPath] = {key: (*here, key) for key in grid}
    for values in itertools.product(*grid.values()):
        chosen = dict(zip(grid, values, strict=True))
        suffix = ",".join(f"{key}={_word(value)}" for key, value in chosen.items())
        yield _Entry(f"{name}-{suffix}", {**fixed, **chosen}, path, moved)


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


# --- one agent ---------------------------------------------------------------------------


def _agent(entry: _Entry, rules: Rules, problems: Problems) -> AgentSpec | None:
    family = _family(AGENTS, entry.data, entry.path, rules, problems)
    if family is None:
        return None
    parameters = {key: value for key, value in entry.data.items() if key not in RESERVED}
    values = _parameters(AGENTS, family, parameters, entry, problems)
    bidder: BidderSpec | None = None
    if entry.data.get("bidder") is not None:
        bidder = _bidder(entry, rules, problems)
        if bidder is None:
            return None
    if values is None:
        return None
    spec = AgentSpec(family, values, bidder)
    try:
        # A model that cannot be read is told now, not when the run begins.
        agent = spec.build().cards
        model_hash(agent)
    except (ArenaError, ValueError) as error:
        problems.add(entry.path, str(error))
        return None
    # What a family needs of a game may depend on its parameters.
    if (why := why_not(agent, rules)) is not None:
        problems.add(entry.path, f"{family!r} {why}")
        return None
    return spec


def _bidder(entry: _Entry, rules: Rules, problems: Problems) -> BidderSpec | None:
    written, path = entry.data["bidder"], entry.path_of("bidder")
    if isinstance(written, str):
        written = {"family": written}
        short = _Entry(entry.name, written, path, {"family": path})
    elif isinstance(written, dict):
        short = _Entry(entry.name, written, path, {})
    else:
        problems.add(path, "expected the name of a bidder, or a mapping with its family")
        return None
    family = _family(BIDDERS, written, path, rules, problems, short.path_of("family"))
    if family is None:
        return None
    parameters = {key: value for key, value in written.items() if key != "family"}
    values = _parameters(BIDDERS, family, parameters, short, problems)
    return None if values is None else BidderSpec(family, values)


def _family(
    registry: Registry[Any],
    data: Mapping[str, Any],
    path: KeyPath,
    rules: Rules,
    problems: Problems,
    place: KeyPath | None = None,
) -> str | None:
    """The name of a family that exists and plays this game."""
    where = place or (*path, "family")
    family = data.get("family")
    if not isinstance(family, str):
        what = "missing" if family is None else "expected the name of a family"
        problems.add(where, f"{what}; {did_you_mean('', registry)}")
        return None
    try:
        why = why_not(registry.get(family), rules)
    except ArenaError as error:
        problems.add(where, str(error))
        return None
    if why is not None:
        problems.add(where, f"{family!r} {why}")
        return None
    return family


def _parameters(
    registry: Registry[Any],
    family: str,
    parameters: dict[str, Any],
    entry: _Entry,
    problems: Problems,
) -> dict[str, Any] | None:
    checked = problems.check(
        model_of(registry.get(family)), parameters, entry.path, moved=entry.moved
    )
    return None if checked is None else values_of(checked)


# --- teams -------------------------------------------------------------------------------


def _team(
    name: str, data: dict[str, Any], declared: Declared, rules: Rules, problems: Problems
) -> None:
    path: KeyPath = ("agents", name)
    team = problems.check(Team, data, path)
    if team is None:
        return
    if rules.players != 4:
        problems.add((*path, "team"), f"a team needs four players, not {rules.players}")
        return
    specs: list[AgentSpec] = []
    for i, member in enumerate(team.team):
        entrants = declared.named(member)
        here = (*path, "team", i)
        if entrants is None and member not in declared.groups:
            problems.add(here, f"unknown agent {member!r}; {did_you_mean(member, declared.names)}")
        elif not entrants:
            continue  # what is wrong with it has been said
        elif len(entrants) > 1:
            problems.add(here, f"{member!r} is a grid; name one of: {', '.join(entrants)}")
        else:
            specs += declared.entrants[entrants[0]].members
    if team.team[0] == team.team[1]:
        problems.add((*path, "team"), "a team is two different agents")
    elif len(specs) == 2:
        _enter(declared, name, Entrant(name, tuple(specs), team.team))
    elif len(specs) > 2:
        problems.add((*path, "team"), "the members of a team are no teams themselves")

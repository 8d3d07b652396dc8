"""The agents of an experiment: families with parameters, grids of them, and teams."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from arena.config.entrants import AgentSpec, BidderSpec, Entrant, Isolate
from arena.config.grids import AgentEntry, combinations, twins
from arena.config.imports import Imports
from arena.config.live_agents import is_live, live_agent
from arena.config.model_file import ModelFile, model_hash
from arena.config.models import Team
from arena.config.own_code import OwnCode, code_from, is_code
from arena.config.parameters import model_of, values_of
from arena.config.problems import Problems
from arena.config.strict import Strict
from arena.config.strict_yaml import KeyPath, YamlDocument
from arena.core.errors import ArenaError, did_you_mean
from arena.core.registry import AGENTS, BIDDERS, Registry
from arena.core.rules import Rules
from arena.games.needs import why_not
from arena.process.limits import Limits
from arena.process.revision import GitSource

T = TypeVar("T", Limits, GitSource)

RESERVED = ("bidder", "family", "grid", "isolate", "limits", "replicate", "source", "team", "twin")
"""Keys of an agent that are no parameters of its family."""


@dataclass
class Declared:
    """The agents of an experiment by name, in the order written."""

    entrants: dict[str, Entrant] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)
    """The entrants that a name in the file stands for: several, if it has a grid."""

    def named(self, name: str) -> list[str] | None:
        """The entrants that `name` stands for; None if there are none."""
        return self.groups.get(name) or ([name] if name in self.entrants else None)

    @property
    def names(self) -> list[str]:
        """All names that can be used."""
        return list(dict.fromkeys([*self.groups, *self.entrants]))


def declare(
    agents: Mapping[str, dict[str, Any]],
    rules: Rules,
    problems: Problems,
    isolate: Isolate = False,
    imports: Imports | None = None,
    section: str = "agents",
) -> Declared:
    """Check all agents; what is wrong is noted in `problems`.

    `isolate` is what holds for agents that do not say it themselves; without `imports`, no
    agent may be code in a file. They are written under the key `section`.
    """
    context = _Context(rules, problems, isolate, imports)
    declared = Declared()
    for name, data in agents.items():
        declared.groups[name] = []
        if "team" in data:
            continue
        for entry in combinations((section, name), data, problems):
            spec = _agent(entry, context)
            for called, twin in twins(entry, problems):
                if called in declared.entrants:
                    problems.add(entry.path, f"there already is an agent {called!r}")
                elif spec is not None:
                    _enter(declared, name, Entrant(called, (replace(spec, twin=twin),)))
    for name, data in agents.items():
        if "team" in data:
            _team((section, name), data, declared, rules, problems)
    in_order = {name: i for i, names in enumerate(declared.groups.values()) for name in names}
    declared.entrants = dict(sorted(declared.entrants.items(), key=lambda e: in_order[e[0]]))
    return declared


def _enter(declared: Declared, group: str, entrant: Entrant) -> None:
    declared.entrants[entrant.name] = entrant
    declared.groups[group].append(entrant.name)


# --- one agent ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Context:
    """The arguments that all checks of an agent share."""

    rules: Rules
    problems: Problems
    isolate: Isolate
    imports: Imports | None


@dataclass(frozen=True)
class _Family:
    """A family that plays the game."""

    name: str
    """As the experiment is to name it."""
    made_by: type | None
    """None if it is code that is left alone: then its parameters cannot be checked."""


def _agent(entry: AgentEntry, context: _Context) -> AgentSpec | None:
    problems = context.problems
    if entry.data.get("source") is not None:
        return _of_another_revision(entry, context)
    family = _family(AGENTS, entry.data, entry.path_of("family"), context)
    if family is None:
        return None
    parameters = {key: value for key, value in entry.data.items() if key not in RESERVED}
    values = _parameters(family, parameters, entry, problems)
    bidder: BidderSpec | None = None
    if entry.data.get("bidder") is not None:
        bidder = _bidder(entry, context)
        if bidder is None:
            return None
    if values is None:
        return None
    process = _process_keys(entry, problems)
    limits = _built(Limits, "limits", entry, problems)
    if process is None:
        return None
    chosen: Isolate = context.isolate if process.isolate is None else process.isolate
    if getattr(family.made_by, "asks_server", False):
        for key in ("isolate", "limits"):
            if entry.data.get(key):
                problems.add(
                    entry.path_of(key),
                    f"a server decides for {family.name!r}, which has no process to limit; it has "
                    "limits among its parameters",
                )
                return None
        chosen = False
    spec = AgentSpec(family.name, values, bidder, limits, chosen)
    if spec.names_code and context.imports is not None and not context.imports.wanted:
        return spec
    try:
        # A model that cannot be read is reported now, not when the run begins.
        agent = spec.build(problems.document.place_of(()).folder).cards
        model_hash(agent)
        if values.get("api_key_env") is not None and context.imports is not None:
            context.imports.allow_key(values["api_key_env"], values["base_url"])
    except (ArenaError, ValueError) as error:
        problems.add(entry.path, str(error))
        return None
    # What a family needs of a game may depend on its parameters.
    if (why := why_not(agent, context.rules)) is not None:
        problems.add(entry.path, f"{family.name!r} {why}")
        return None
    return spec


def _of_another_revision(entry: AgentEntry, context: _Context) -> AgentSpec | None:
    """Families and parameters are those of that revision, which says what it does not know."""
    problems = context.problems
    process = _process_keys(entry, problems)
    limits = _built(Limits, "limits", entry, problems)
    source = _built(GitSource, "source", entry, problems)
    family, bidder = entry.data.get("family"), entry.data.get("bidder")
    if not isinstance(family, str):
        problems.add(entry.path, "expected a family: {family: NAME, source: {git: REV}, ...}")
        return None
    if is_code(family):
        document = problems.document
        folder, home = document.place_of(entry.path).folder, document.place_of(()).folder
        family = code_from(home, family, folder)
        try:
            if context.imports is not None:
                context.imports.allow_code(family)
        except ArenaError as error:
            problems.add(entry.path_of("family"), str(error))
            return None
    if bidder is not None and not isinstance(bidder, dict):
        bidder = {"family": bidder}
    if process is None or source is None:
        return None
    return AgentSpec(
        family,
        {key: value for key, value in entry.data.items() if key not in RESERVED},
        None
        if bidder is None
        else BidderSpec(
            str(bidder.get("family")), {k: v for k, v in bidder.items() if k != "family"}
        ),
        limits,
        process.isolate or False,
        source,
    )


def _process_keys(entry: AgentEntry, problems: Problems) -> _ProcessKeys | None:
    return problems.check(
        _ProcessKeys,
        {key: entry.data[key] for key in ("isolate", "limits", "source") if key in entry.data},
        entry.path,
        moved=entry.moved,
    )


class _ProcessKeys(Strict):
    """Whether an agent plays in a process of its own."""

    isolate: Isolate | None = None
    limits: dict[str, Any] | None = None
    source: dict[str, Any] | None = None


def _model(what: Callable[..., Any]) -> type[Strict]:
    return model_of(what)


def _built(what: type[T], key: str, entry: AgentEntry, problems: Problems) -> T | None:
    written = entry.data.get(key)
    if not isinstance(written, dict):
        return None
    checked = problems.check(_model(what), written, entry.path_of(key))
    return None if checked is None else what(**values_of(checked))


def _bidder(entry: AgentEntry, context: _Context) -> BidderSpec | None:
    written, path = entry.data["bidder"], entry.path_of("bidder")
    if isinstance(written, str):
        written = {"family": written}
        short = AgentEntry(entry.name, written, path, {("family",): path})
    elif isinstance(written, dict):
        short = AgentEntry(entry.name, written, path, {})
    else:
        context.problems.add(path, "expected the name of a bidder, or a mapping with its family")
        return None
    family = _family(BIDDERS, written, short.path_of("family"), context)
    if family is None:
        return None
    parameters = {key: value for key, value in written.items() if key != "family"}
    values = _parameters(family, parameters, short, context.problems)
    return None if values is None else BidderSpec(family.name, values)


def _family(
    registry: Registry[Any], data: Mapping[str, Any], where: KeyPath, context: _Context
) -> _Family | None:
    """A family that exists and plays this game."""
    problems = context.problems
    name = data.get("family")
    if not isinstance(name, str):
        what = "missing" if name is None else "expected the name of a family"
        problems.add(where, f"{what}; {did_you_mean('', registry)}")
        return None
    try:
        if is_live(name):
            found = _Family(live_agent(name).family, None)
        elif is_code(name):
            found = _own_code(name, where, context)
        else:
            found = _Family(name, registry.get(name))
        why = None if found.made_by is None else why_not(found.made_by, context.rules)
    except ArenaError as error:
        problems.add(where, str(error))
        return None
    if why is not None:
        problems.add(where, f"{name!r} {why}")
        return None
    return found


def _own_code(name: str, where: KeyPath, context: _Context) -> _Family:
    if context.imports is None:
        raise ArenaError(f"{name} is code in a file; here only registered families can be used")
    document = context.problems.document
    code = OwnCode.find(name, document.place_of(where).folder, document.place_of(()).folder)
    return _Family(code.written, context.imports.class_of(code))


def _parameters(
    family: _Family, parameters: dict[str, Any], entry: AgentEntry, problems: Problems
) -> dict[str, Any] | None:
    if family.made_by is None:
        return parameters
    checked = problems.check(model_of(family.made_by), parameters, entry.path, moved=entry.moved)

    def find_model(path: KeyPath, file: str, sha256: str | None) -> ModelFile:
        place = entry.path_of(*path)
        try:
            return _model_named(problems.document, place, file, sha256)
        except ArenaError as error:
            problems.add(place, str(error))
            raise _Noted from error

    try:
        return None if checked is None else values_of(checked, find_model)
    except _Noted:
        return None
    except (ArenaError, ValueError) as error:
        problems.add(entry.path, str(error))
        return None


class _Noted(Exception):
    """Raised when the problem has been noted already."""


def _model_named(document: YamlDocument, path: KeyPath, file: str, sha256: str | None) -> ModelFile:
    """A model that is named at `path`: a file next to the one that names it, or a shipped one."""
    folder, home = document.place_of(path).folder, document.place_of(()).folder
    found = ModelFile.find(file, folder, sha256)
    if found.path != (folder / file).resolve():
        return found  # one that comes with arena keeps its name
    # A path relative to the experiment stays true when the whole folder is moved.
    return replace(found, written=os.path.relpath(found.path, home.resolve()))


# --- teams -------------------------------------------------------------------------------


def _team(
    path: KeyPath, data: dict[str, Any], declared: Declared, rules: Rules, problems: Problems
) -> None:
    name = str(path[-1])
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

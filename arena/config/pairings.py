"""Who plays whom."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from arena.config.agents import Declared
from arena.config.entrants import Entrant
from arena.config.models import Race, ScheduleSection
from arena.config.problems import Problems
from arena.config.strict_yaml import KeyPath
from arena.core.errors import did_you_mean

_BELONGS_TO = {
    "against": ("gauntlet",),
    "pairs": ("pairs",),
    "only": ("round-robin", "gauntlet", "race"),
    "partner": ("cross-play",),
    "keep": ("race",),
    "reference": ("race",),
    "alpha": ("race",),
}


def find_pairings(
    schedule: ScheduleSection, agents: Declared, problems: Problems
) -> tuple[tuple[str, str], ...]:
    """The pairs of entrants that the schedule asks for, each once."""
    here: KeyPath = ("schedule",)
    for key, types in _BELONGS_TO.items():
        if getattr(schedule, key) is not None and schedule.type not in types:
            problems.add((*here, key), f"belongs to {' or '.join(types)}, not {schedule.type}")
    for key in ("against", "pairs", "partner"):
        if schedule.type in _BELONGS_TO[key] and not getattr(schedule, key):
            problems.add((*here, key), f"missing; {schedule.type} needs it")
    pairs = {
        "round-robin": _round_robin,
        "gauntlet": _gauntlet,
        "pairs": _listed,
        "race": _field,
        "cross-play": _cross_play,
    }[schedule.type](schedule, agents, problems)
    if not pairs and not problems:
        problems.add(here, "there are no pairings: at least two agents have to play each other")
    return tuple(pairs)


def _round_robin(
    schedule: ScheduleSection, agents: Declared, problems: Problems
) -> list[tuple[str, str]]:
    return list(combinations(_included(schedule, agents, problems), 2))


def _cross_play(
    schedule: ScheduleSection, agents: Declared, problems: Problems
) -> list[tuple[str, str]]:
    """All against all with themselves; and A with X against B with X, for every partner X.

    The teams become entrants of the experiment, called such as `champion+rule`.
    """
    here: KeyPath = ("schedule", "partner")
    players = list(agents.entrants)
    teams = [name for name in players if len(agents.entrants[name].members) > 1]
    if teams:
        problems.add(("schedule",), f"cross-play makes its own teams; leave out {teams[0]!r}")
        return []
    pairs = list(combinations(players, 2))
    for partner in _resolve(schedule.partner or [], here, agents, problems):
        named = {name: _with_partner(agents, name, partner) for name in players}
        pairs += [(named[one], named[other]) for one, other in combinations(players, 2)]
    return pairs


def _with_partner(agents: Declared, name: str, partner: str) -> str:
    """The entrant that is an agent with a partner: a team, or the agent itself."""
    if name == partner:
        return name
    members = (*agents.entrants[name].members, *agents.entrants[partner].members)
    team = Entrant(f"{name}+{partner}", members, (name, partner))
    agents.entrants[team.name] = team
    return team.name


def _field(
    schedule: ScheduleSection, agents: Declared, problems: Problems
) -> list[tuple[str, str]]:
    """All against all, or all others against the reference."""
    if schedule.reference is None:
        return _round_robin(schedule, agents, problems)
    found = _resolve([schedule.reference], ("schedule", "reference"), agents, problems)
    if len(found) > 1:
        problems.add(("schedule", "reference"), f"expected one agent, these are {len(found)}")
    others = [name for name in _included(schedule, agents, problems) if name not in found]
    return list(product(others, found))


def find_race(
    schedule: ScheduleSection, pairings: Sequence[tuple[str, str]], problems: Problems
) -> Race | None:
    """What the race of a schedule looks for; None if it is none."""
    if schedule.type != "race":
        return None
    given = {key: getattr(schedule, key) for key in ("keep", "reference", "alpha")}
    race = Race(**{key: value for key, value in given.items() if value is not None})
    agents = {name for pair in pairings for name in pair}
    if race.reference is not None and schedule.keep is not None:
        problems.add(("schedule", "keep"), "belongs to a race without a reference")
    elif race.keep >= len(agents) > 0:
        problems.add(("schedule", "keep"), f"expected fewer than the {len(agents)} agents")
    return race


def _gauntlet(
    schedule: ScheduleSection, agents: Declared, problems: Problems
) -> list[tuple[str, str]]:
    against = _resolve(schedule.against or [], ("schedule", "against"), agents, problems)
    others = [name for name in _included(schedule, agents, problems) if name not in against]
    return list(product(others, against))


def _listed(
    schedule: ScheduleSection, agents: Declared, problems: Problems
) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for i, pair in enumerate(schedule.pairs or []):
        here: KeyPath = ("schedule", "pairs", i)
        firsts, seconds = (_resolve([name], here, agents, problems) for name in pair)
        for first, second in product(firsts, seconds):
            if first == second:
                problems.add(here, f"{first!r} cannot play itself")
            elif (first, second) in found or (second, first) in found:
                problems.add(here, f"{first!r} and {second!r} are paired already")
            else:
                found.append((first, second))
    return found


def _included(schedule: ScheduleSection, agents: Declared, problems: Problems) -> list[str]:
    if schedule.only is None:
        return list(agents.entrants)
    return _resolve(schedule.only, ("schedule", "only"), agents, problems)


def _resolve(names: list[str], path: KeyPath, agents: Declared, problems: Problems) -> list[str]:
    """Entrants by name; a name with a grid stands for all of its combinations."""
    found: list[str] = []
    for name in names:
        entrants = agents.named(name)
        if entrants is not None:
            found += entrants
        elif name not in agents.groups:
            problems.add(path, f"unknown agent {name!r}; {did_you_mean(name, agents.names)}")
    return list(dict.fromkeys(found))

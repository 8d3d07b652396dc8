"""The pairings of a schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TypeAlias

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
    found = _Pairings(schedule, agents, problems)
    pairs = {
        "round-robin": found.round_robin,
        "gauntlet": found.gauntlet,
        "pairs": found.listed,
        "race": found.race,
        "cross-play": found.cross_play,
    }[schedule.type]()
    if not pairs and not problems:
        problems.add(here, "there are no pairings: at least two agents have to play each other")
    return tuple(pairs)


Pairs: TypeAlias = list[tuple[str, str]]


@dataclass(frozen=True)
class _Pairings:
    """The pairs of each type of schedule."""

    schedule: ScheduleSection
    agents: Declared
    problems: Problems

    def round_robin(self) -> Pairs:
        return list(combinations(self.included(), 2))

    def gauntlet(self) -> Pairs:
        against = self.resolve(self.schedule.against or [], ("schedule", "against"))
        return list(product((name for name in self.included() if name not in against), against))

    def race(self) -> Pairs:
        """All against all, or all others against the reference."""
        here: KeyPath = ("schedule", "reference")
        if self.schedule.reference is None:
            return self.round_robin()
        found = self.resolve([self.schedule.reference], here)
        if len(found) > 1:
            self.problems.add(here, f"expected one agent, these are {len(found)}")
        return list(product((name for name in self.included() if name not in found), found))

    def listed(self) -> Pairs:
        found: Pairs = []
        for i, pair in enumerate(self.schedule.pairs or []):
            here: KeyPath = ("schedule", "pairs", i)
            firsts, seconds = (self.resolve([name], here) for name in pair)
            for first, second in product(firsts, seconds):
                if first == second:
                    self.problems.add(here, f"{first!r} cannot play itself")
                elif (first, second) in found or (second, first) in found:
                    self.problems.add(here, f"{first!r} and {second!r} are paired already")
                else:
                    found.append((first, second))
        return found

    def cross_play(self) -> Pairs:
        """All against all with themselves; and A with X against B with X, for every partner X.

        The teams become entrants of the experiment, called such as `champion+rule`.
        """
        entrants = self.agents.entrants
        teams = [name for name, entrant in entrants.items() if len(entrant.members) > 1]
        if teams:
            wrong = f"cross-play makes its own teams; leave out {teams[0]!r}"
            self.problems.add(("schedule",), wrong)
            return []
        players = list(entrants)
        pairs = list(combinations(players, 2))
        for partner in self.resolve(self.schedule.partner or [], ("schedule", "partner")):
            pairs += combinations([self.with_partner(name, partner) for name in players], 2)
        return pairs

    def with_partner(self, name: str, partner: str) -> str:
        """The entrant that is an agent with a partner: a team, or the agent itself."""
        if name == partner:
            return name
        entrants = self.agents.entrants
        members = (*entrants[name].members, *entrants[partner].members)
        team = Entrant(f"{name}+{partner}", members, (name, partner))
        entrants[team.name] = team
        return team.name

    def included(self) -> list[str]:
        """The agents that `only` names, else all."""
        if self.schedule.only is None:
            return list(self.agents.entrants)
        return self.resolve(self.schedule.only, ("schedule", "only"))

    def resolve(self, names: list[str], path: KeyPath) -> list[str]:
        """Entrants by name; a name with a grid stands for all of its combinations."""
        found: list[str] = []
        for name in names:
            entrants = self.agents.named(name)
            if entrants is not None:
                found += entrants
            elif name not in self.agents.groups:
                near = did_you_mean(name, self.agents.names)
                self.problems.add(path, f"unknown agent {name!r}; {near}")
        return list(dict.fromkeys(found))


def find_race(
    schedule: ScheduleSection, pairings: Sequence[tuple[str, str]], problems: Problems
) -> Race | None:
    """The race of a schedule; None if it is none."""
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

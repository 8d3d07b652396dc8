"""An experiment with everything resolved.

A configuration file is read into a `ResolvedExperiment`; a notebook may make one by hand. It is
plain data: agents are named by family and parameters and built where they play.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from arena.config.entrants import AgentSpec, Entrant
from arena.config.models import Race, Reference, Stop
from arena.config.parameters import plain
from arena.core.deals import Deal
from arena.core.errors import ArenaError, did_you_mean
from arena.core.rules import MatchFormat, Rules, plural, unit_of


@dataclass(frozen=True)
class ResolvedExperiment:
    """Everything that decides the results."""

    name: str
    rules: Rules
    deals: tuple[Deal, ...]
    deal_set: str
    deals_sha256: str
    entrants: tuple[Entrant, ...]
    pairings: tuple[tuple[str, str], ...]
    """Names of entrants that play each other."""
    placements: Literal["all", "alternating", "mixed"] = "all"
    """Without partners: all ways to share the seats, or every other seat."""
    match: MatchFormat | None = None
    """Whole matches instead of single rounds."""
    seed: int = 0
    seeds_per_deal: int = 1
    """How many times each deal is played in each seating."""
    on_fault: Literal["stop", "forfeit"] = "stop"
    """Whether an agent's fault ends the run or costs it the deal."""
    decision_limit_s: float | None = None
    """An agent that thinks longer is at fault."""
    description: str | None = None
    """The purpose of the experiment."""
    references: tuple[Reference, ...] = ()
    """Published values to compare with."""
    stop: Stop | None = None
    """When a pairing has played enough; None: when all deals are played."""
    race: Race | None = None
    """The race, if beaten agents leave before all deals are played."""
    indifferent: float | None = None
    """Points per deal (or match) that do not matter."""
    deals_from: Mapping[str, Any] = field(default_factory=dict)
    """How an experiment file finds the deals, if not by `deal_set`: `set` or `file`, `offset`."""
    folder: Path = Path()
    """The folder that paths of models are relative to."""

    @property
    def units(self) -> str:
        """The unit in the plural: `deals` or `matches`."""
        return plural(unit_of(self.match))

    def entrant(self, name: str) -> Entrant:
        """The entrant of this name."""
        for entrant in self.entrants:
            if entrant.name == name:
                return entrant
        near = did_you_mean(name, [entrant.name for entrant in self.entrants])
        raise ArenaError(f"no entrant is called {name!r}; {near}")

    @cached_property
    def resolved(self) -> dict[str, Any]:
        """The whole experiment as plain data: a configuration file with everything filled in."""
        source = self.deals_from or {"set": self.deal_set, "offset": 0}
        return {
            "name": self.name,
            "description": self.description,
            "game": {"name": self.rules.name, **plain(self.rules)},
            "deals": {**source, "limit": len(self.deals), "sha256": self.deals_sha256},
            "agents": {entrant.name: _written(entrant) for entrant in self.entrants},
            "schedule": self._schedule,
            "match": plain(self.match),
            "placements": self.placements,
            "seed": self.seed,
            "seeds_per_deal": self.seeds_per_deal,
            "on_fault": self.on_fault,
            "decision_limit_s": self.decision_limit_s,
            "reference": [
                reference.model_dump(mode="json", exclude_none=True)
                for reference in self.references
            ],
            **({"stop": self.stop.model_dump()} if self.stop is not None else {}),
            **({"indifferent": self.indifferent} if self.indifferent is not None else {}),
        }

    @property
    def _schedule(self) -> dict[str, Any]:
        if self.race is None:
            return {"type": "pairs", "pairs": [list(pair) for pair in self.pairings]}
        names = list(dict.fromkeys(name for pair in self.pairings for name in pair))
        found = self.race.model_dump(exclude_none=True)
        if self.race.reference is not None:
            del found["keep"]
        return {"type": "race", "only": names, **found}

    @property
    def config_sha256(self) -> str:
        """The hash of the resolved configuration: equal for equal experiments."""
        text = json.dumps(self.resolved, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def _written(entrant: Entrant) -> dict[str, Any]:
    """An entrant as a configuration file says it."""
    if entrant.team:
        return {"team": list(entrant.team)}
    if len(entrant.members) > 1:  # a team made by hand: its members have no names
        return {"team": [_agent(member) for member in entrant.members]}
    return _agent(entrant.members[0])


def _agent(spec: AgentSpec) -> dict[str, Any]:
    written = spec.written
    if spec.limits is not None:
        written["limits"] = plain(spec.limits)
    if spec.isolate:
        written["isolate"] = spec.isolate
    if spec.twin > 1:
        written["twin"] = spec.twin
    if spec.source is not None:
        source = plain(spec.source)
        written["source"] = {key: value for key, value in source.items() if value is not None}
    return written

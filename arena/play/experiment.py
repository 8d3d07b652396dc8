"""What an experiment is, once everything about it is known.

A configuration file is read into an `Experiment`; a notebook may make one by
hand. It is plain data: agents are named by family and parameters and built
where they play.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal

from arena.agent import Bidder, Player
from arena.deals import Deal
from arena.errors import ArenaError, did_you_mean
from arena.model_file import ModelFile
from arena.registry import AGENTS, BIDDERS
from arena.rules import MatchFormat, Rules

__all__ = ["AgentSpec", "BidderSpec", "Entrant", "Experiment", "plain"]


@dataclass(frozen=True)
class BidderSpec:
    """A bidder by its family and its parameters."""

    family: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def build(self) -> Bidder:
        """The bidder itself."""
        bidder: Bidder = BIDDERS.get(self.family)(**self.parameters)
        return bidder


@dataclass(frozen=True)
class AgentSpec:
    """An agent by its family and its parameters, and the bidder that bids for it, if any."""

    family: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Validated, with the defaults filled in."""
    bidder: BidderSpec | None = None

    def build(self) -> Player:
        """The agent itself, ready to be seated."""
        cards = AGENTS.get(self.family)(**self.parameters)
        return Player(cards, self.bidder.build() if self.bidder else None)


@dataclass(frozen=True)
class Entrant:
    """Who takes part: one agent in all seats of its side, or a team of two different ones.

    The first member of a team takes the entrant's first seat in the order N E S W,
    the second member the other one.
    """

    name: str
    members: tuple[AgentSpec, ...]


@dataclass(frozen=True)
class Experiment:
    """Everything that decides the results."""

    name: str
    rules: Rules
    deals: tuple[Deal, ...]
    deal_set: str
    deals_sha256: str
    entrants: tuple[Entrant, ...]
    pairings: tuple[tuple[str, str], ...]
    """Names of entrants that play each other."""
    placements: Literal["all", "alternating"] = "all"
    """Where everybody plays for himself: all ways to share the seats, or every other seat."""
    match: MatchFormat | None = None
    """Whole matches instead of single rounds."""
    seed: int = 0
    on_fault: Literal["stop", "forfeit"] = "stop"
    """Whether an agent's fault ends the run or costs it the deal."""
    decision_limit_s: float | None = None
    """An agent that thinks longer is at fault."""
    resolved: Mapping[str, Any] = field(default_factory=dict)
    """The whole experiment as plain data, as YAML and JSON can hold it."""

    def entrant(self, name: str) -> Entrant:
        """The entrant of this name."""
        for entrant in self.entrants:
            if entrant.name == name:
                return entrant
        near = did_you_mean(name, [entrant.name for entrant in self.entrants])
        raise ArenaError(f"no entrant is called {name!r}; {near}")

    @property
    def config_sha256(self) -> str:
        """The hash of the resolved configuration: equal for equal experiments."""
        text = json.dumps(self.resolved, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def plain(value: Any) -> Any:
    """A value as YAML and JSON can hold it."""
    if isinstance(value, ModelFile):
        return value.plain()
    if is_dataclass(value) and not isinstance(value, type):
        # One of several kinds also says which (see `arena.agent.parameter`).
        kind = getattr(value, "kind", None)
        tag = {"kind": kind} if isinstance(kind, str) else {}
        return tag | {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return str(value) if isinstance(value, Path) else value

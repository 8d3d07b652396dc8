"""Who takes part, as plain data, and the one way in which agents are built from it.

An experiment and a stored run name their agents in the same words: a family, its
parameters as YAML and JSON can hold them, and a bidder. `AgentSpec.build` turns them
into players, wherever they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from arena.agent import Player
from arena.errors import ArenaError
from arena.parameters import plain, read_values
from arena.registry import AGENTS, BIDDERS

__all__ = ["AgentSpec", "BidderSpec", "Builder", "Entrant"]


@dataclass(frozen=True)
class BidderSpec:
    """A bidder by its family and its parameters."""

    family: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", plain(self.parameters))


@dataclass(frozen=True)
class AgentSpec:
    """An agent by its family and its parameters, and the bidder that bids for it, if any."""

    family: str
    parameters: dict[str, Any] = field(default_factory=dict)
    """As YAML and JSON can hold them; those left out have their defaults."""
    bidder: BidderSpec | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", plain(self.parameters))

    def build(self) -> Player:
        """The agent itself, ready to be seated."""
        return Builder.of(self).build()


@dataclass(frozen=True)
class Entrant:
    """Who takes part: one agent in all seats of its side, or a team of two different ones.

    The first member of a team takes the entrant's first seat in the order N E S W,
    the second member the other one.
    """

    name: str
    members: tuple[AgentSpec, ...]
    team: tuple[str, ...] = ()
    """The names that the members of a team have in the experiment."""


@dataclass(frozen=True)
class Builder:
    """How to make an agent. Families travel by reference, so workers need no registry of ours."""

    name: str
    """Of the family, for errors."""
    family: Callable[..., Any]
    parameters: Mapping[str, Any]
    bidder_family: Callable[..., Any] | None
    bidder_parameters: Mapping[str, Any]

    @classmethod
    def of(cls, spec: AgentSpec) -> Builder:
        """The builder of a specified agent; unknown families and bad parameters are refused."""
        family, bidder = AGENTS.get(spec.family), spec.bidder
        bids = BIDDERS.get(bidder.family) if bidder else None
        return cls(
            spec.family,
            family,
            read_values(family, spec.parameters, f"agent family {spec.family!r}"),
            bids,
            read_values(bids, bidder.parameters, f"bidder {bidder.family!r}")
            if bids and bidder
            else {},
        )

    def build(self) -> Player:
        """The agent."""
        bids = self.bidder_family
        try:
            # Copies: a list among the parameters must not be a way to talk to one's partner.
            bidder = bids(**deepcopy(dict(self.bidder_parameters))) if bids else None
            return Player(self.family(**deepcopy(dict(self.parameters))), bidder)
        except (ArenaError, ValueError):  # parameters that do not go together, in its own words
            raise
        except Exception as error:  # whatever a plug-in does wrong
            what = " ".join(f"{type(error).__name__}: {error}".split())
            raise ArenaError(f"agent family {self.name!r} cannot be built: {what}") from error

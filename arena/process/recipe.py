"""How to make an agent, as it is sent to the process in which it plays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.core.agent import Player


@dataclass(frozen=True)
class AgentRecipe:
    """Families, which travel by reference, and what to call them with."""

    family: Callable[..., Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    bidder_family: Callable[..., Any] | None = None
    bidder_parameters: Mapping[str, Any] = field(default_factory=dict)

    def build(self) -> Player:
        """The agent."""
        family = self.bidder_family
        bidder = family(**self.bidder_parameters) if family else None
        return Player(self.family(**self.parameters), bidder)

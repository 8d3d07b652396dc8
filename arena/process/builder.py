"""How to make an agent, as it is sent to workers and to processes in which agents play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.core.agent import Player
from arena.core.errors import ArenaError, error_words


@dataclass(frozen=True)
class Builder:
    """A family and what to call it with. Families travel by reference: no registry is needed."""

    name: str
    """Of the family, for errors."""
    family: Callable[..., Any]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    bidder_family: Callable[..., Any] | None = None
    bidder_parameters: Mapping[str, Any] = field(default_factory=dict)
    twin: int = 1

    @property
    def asks_server(self) -> bool:
        """Whether a server decides for the agent."""
        return bool(getattr(self.family, "asks_server", False))

    def build(self) -> Player:
        """Build the agent."""
        bids = self.bidder_family
        try:
            # Copies: a list among the parameters must not be a way to talk to one's partner.
            bidder = bids(**_copied(self.bidder_parameters)) if bids else None
            return Player(self.family(**_copied(self.parameters)), bidder)
        except (ArenaError, ValueError):  # parameters that do not go together, in its own words
            raise
        except Exception as error:  # whatever a plug-in does wrong
            what = error_words(error)
            raise ArenaError(f"agent family {self.name!r} cannot be built: {what}") from error


def _copied(value: Any) -> Any:
    """A copy with lists and mappings of its own; other values do not change."""
    if isinstance(value, Mapping):
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list) else value

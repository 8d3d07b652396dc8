"""Facts about the results besides strength: the run, its agents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arena.analysis.estimates import Estimate
from arena.store.thinking import Thinking


@dataclass(frozen=True)
class RunPart:
    """The run: its game, its size, and how far it is."""

    name: str
    description: str | None
    game: str
    options: dict[str, Any]
    unit: str
    """The unit of replication: `deal` or `match`; for other results, the name of the column."""
    units: str
    single: str
    """One seating of a unit: `round` or `match`."""
    singles: str
    higher_wins: bool
    """Whether more points are better."""
    bonus: str
    """The game's word for its bonus."""
    indifferent: float | None
    """Points per unit that do not matter, if the experiment says so."""
    units_per_pair: int
    seatings: int
    """In how many seatings each unit is played; 0 if results from elsewhere do not say."""
    seeds_per_deal: int
    """How often each seating is played, with other random numbers each time."""
    agents: int
    pairs: int
    complete: bool
    units_stored: int
    units_wanted: int


@dataclass(frozen=True)
class AgentFacts:
    """Facts of a run about an agent itself."""

    seconds: Thinking = field(default_factory=lambda: Thinking(0, 0.0, 0.0, 0.0, 0.0, 0.0))
    """Time per decision, by the clock and in CPU time."""
    faults: int = 0
    sees_all_cards: bool = False
    reproducible: bool = True
    """Whether the same seed gives the same results."""
    own_process: bool = False
    """Whether it (or a member of the team) played in a process of its own, not as trusted code."""
    members: list[dict[str, Any]] = field(default_factory=list)
    with_others: Estimate | None = None
    """In cross-play: its mean margin with partners other than itself; None otherwise."""

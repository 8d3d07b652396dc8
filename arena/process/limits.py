"""Limits of time, memory and network for an agent."""

from __future__ import annotations

from dataclasses import dataclass

from arena.core.agent import parameter


@dataclass(frozen=True)
class Limits:
    """Limits of an agent, which plays in a process of its own, so that it can be stopped."""

    seconds_per_decision: float | None = parameter(None, help="for a bid or a card", at_least=0.001)
    seconds_per_deal: float | None = parameter(
        None, help="for all decisions of a deal together", at_least=0.001
    )
    memory_mb: int | None = parameter(
        None, help="resident memory of the process and all that it starts", at_least=16
    )
    network: bool = parameter(False, help="whether it may use the network from a sandbox")

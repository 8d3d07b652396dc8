"""What an agent may use before it is stopped."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """What an agent may use; it plays in a process of its own, so that it can be stopped."""

    seconds_per_decision: float | None = None
    """For one bid or card."""
    seconds_per_deal: float | None = None
    """For all decisions of a deal together."""
    memory_mb: int | None = None
    """Resident memory of the process and of all that it starts (on Linux)."""

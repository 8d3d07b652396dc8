"""Time budgets of searches."""

from __future__ import annotations

from dataclasses import dataclass

from arena.core.agent import parameter


@dataclass(frozen=True)
class Budget:
    """The time budget of a decision."""

    milliseconds: float = parameter(help="time per decision", at_least=0.01)

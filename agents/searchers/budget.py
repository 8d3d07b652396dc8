"""How long to think."""

from __future__ import annotations

from dataclasses import dataclass

from arena.core.agent import parameter


@dataclass(frozen=True)
class Budget:
    """How long to think about a card."""

    milliseconds: float = parameter(help="time per decision", at_least=0.01)

"""Perfect information Monte Carlo: sampled worlds, solved exactly when few cards are left."""

from __future__ import annotations

from dataclasses import dataclass

from agents.dmcts import Dmcts
from agents.searchers.endings import Endings
from arena.core.agent import parameter


@dataclass(frozen=True, kw_only=True)
class Pimc(Dmcts):
    """Samples worlds and finds the best card of each by alpha-beta; keeps the best mean.

    Source: perfect information Monte Carlo sampling (Ginsberg 2001 for bridge; Long et al.
    2010 on why it works). Before the endings each world is searched by a tree instead, as
    `dmcts` does.
    """

    endings: Endings | None = parameter(
        Endings(), help="the last tricks, solved in sampled worlds instead of searched"
    )

"""Families of agents and bidders with parameters of all kinds, for tests of experiments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from arena.core.agent import parameter
from arena.core.rules import Action, View
from arena.core.seeds import Rng


@dataclass(frozen=True)
class Limit:
    """A nested group of parameters."""

    milliseconds: float = parameter(5.0, help="time per decision", at_least=0)
    nodes: int | None = None


@dataclass(frozen=True)
class Searcher:
    """Has parameters of all kinds."""

    games: ClassVar[tuple[str, ...]] = ("klaverjas",)

    playouts: int = parameter(1000, help="playouts per card", at_least=1, at_most=100_000)
    c: float = parameter(0.5, help="exploration")
    rollout: Literal["random", "semi-random"] = "random"
    worlds: int | Literal["all"] = "all"
    depth: Literal[1, 2] = 1
    limit: Limit | None = None
    weights: tuple[float, ...] = (1.0, 1.2)

    def __post_init__(self) -> None:
        if self.limit is not None and self.playouts > 5000:
            raise ValueError("playouts and limit exclude each other above 5000")

    def act(self, view: View, rng: Rng) -> Action:
        return view.legal[0]


@dataclass(frozen=True)
class Caller:
    """A bidder for the tests."""

    threshold: int = parameter(10, help="points to play on")

    def bid(self, view: View, rng: Rng) -> Action:
        return view.legal[0]

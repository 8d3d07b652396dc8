"""Evaluators of new tree nodes: playouts, or a network.

Kinds of evaluators are frozen dataclasses, found by name as agents are. What compiled code
can do sets the limits: a kind says which dense network it asks (`network`) and what share of
a value comes from it (`mix`), the rest coming from playouts. To add one, also in another
package, write the class and register it:

    [project.entry-points."arena.evaluators"]
    my-judge = "my_package.module:MyJudge"
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from agents.networks.dense_network import Network
from agents.search.network import NO_NETWORK, load_network
from arena.config.model_file import ModelFile
from arena.core.agent import parameter
from arena.core.registry import Registry

EVALUATORS: Registry[Any] = Registry("kind of evaluator", "arena.evaluators")


class Evaluator(Protocol):
    """Evaluates new nodes."""

    @property
    def network(self) -> Network:
        """The network that evaluates."""
        ...

    @property
    def mix(self) -> float:
        """Its share in a value: 0 for playouts alone, 1 for no playouts."""
        ...


@dataclass(frozen=True, slots=True)
class Playouts:
    """The round is played out from there."""

    kind: ClassVar[str] = "rollout"
    network: ClassVar[Network] = NO_NETWORK
    mix: ClassVar[float] = 0.0


@dataclass(frozen=True, slots=True)
class NetworkJudge:
    """A network says by how many points a side will win."""

    kind: ClassVar[str] = "network"

    model: ModelFile = parameter(help="the network")
    mix: float = parameter(
        1.0, help="the network's share in a value, playouts have the rest", at_least=0, at_most=1
    )

    @property
    def network(self) -> Network:
        """The network; `ArenaError` says what is wrong with the model."""
        return load_network(self.model)

    @property
    def model_hash(self) -> str:
        """The hash of the network, for the fingerprint."""
        return self.network.sha256

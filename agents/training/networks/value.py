"""The margin of the round, from recorded rounds: `arena train value RECIPE`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from agents.training.networks.base import HIDDEN_HELP, POINTS
from agents.training.networks.epochs import EpochsRecipe, Task
from agents.training.networks.learner import Floats, Targets, squared_error
from agents.training.networks.positions import PlayoutMargins, Positions
from arena.core.agent import parameter


@dataclass(frozen=True)
class MarginTask(Task):
    """The margin of the round for the side of the seat that looks; the loss is the mean square."""

    def targets(self, positions: Positions) -> dict[str, NDArray[Any]]:
        return {"margin": positions.margins[:, None] / np.float32(POINTS)}

    def loss(self, outputs: Floats, targets: Targets) -> tuple[float, Floats]:
        return squared_error(outputs - targets["margin"])

    def in_units(self, loss: float) -> float:
        return float(POINTS * np.sqrt(loss))


def margin_task(
    encoding: Literal["places", "world"], everyone: bool, playouts: PlayoutMargins | None = None
) -> MarginTask:
    """The task of networks with one output, in points."""
    return MarginTask(encoding, everyone, "points", np.full(1, POINTS, np.float32), playouts)


@dataclass(frozen=True)
class ValueRecipe(EpochsRecipe):
    """Trains a network that judges leaves on recorded rounds.

    Source: the human-data agent of Aaldering 2023, sections 3.3 and 3.5 (`hidden: [1024, 512, 128,
    16]`, `batch: 2048`, `patience: 1`). Differs: the output is linear, as in its program; the
    weights of the best epoch are kept, not those of the one after it; plain suits change places
    in every epoch.
    """

    hidden: tuple[int, ...] = parameter((1024, 512, 128, 16), help=HIDDEN_HELP)
    batch: int = parameter(2048, help="positions of a step of Adam", at_least=1)
    playouts: int = parameter(
        0,
        help="playouts of the policy that give the margin of a position; 0: how the round ended",
        at_least=0,
    )
    encoding: Literal["places", "world"] = parameter(
        "places", help="the inputs of the network: what a seat knows, or all hands"
    )

    def task(self) -> Task:
        """The margin; if the network sees all hands, only for the seat to move."""
        playouts = PlayoutMargins(self.playouts, self.sharpness) if self.playouts else None
        return margin_task(self.encoding, self.encoding == "places", playouts)

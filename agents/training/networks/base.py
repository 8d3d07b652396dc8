"""The base of the recipes and trainings of all networks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.training.curves import sparkline
from agents.training.networks.learner import Learner
from agents.training.trainer import Arrays, Training, TrainingRecipe
from arena.config.recipe import TrainingOrder
from arena.core.errors import ArenaError

POINTS = 100.0
"""Networks learn margins in hundreds of points; models answer in points."""
SEED_HELP = "root of all randomness"
HIDDEN_HELP = "nodes of the hidden layers"
RATE_HELP = "learning rate of Adam"


@dataclass(frozen=True)
class NetworkRecipe(TrainingRecipe):
    """A recipe with `hidden` layers."""

    def __post_init__(self) -> None:
        hidden: tuple[int, ...] = getattr(self, "hidden", ())
        if not hidden or min(hidden) < 1:
            raise ArenaError("hidden: expected numbers of nodes from 1 on")


class NetworkTraining(Training):
    """A training of one learner; its log has the `losses` so far."""

    def __init__(
        self, order: TrainingOrder, total: int, data: dict[str, Any], learner: Learner
    ) -> None:
        super().__init__(order, total, data)
        self.learner = learner
        self.log = {"losses": []}

    def arrays(self) -> Arrays:
        return self.learner.arrays()

    def restore(self, arrays: Arrays) -> None:
        self.learner.restore(arrays)


def shown(step: str, losses: Sequence[float], unit: str) -> str:
    """The part of a progress line that shows how the loss fell.

    >>> shown("epoch 1", [4.0, 3.0], "points")
    'epoch 1  █▁ 3.000 points'
    """
    return f"{step}  {sparkline(losses)} {losses[-1]:.3f} {unit}"


def header_text(header: dict[str, Any]) -> str:
    """The header of a model as its file has it."""
    return json.dumps(header, sort_keys=True)

"""A small network as an agent: it plays the legal card with the highest score.

`train.py` makes the weights: `policy.npz`, next to this file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.core.agent import parameter
from arena.envs import Int8s, PolicyAgent

Floats = NDArray[np.float32]
Weights = dict[str, Floats]


def inputs(observations: Int8s) -> Floats:
    """Observations as the network reads them: most entries are 0 or 1, some count up to 127."""
    return np.minimum(observations, 20).astype(np.float32)


def forward(weights: Weights, x: Floats) -> tuple[Floats, Floats, Floats]:
    """The hidden layer, a score for each action, and the margin that is expected."""
    hidden = np.maximum(x @ weights["w1"] + weights["b1"], 0)
    return hidden, hidden @ weights["w2"] + weights["b2"], hidden @ weights["w3"] + weights["b3"]


@cache
def load(path: Path) -> Weights:
    """The weights of a file."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


@dataclass
class Learned(PolicyAgent):
    """The network that `train.py` has trained."""

    weights: str = parameter("policy.npz", help="the file of weights, next to this one")

    def policy(self, observation: Int8s, mask: Int8s) -> int:
        """The legal action with the highest score."""
        _, scores, _ = forward(load(Path(__file__).parent / self.weights), inputs(observation))
        return int(np.where(mask, scores, -np.inf).argmax())

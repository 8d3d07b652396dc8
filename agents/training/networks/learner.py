"""A network that learns by Adam, in numpy; its whole state is plain arrays.

The same seed and the same batches give the same weights on the same machine, also if the state
was saved and restored in between. Sources: Kingma and Ba 2015 (Adam), He et al. 2015 (how weights
begin).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.networks.dense_network import Network
from agents.training.trainer import Arrays

Floats: TypeAlias = NDArray[np.float32]
Targets: TypeAlias = Mapping[str, NDArray[Any]]
Loss: TypeAlias = Callable[[Floats, Targets], tuple[float, Floats]]
"""From outputs and targets to a mean loss and its derivative by the outputs."""

_KEPT_FIRST, _KEPT_SECOND, _LEAST = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
_STATE = ("weights", "first", "second", "average")


def squared_error(off: Floats) -> tuple[float, Floats]:
    """The mean square of errors, and its derivative."""
    return float(np.mean(off**2)), off * np.float32(2.0 / off.size)


class Learner:
    """A dense network with rectified hidden layers, trained by Adam."""

    def __init__(
        self,
        sizes: Sequence[int],
        loss: Loss,
        learning_rate: float,
        seed: int,
        average: float | None = None,
    ) -> None:
        """With `average`, the network is a running average of the weights: each step keeps this
        share of the old average, less of it in the first steps."""
        self._loss, self._rate, self._kept, self._steps = loss, learning_rate, average, 0
        self.sizes = np.array(sizes, dtype=np.int64)
        """Of the layers, inputs first."""
        size = sum((into + 1) * out for into, out in pairwise(sizes))
        # All layers in one array, as a `Network` has them; `_layers` are views of it.
        self._weights, self._gradient = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self._first, self._second = np.zeros(size, np.float32), np.zeros(size, np.float32)
        self._layers, self._slopes = self._views(self._weights), self._views(self._gradient)
        rng = np.random.default_rng(seed)
        for number, (matrix, _) in enumerate(self._layers):
            into = matrix.shape[1]
            bound = into**-0.5 if number == len(self._layers) - 1 else (6.0 / into) ** 0.5
            matrix[:] = rng.uniform(-bound, bound, matrix.shape)
        self._average = self._weights.copy()

    def _views(self, weights: Floats) -> list[tuple[Floats, Floats]]:
        return list(Network(self.sizes, weights).matrices())

    def ignore(self, inputs: NDArray[np.bool_]) -> None:
        """Set the weights of inputs that never occur to 0, where they stay."""
        self._layers[0][0][:, inputs] = 0.0

    def set_learning_rate(self, rate: float) -> None:
        """Set the learning rate of the steps that follow."""
        self._rate = rate

    def step(self, inputs: Floats, targets: Targets) -> float:
        """Learn from a batch; its mean loss before the step."""
        values = self._forward(inputs)
        loss, slope = self._loss(values[-1], targets)
        for number in range(len(self._layers) - 1, -1, -1):
            matrix, biases = self._slopes[number]
            np.matmul(slope.T, values[number], out=matrix)
            slope.sum(axis=0, out=biases)
            if number:
                slope = slope @ self._layers[number][0]
                slope[values[number] <= 0.0] = 0.0
        self._adam()
        return loss

    def _adam(self) -> None:
        self._steps += 1
        gradient, first, second = self._gradient, self._first, self._second
        first += (1 - _KEPT_FIRST) * (gradient - first)
        second += (1 - _KEPT_SECOND) * (gradient * gradient - second)
        unbiased = np.sqrt(second) / np.float32((1.0 - float(_KEPT_SECOND) ** self._steps) ** 0.5)
        rate = np.float32(self._rate / (1.0 - float(_KEPT_FIRST) ** self._steps))
        self._weights -= rate * first / (unbiased + _LEAST)
        if self._kept is not None:
            share = 1.0 - min(self._kept, self._steps / (self._steps + 10.0))
            self._average += np.float32(share) * (self._weights - self._average)

    def loss(self, inputs: Floats, targets: Targets) -> float:
        """The mean loss of a batch, without learning from it."""
        return self._loss(self.outputs(inputs), targets)[0]

    def outputs(self, inputs: Floats) -> Floats:
        """The outputs, before they are scaled."""
        return self._forward(inputs)[-1]

    def _forward(self, inputs: Floats) -> list[Floats]:
        """The inputs and the values of each layer."""
        values = [inputs]
        for number, (matrix, biases) in enumerate(self._layers):
            found = values[-1] @ matrix.T + biases
            if number < len(self._layers) - 1:
                np.maximum(found, 0.0, out=found)
            values.append(found)
        return values

    def network(self, encoding: str, scale: Floats) -> Network:
        """The network for play; each output is multiplied by its `scale`."""
        weights = (self._weights if self._kept is None else self._average).copy()
        last, biases = self._views(weights)[-1]
        last *= scale[:, None]
        biases *= scale
        return Network(self.sizes, weights, encoding)

    def become(self, network: Network) -> None:
        """Take over the weights of a network with the same layers."""
        self._weights[:] = network.weights

    def arrays(self) -> Arrays:
        """The whole state: weights, their average and the moments of Adam."""
        return {
            "steps": np.array(self._steps),
            **{name: getattr(self, f"_{name}").copy() for name in _STATE},
        }

    def restore(self, arrays: Targets) -> None:
        """Go back to the state that `arrays` gave."""
        self._steps = int(arrays["steps"])
        for name in _STATE:
            getattr(self, f"_{name}")[:] = arrays[name]

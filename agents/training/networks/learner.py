"""A network that learns with torch; its whole state is plain arrays.

The same seed and the same batches give the same weights on the same machine, also if the state
was saved and restored in between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.networks.dense_network import Network
from agents.training.trainer import Arrays
from arena.core.errors import ArenaError

Loss = Callable[[Any, Any], Any]
"""From outputs and targets, a tensor by name, to a mean loss."""


def need_torch() -> Any:
    """Import torch; `ArenaError` says how to install it."""
    try:
        import torch
    except ImportError as error:
        raise ArenaError(
            "training networks needs torch: pip install 'arena-tricks[train]'"
        ) from error
    return torch


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
        self._torch = torch = need_torch()
        torch.set_num_threads(1)  # sums depend on how many there are
        torch.use_deterministic_algorithms(True)
        self._loss = loss
        self.sizes = tuple(sizes)
        """Of the layers, inputs first."""
        generator = torch.Generator().manual_seed(seed)
        self._layers: list[Any] = []
        for into, out in pairwise(sizes):
            layer = torch.nn.Linear(into, out)
            bound = (6.0 / into) ** 0.5 if len(self._layers) < len(sizes) - 2 else into**-0.5
            with torch.no_grad():
                layer.weight.uniform_(-bound, bound, generator=generator)
                layer.bias.zero_()
            self._layers.append(layer)
        self._parameters = [each for layer in self._layers for each in (layer.weight, layer.bias)]
        # Not the fused one: it is not the same on every machine.
        self._adam = torch.optim.Adam(self._parameters, lr=learning_rate, foreach=False)
        self._kept, self._steps = average, 0
        self._averages = [] if average is None else [x.detach().clone() for x in self._parameters]

    def ignore(self, inputs: NDArray[np.bool_]) -> None:
        """Set the weights of inputs that never occur to 0, where they stay."""
        with self._torch.no_grad():
            self._layers[0].weight[:, self._torch.from_numpy(inputs)] = 0.0

    def set_learning_rate(self, rate: float) -> None:
        """Set the learning rate of the steps that follow."""
        for group in self._adam.param_groups:
            group["lr"] = rate

    def step(self, inputs: NDArray[np.float32], targets: Mapping[str, NDArray[Any]]) -> float:
        """Learn from a batch; its mean loss before the step."""
        self._adam.zero_grad()
        loss = self._of(inputs, targets)
        loss.backward()
        self._adam.step()
        self._average()
        return float(loss.item())

    def _average(self) -> None:
        if self._kept is None:
            return
        self._steps += 1
        share = 1.0 - min(self._kept, self._steps / (self._steps + 10.0))
        with self._torch.no_grad():
            for average, parameter in zip(self._averages, self._parameters, strict=True):
                average.lerp_(parameter, share)

    def loss(self, inputs: NDArray[np.float32], targets: Mapping[str, NDArray[Any]]) -> float:
        """The mean loss of a batch, without learning from it."""
        with self._torch.no_grad():
            return float(self._of(inputs, targets).item())

    def outputs(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """The outputs that torch computes."""
        with self._torch.no_grad():
            answer: NDArray[np.float32] = self._forward(inputs).numpy()
        return answer

    def _of(self, inputs: NDArray[np.float32], targets: Mapping[str, NDArray[Any]]) -> Any:
        tensors = {name: self._torch.from_numpy(array) for name, array in targets.items()}
        return self._loss(self._forward(inputs), tensors)

    def _forward(self, inputs: NDArray[np.float32]) -> Any:
        values = self._torch.from_numpy(inputs)
        for layer in self._layers[:-1]:
            values = self._torch.relu(layer(values))
        return self._layers[-1](values)

    def network(self, encoding: str, scale: NDArray[np.float32]) -> Network:
        """The network for play; each output is multiplied by its `scale`."""
        parameters = self._averages or self._parameters
        parts = [each.detach().numpy().reshape(-1) for each in parameters[:-2]]
        last, biases = (each.detach().numpy() for each in parameters[-2:])
        parts += [(last * scale[:, None]).reshape(-1), biases * scale]
        weights = np.concatenate(parts).astype(np.float32)
        return Network(np.array(self.sizes, dtype=np.int64), weights, encoding)

    def become(self, network: Network) -> None:
        """Take over the weights of a network with the same layers."""
        with self._torch.no_grad():
            for layer, (matrix, biases) in zip(self._layers, network.matrices(), strict=True):
                layer.weight.copy_(self._torch.from_numpy(matrix.copy()))
                layer.bias.copy_(self._torch.from_numpy(biases.copy()))

    def arrays(self) -> Arrays:
        """The whole state: weights, averages and the moments of Adam."""
        found: Arrays = {
            f"average_{i}": each.numpy().copy() for i, each in enumerate(self._averages)
        }
        if self._averages:
            found["steps"] = np.array(self._steps)
        for i, parameter in enumerate(self._parameters):
            found[f"weights_{i}"] = parameter.detach().numpy().copy()
            for name, value in self._adam.state.get(parameter, {}).items():
                found[f"adam_{i}_{name}"] = np.asarray(value)
        return found

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go back to the state that `arrays` gave."""
        torch = self._torch
        with torch.no_grad():
            for i, average in enumerate(self._averages):
                average.copy_(torch.from_numpy(arrays[f"average_{i}"]))
                self._steps = int(arrays["steps"])
            for i, parameter in enumerate(self._parameters):
                parameter.copy_(torch.from_numpy(arrays[f"weights_{i}"]))
                prefix = f"adam_{i}_"
                state = {
                    name.removeprefix(prefix): torch.from_numpy(np.array(array))
                    for name, array in arrays.items()
                    if name.startswith(prefix)
                }
                if state:
                    self._adam.state[parameter] = state

"""Networks on one core, for `arena bench network`.

| key | figure | aimed at |
|---|---|---|
| `network_published_ms` | 200 simulations judged by 299-1024-512-128-16-1 | ≤ 10 |
| `network_selfplay_ms` | the same layers after self-play; most of its nodes rest | ≤ 10 |
| `network_small_ms` | 200 simulations judged by 299-128-32-1 | ≤ 1 |
| `network_world_ms` | 200 simulations judged by 581-128-32-1, which is shown all hands | ≤ 1 |
| `network_published_us`, `..._selfplay_us`, `..._small_us`, `..._world_us` | one leaf of these | |
| `network_small_anew_us` | the same if the sums of the first layer are made anew | |
| `network_largest_difference` | to the outputs in numpy, in hundreds of points | ≤ 0.0001 |

Simulations are those of a decision of `ismcts` after two tricks of a random round. The weights are
those of the bundled networks (`agents/models/`); random ones, where there is none, take longer,
because more nodes are active. Times are those of the thread, the best of some.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from agents.ismcts import Ismcts
from agents.networks.dense_network import Network, forward
from agents.networks.encodings import MODES, WORLD
from agents.random_ import Random
from agents.search.network import (
    Judge,
    expected_margin,
    follow,
    judge_of,
    load_network,
    set_out,
)
from agents.training.networks.base import POINTS
from agents.training.networks.learner import Learner
from agents.training.networks.positions import positions_of
from agents.training.rounds import play_rounds
from arena.config.model_file import ModelFile
from arena.core.errors import ArenaError
from arena.core.rules import View
from arena.core.seeds import Rng, rng_for
from arena.games.kernel.jit import compiled
from arena.games.kernel.layout import Words
from arena.games.kernel.spec import kernel_game
from arena.games.klaverjas import Klaverjas
from arena.games.observation import observe
from arena.measure.bench import fastest

_REPEATS = 20
_SIMULATIONS = 200
_LEAVES = 2000
_PUBLISHED = (299, 1024, 512, 128, 16, 1)
_NETWORKS = {
    "published": ("value-klaverjas-published", _PUBLISHED),
    "selfplay": ("selfplay-klaverjas", _PUBLISHED),
    "small": ("value-klaverjas", (299, 128, 32, 1)),
    "world": ("value-klaverjas-world", (WORLD + MODES, 128, 32, 1)),
}


@dataclass(frozen=True, slots=True)
class _FixedJudge:
    """An evaluator with a network of its own."""

    network: Network
    mix: float = 1.0


class NetworkBench:
    """`arena bench network`."""

    def measure(self, repeats: int = _REPEATS) -> dict[str, float]:
        """All figures."""
        view = _position()
        game = kernel_game(view.rules, view.trump)
        observed = observe(game, view)
        root = observed.state
        decisions, leaves = {}, {}
        for name, (model, sizes) in _NETWORKS.items():
            network = _network(model, sizes)
            agent = Ismcts(simulations=_SIMULATIONS, evaluator=_FixedJudge(network))
            decisions[f"network_{name}_ms"] = _decision_ms(agent, view, repeats)
            judge = judge_of(network, observed)
            card = np.uint64(1 << game.bits[view.legal[0]])
            leaves[f"network_{name}_us"] = _leaf_us(root, game.words, judge, card, repeats)
            if name == "small":
                anew = judge._replace(before=np.zeros_like(judge.before), sums=_biases(network))
                leaves["network_small_anew_us"] = _leaf_us(root, game.words, anew, card, repeats)
        return decisions | leaves | {"network_largest_difference": _difference()}


def _network(model: str, sizes: tuple[int, ...]) -> Network:
    """The trained network of a name, or a random one of the same layers."""
    try:
        found = load_network(ModelFile.find(model))
        if tuple(found.sizes.tolist()) == sizes:
            return found
    except ArenaError:
        pass
    rng = np.random.default_rng(1)
    parts = []
    for into, out in pairwise(sizes):
        parts += [rng.normal(scale=(2 / into) ** 0.5, size=into * out), np.zeros(out)]
    weights = np.concatenate(parts).astype(np.float32)
    return Network(np.array(sizes, dtype=np.int64), weights)


def _biases(network: Network) -> NDArray[np.float32]:
    return next(iter(network.matrices()))[1].copy()


def _position() -> View:
    rules = Klaverjas()
    rng = rng_for(1, "bench", "network")
    state = rules.start(rules.random_deal(rng, 0))
    while len(state.tricks) < 2:
        rules.apply(state, rng.choice(state.legal))
    assert state.turn is not None  # six tricks are left
    return rules.view(state, state.turn)


def _decision_ms(agent: Ismcts, view: View, repeats: int) -> float:
    return 1e3 * fastest(lambda seed: agent.act(view, Rng(seed)), repeats)


def _leaf_us(root: Words, game: Words, judge: Judge, card: np.uint64, repeats: int) -> float:
    seconds = fastest(lambda _: _judge_leaves(root, game, judge, card, _LEAVES), repeats)
    return 1e6 * seconds / _LEAVES


@compiled
def _judge_leaves(root: Words, game: Words, judge: Judge, card: np.uint64, count: int) -> float:
    set_out(judge)
    follow(judge, card)
    total = 0.0
    for _ in range(count):
        total += expected_margin(root, game, judge)
    return total


def _difference() -> float:
    """The largest difference to numpy over the positions of some rounds, of all networks."""
    rounds = play_rounds(Klaverjas(), [Random()], 1, range(20))
    largest = 0.0
    for name, (model, sizes) in _NETWORKS.items():
        network = _network(model, sizes)
        inputs = positions_of(rounds, "world" if name == "world" else "places", False).inputs
        learner = Learner(sizes, lambda outputs, targets: (0.0, outputs), 0.0, 1)
        learner.become(network)
        theirs = learner.outputs(inputs)[:, 0]
        ours = [float(forward(network.layers, row)[0]) for row in inputs]
        largest = max(largest, float(np.max(np.abs(theirs - ours))))
    return largest / POINTS

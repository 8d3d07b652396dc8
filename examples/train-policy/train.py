"""Train a small network by self-play, with numpy alone: an actor-critic on many tables at once.

All seats play by the same network. After each batch of rounds, every card that was played becomes
more likely if its side did better than the network expected, else less likely (Williams 1992,
REINFORCE with a baseline).

    python train.py [--minutes 3] [--tables 512] [--seed 1]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from learned import Floats, Weights, forward, inputs

from arena.envs import Int8s, Tables

HIDDEN = 96
RATE = 0.002
ENTROPY = 0.01
SCALE = 100.0
"""Margins are learnt in hundreds of points."""


def new_weights(size: int, actions: int, rng: np.random.Generator) -> Weights:
    def normal(*shape: int) -> Floats:
        return (rng.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)

    return {
        "w1": normal(size, HIDDEN), "b1": np.zeros(HIDDEN, np.float32),
        "w2": normal(HIDDEN, actions) / 10, "b2": np.zeros(actions, np.float32),
        "w3": normal(HIDDEN, 1) / 10, "b3": np.zeros(1, np.float32),
    }  # fmt: skip


def probabilities(scores: Floats, mask: Int8s) -> Floats:
    masked = np.where(mask, scores, -np.inf)
    odds = np.exp(masked - masked.max(1, keepdims=True))
    return np.asarray(odds / odds.sum(1, keepdims=True), np.float32)


class Batch:
    """One round at each table, played by the network: a row for each decision."""

    def __init__(self, tables: Tables, weights: Weights, rng: np.random.Generator) -> None:
        step = tables.reset()
        rows = []
        while True:
            observation, mask = step.observation.copy(), step.action_mask.copy()
            _, scores, _ = forward(weights, inputs(observation))
            chances = probabilities(scores, mask).cumsum(1)
            draw = rng.random((len(chances), 1), np.float32) * chances[:, -1:]
            actions = (chances > draw).argmax(1)
            rows.append((observation, mask, actions, step.seat.copy()))
            step = tables.step(actions)
            if step.done.all():
                break
        self.observation, self.mask, self.action, seat = map(
            np.concatenate, zip(*rows, strict=True)
        )
        table = np.tile(np.arange(len(step.done)), len(rows))
        self.margin = step.rewards[table, seat] / SCALE


def gradients(weights: Weights, x: Floats, batch: Batch, rows: np.ndarray) -> Weights:
    """Of the loss: the policy's, the squared error of what was expected, less some entropy."""
    count = len(rows)
    hidden, scores, value = forward(weights, x)
    chance = probabilities(scores, batch.mask[rows])
    advantage = batch.margin[rows] - value[:, 0]
    logs = np.log(np.maximum(chance, 1e-8))
    entropy = -(chance * logs).sum(1, keepdims=True)
    d_scores = chance * advantage[:, None] + ENTROPY * chance * (logs + entropy)
    d_scores[np.arange(count), batch.action[rows]] -= advantage
    d_scores /= count
    d_value = -advantage[:, None] / count
    d_hidden = (d_scores @ weights["w2"].T + d_value @ weights["w3"].T) * (hidden > 0)
    return {
        "w1": x.T @ d_hidden, "b1": d_hidden.sum(0),
        "w2": hidden.T @ d_scores, "b2": d_scores.sum(0),
        "w3": hidden.T @ d_value, "b3": d_value.sum(0),
    }  # fmt: skip


class Adam:
    """Kingma and Ba 2015, with the usual constants."""

    def __init__(self, weights: Weights) -> None:
        self._mean = {name: np.zeros_like(w) for name, w in weights.items()}
        self._square = {name: np.zeros_like(w) for name, w in weights.items()}
        self._steps = 0

    def step(self, weights: Weights, slopes: Weights) -> None:
        self._steps += 1
        for name, slope in slopes.items():
            self._mean[name] += 0.1 * (slope - self._mean[name])
            self._square[name] += 0.001 * (slope * slope - self._square[name])
            mean = self._mean[name] / (1 - 0.9**self._steps)
            square = self._square[name] / (1 - 0.999**self._steps)
            weights[name] -= RATE * mean / (np.sqrt(square) + 1e-8)


def train(game: str, tables: int, seconds: float, seed: int, out: Path) -> int:
    """Train for so many CPU seconds, at least one batch; how many batches it were."""
    rng = np.random.default_rng(seed)
    table_rows = Tables(game, tables, seed=seed)
    first = table_rows.reset()
    weights = new_weights(first.observation.shape[1], first.action_mask.shape[1], rng)
    adam, batches, began = Adam(weights), 0, time.process_time()
    while not batches or time.process_time() - began < seconds:
        batch = Batch(table_rows, weights, rng)
        order = rng.permutation(len(batch.action))
        for rows in np.array_split(order, max(1, len(order) // 4096)):
            adam.step(weights, gradients(weights, inputs(batch.observation[rows]), batch, rows))
        batches += 1
    np.savez(out, **weights)  # type: ignore[arg-type]
    return batches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="klaverjas")
    parser.add_argument("--minutes", type=float, default=3.0, help="of CPU time")
    parser.add_argument("--tables", type=int, default=512)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "policy.npz")
    args = parser.parse_args()
    batches = train(args.game, args.tables, 60 * args.minutes, args.seed, args.out)
    print(f"{args.out}: {batches} batches of {args.tables} rounds")


if __name__ == "__main__":
    main()

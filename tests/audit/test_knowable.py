"""Losses as far as could be known: what noise may not do."""

from __future__ import annotations

import numpy as np

from arena.audit.knowable import loss_of
from arena.audit.rounds import BEYOND_CHANCE


def test_a_loss_is_the_difference_of_means_where_the_best_card_is_clear() -> None:
    values = np.array([[10.0, 30.0], [12.0, 28.0], [8.0, 32.0], [10.0, 30.0]])
    loss, se = loss_of(values, 0)
    assert loss == 20.0
    assert np.isclose(se, np.std([20, 16, 24, 20], ddof=1) / 2)
    assert loss_of(values, 1) == (0.0, 0.0)


def test_luck_of_the_draw_costs_nobody_points() -> None:
    rng = np.random.default_rng(1)
    losses = [loss_of(rng.normal(0, 30, (32, 6)), 0) for _ in range(2000)]
    mean = np.mean([loss for loss, _ in losses])
    naive = np.mean([np.max(np.mean(rng.normal(0, 30, (32, 6)), axis=0)) for _ in range(500)])
    assert naive > 5
    assert mean < 0.5
    beyond = np.mean([loss > BEYOND_CHANCE * se > 0 for loss, se in losses])
    assert beyond < 0.01


def test_a_true_loss_is_found_on_average_and_within_its_error() -> None:
    rng = np.random.default_rng(2)
    found = []
    for _ in range(2000):
        values = rng.normal(0, 30, (64, 3)) + np.array([0.0, 25.0, 5.0])
        found.append(loss_of(values, 0))
    losses = np.array([loss for loss, _ in found])
    errors = np.array([se for _, se in found])
    assert abs(losses.mean() - 25) < 0.6
    covered = np.abs(losses - 25) < 1.96 * errors
    assert 0.92 < covered.mean() < 0.97

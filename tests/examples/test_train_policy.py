"""The example that trains a network and enters it into a tournament, for one batch."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers.commands import arena_main
from helpers.paths import ROOT

import arena


def test_a_trained_network_plays_in_a_tournament(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in (ROOT / "examples" / "train-policy").iterdir():
        if file.suffix in (".py", ".yaml"):
            shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    import learned
    import train

    weights = tmp_path / "policy.npz"
    assert train.train("klaverjas", 64, 0.0, 1, weights) == 1
    first = weights.read_bytes()
    assert train.train("klaverjas", 64, 0.0, 2, weights) == 1
    assert weights.read_bytes() != first
    assert arena.play("klaverjas", [learned.Learned(), "rule"] * 2).fault is None
    config, out = tmp_path / "experiment.yaml", tmp_path / "out"
    tiny = ["--set", "deals.limit=4", "--no-report", "--quiet", "--out", str(out)]
    assert arena_main(["run", str(config), *tiny]).code == 0


def test_the_gradient_is_that_of_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """More likely the card, if its side did better than expected."""
    monkeypatch.syspath_prepend(ROOT / "examples" / "train-policy")
    import numpy as np
    import train

    from arena.envs import Tables

    rng = np.random.default_rng(1)
    tables = Tables("klaverjas", 4)
    first = tables.reset()
    weights = train.new_weights(first.observation.shape[1], first.action_mask.shape[1], rng)
    batch = train.Batch(tables, weights, rng)
    rows = np.arange(5)
    batch.margin[:] = 3.0  # far more than is expected of new weights
    x = train.inputs(batch.observation[rows])

    def chances() -> np.ndarray:
        _, scores, _ = train.forward(weights, x)
        return train.probabilities(scores, batch.mask[rows])[rows, batch.action[rows]]

    before = chances()
    for name, slope in train.gradients(weights, x, batch, rows).items():
        weights[name] -= 0.01 * slope
    after = chances()
    several = batch.mask[rows].sum(1) > 1
    assert several.any() and (after[several] > before[several]).all()

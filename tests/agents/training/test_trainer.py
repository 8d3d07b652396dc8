"""The loop that runs all trainers: tiny models of each kind, stopped, damaged and resumed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from io import BytesIO
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from helpers.paths import DATA

from agents.training.trainer import CheckpointFolder
from arena.cli import main
from arena.cli.commands.train import TRAINERS
from arena.config.model_file import ModelFile

KLAVER_LIVE = DATA / "klaver-live.csv"
RECIPES = {
    "value": "games: [few.csv]\nhidden: [4]\nepochs: 2\nbatch: 256\nstretch: 5\n",
    "seat": "games: [few.csv]\nhidden: [4]\nepochs: 2\nbatch: 256\nstretch: 5\n",
    "selfplay": (
        "hidden: [8]\nsimulations: 4\ncycles: 3\nrounds: 4\nbuffer: 200\nmeasured_every: 2\n"
        "deals: 4\n"
    ),
    "trump": "hidden: [8]\ndeals: 100\nepochs: 3\nbatch: 20\n",
    "forest": (
        f"recording: {KLAVER_LIVE}\nvariant: rotterdam\nfeatures: published\ntarget: card\n"
        "trees: 25\n"
    ),
    "policy": (
        "name: tiny\ngames: [{rounds: 20, name: klaverjas}]\nseed: 1\nmeasured: 2\ndeals: 2\n"
        "types: {rule: {family: rule}, loose: {family: semi-random}}\n"
    ),
    "policy network": (
        "kind: network\nhidden: [8]\ncycles: 3\nfirst: 2\nworlds: 2\ndeals: 4\nkept: 1\nbatch: 32\n"
        "measured: 4\nmeasured_every: 2\nsearch: 10\nrounds: 8\n"
    ),
}
STOPS = {
    "value": [1, 2],
    "seat": [3],
    "selfplay": [2],
    "trump": [1, 3, 4],
    "forest": [2],
    "policy": [1, 5],
    "policy network": [3],
}
"""After which checkpoint to stop: within epochs and between them, within steps and between them."""


def train(folder: Path, kind: str, *options: str, jobs: int = 1) -> int:
    recipe = folder / "recipe.yaml"
    recipe.write_text(RECIPES[kind])
    if "few.csv" in RECIPES[kind] and not (folder / "few.csv").exists():
        deals = ["--game", "klaverjas", "--option", "bidding=given", "--seed", "3", "--count", "12"]
        assert main(["deals", "make", *deals, "--out", str(folder / "few.csv")]) == 0
    command = ["train", kind.partition(" ")[0], str(recipe), "--out", str(folder / "model.npz")]
    if kind.startswith("policy"):  # with workers, which start slowly, only where they are tested
        command += ["--jobs", str(jobs)]
    return main([*command, *options])


def stop_after(monkeypatch: pytest.MonkeyPatch, saves: int) -> None:
    """Interrupt the training once it has saved so many checkpoints."""
    save, saved = CheckpointFolder.save, count(1)

    def stopping(self: CheckpointFolder, name: str, arrays: dict) -> None:
        save(self, name, arrays)
        if next(saved) == saves:
            raise KeyboardInterrupt

    monkeypatch.setattr(CheckpointFolder, "save", stopping)


def test_every_trainer_is_resumed_below() -> None:
    assert {kind.partition(" ")[0] for kind in RECIPES} == set(TRAINERS.names())
    assert STOPS.keys() == RECIPES.keys()


@pytest.mark.parametrize("kind", RECIPES)
def test_a_stopped_training_resumes_to_the_same_bytes(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    assert train(whole, kind) == 0
    assert "resuming" not in capsys.readouterr().out
    for stop in STOPS[kind]:
        folder = tmp_path / str(stop)
        folder.mkdir()
        with monkeypatch.context() as patched:
            stop_after(patched, stop)
            assert train(folder, kind) != 0
        assert not (folder / "model.npz").exists()
        assert train(folder, kind, jobs=2 if stop == STOPS[kind][-1] else 1) == 0
        assert (folder / "model.npz").read_bytes() == (whole / "model.npz").read_bytes()
        assert not list(folder.glob("model-*")), "checkpoints are left"
    assert "resuming at" in capsys.readouterr().out


def test_a_killed_training_resumes_to_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(RECIPES, "trump", "hidden: [8]\ndeals: 100\nepochs: 60\nbatch: 20\n")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for folder in (whole, killed):
        folder.mkdir()
        (folder / "recipe.yaml").write_text(RECIPES["trump"])
    output = killed / "model.npz"
    command = [sys.executable, "-m", "arena", "train", "trump", str(killed / "recipe.yaml")]
    with subprocess.Popen([*command, "--out", str(output)], stdout=subprocess.DEVNULL) as process:
        while not list(killed.glob("model-*/state.npz")) and process.poll() is None:
            time.sleep(0.005)
        process.kill()
    assert process.returncode == -signal.SIGKILL and not output.exists()
    assert train(killed, "trump") == 0
    assert "resuming at epoch " in capsys.readouterr().out
    assert train(whole, "trump") == 0
    assert output.read_bytes() == (whole / "model.npz").read_bytes()


def test_a_damaged_checkpoint_is_reported_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as stopping:
        stop_after(stopping, 1)
        assert train(tmp_path, "forest") == 130
    (state,) = tmp_path.glob("model-*/state.npz")
    other = BytesIO()
    np.savez(other, log=np.array('{"done": 1}'))
    for damaged in (state.read_bytes()[:100], other.getvalue()):
        state.write_bytes(damaged)
        capsys.readouterr()
        assert train(tmp_path, "forest") == 2
        error = capsys.readouterr().err
        assert "a checkpoint that cannot be used" in error and error.count("\n") == 1


def test_a_model_says_how_it_was_made(tmp_path: Path) -> None:
    assert train(tmp_path, "forest", "--set", "trees=3") == 0
    header = json.loads(str(ModelFile.find(str(tmp_path / "model.npz")).arrays()["header"]))
    assert header["recipe"]["trees"] == 3 and header["recipe"]["seed"] == 2022
    assert header["data"]["file"] == "klaver-live.csv" and len(header["data"]["sha256"]) == 64
    assert 0 < header["accuracy_held_out"] < 1

"""`arena bench kernel`: what it prints, and what it says when asked for the impossible."""

from __future__ import annotations

import json

import pytest

from arena.cli import main
from arena.measure.bench import kernel

KEYS = {
    "klaverjas_rounds_per_s",
    "schieber_rounds_per_s",
    "hearts_rounds_per_s",
    "bulk_rounds_per_s",
    "playout_ns",
    "semi_playout_ns",
    "uniform_world_ns",
    "weighted_world_ns",
    "first_use_s",
    "warm_start_s",
}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "_ROUNDS", 128)
    monkeypatch.setattr(kernel, "_REPEATS", 2)
    monkeypatch.setattr(kernel, "_start_times", lambda: {"first_use_s": 9.0, "warm_start_s": 1.0})


@pytest.mark.usefixtures("quick")
def test_json_has_all_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "kernel", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert set(figures) == KEYS
    assert all(value > 0 for value in figures.values())


@pytest.mark.usefixtures("quick")
def test_against_another_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "kernel", "--json", "--against", "echo 1000"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["against_rounds_per_s"] == 1000
    assert figures["klaverjas_against"] == pytest.approx(
        figures["klaverjas_rounds_per_s"] / 1000, rel=0.01
    )
    assert figures["bulk_against"] > 0


@pytest.mark.usefixtures("quick")
def test_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "kernel"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines} == KEYS


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["kernl"], "unknown topic 'kernl'; did you mean 'kernel'?"),
        (["arena", "--against", "echo 1"], "--against goes with the topic kernel only"),
        (["kernel", "--against", "echo fast"], "expected rounds per second, got 'fast'"),
        (["kernel", "--against", "false"], "exit code 1"),
        (["kernel", "--against", "no-such-program-here"], "No such file or directory"),
    ],
)
def test_mistakes_are_reported_in_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *words]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert message in error

"""`arena bench envs` at a tiny size."""

from __future__ import annotations

import json

import pytest

from arena.cli import main
from arena.measure.bench import envs


def test_json_has_all_figures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(envs, "_STEPS", 60)  # longer than a round
    monkeypatch.setattr(envs, "_TABLES", 4)
    monkeypatch.setattr(envs, "_TURNS", 1)
    monkeypatch.setattr(envs, "_is_installed", lambda module: False)
    assert main(["bench", "envs"]) == 0
    assert "pip install rlcard open_spiel" in capsys.readouterr().out
    assert main(["bench", "envs", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    games = ("klaverjas", "schieber", "hearts")
    assert set(figures) == {
        "tables_klaverjas_us",
        *(f"tables_{game}_steps_per_s" for game in games),
        *(f"pettingzoo_{game}_us" for game in games),
    }
    assert all(value > 0 for value in figures.values())


def test_openspiel_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel here: pip install open_spiel")
    step = envs._openspiel("python_team_dominoes").step
    for _ in range(40):  # more than a round
        step()

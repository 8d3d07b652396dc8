"""`arena bench solver` at a tiny size."""

from __future__ import annotations

import json

import pytest

from arena.cli import main
from arena.measure.bench import solver


def test_json_has_all_figures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("_DEALS", 2), ("_SCHIEBER_DEALS", 1), ("_ENDINGS", 3)):
        monkeypatch.setattr(solver, name, value)
    monkeypatch.setattr(solver, "_MOST_NODES", 20_000)
    assert main(["bench", "solver", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert set(figures) == {
        "klaverjas_8_ms",
        "klaverjas_8_p95_ms",
        "klaverjas_5_ms",
        "schieber_9_ms",
        "schieber_6_ms",
        "klaverjas_trace_ratio",
    }
    assert all(value > 0 for value in figures.values())

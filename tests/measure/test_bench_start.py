"""`arena bench start` and `arena bench report` at a tiny size: every figure is there."""

from __future__ import annotations

from pathlib import Path

from arena.measure.bench import report, start


def test_starts(tmp_path: Path) -> None:
    cold = tmp_path / "cold.yaml"
    cold.write_text(
        "name: cold\ngame: {name: hearts}\ndeals: {set: hearts-1000, limit: 1}\n"
        "agents: {a: {family: random}, b: {family: random}}\n"
    )
    figures = start.measure(repeats=1, first_start=str(cold))
    assert set(figures) == {
        "help_cpu_s", "run_cpu_s", "status_cpu_s", "compare_cpu_s", "replay_cpu_s",
        "first_start_s", "first_start_cpu_s", "second_start_s", "installed_mib",
    }  # fmt: skip
    assert all(seconds > 0 for seconds in figures.values())


def test_reports() -> None:
    figures = report.measure(agents=3, deals=4, compared_deals=6, rounds=2_200, repeats=1)
    assert set(figures) == {
        "report_20_agents_cpu_s", "compare_10000_cpu_s", "ratings_cpu_s", "ratings_mib",
        "ratings_tenth_mib",
    }  # fmt: skip
    assert all(value > 0 for value in figures.values())

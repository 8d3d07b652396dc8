"""`arena bench arena` at a tiny size: every figure is there and can be one."""

from __future__ import annotations

from arena.measure.bench.arena import measure


def test_every_figure_is_measured() -> None:
    figures = measure(deals=4, stored_rounds=2_640, thought_deals=2, command_deals=4, turns=1)
    assert set(figures) == {
        "referee_rounds_per_s", "overhead_per_deal", "speedup_2_workers", "rule_random_10000_s",
        "resume_s", "driver_mib",
    }  # fmt: skip
    assert all(figures[name] > 0 for name in figures if name != "overhead_per_deal")
    assert figures["driver_mib"] < 1024

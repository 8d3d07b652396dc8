"""`arena bench protocol` measures what it says, on a few deals."""

from __future__ import annotations

import pytest

from arena.measure.bench import protocol


@pytest.mark.long
def test_the_bench_runs_and_has_a_target_for_every_figure() -> None:
    if protocol.left_out():
        pytest.skip(protocol.left_out())
    found = protocol.measure(deals=12, games=20)
    assert all(f"| `{name}` |" in (protocol.__doc__ or "") for name in found)
    may_be_nothing = ("protocol_cpu_us_per_decision", "http_cpu_us_per_decision", "http_games_mib")
    assert all(value > 0 for name, value in found.items() if name not in may_be_nothing)
    assert found["http_games"] == 20

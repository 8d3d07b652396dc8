"""`arena bench scale`: tiny, and its formula against a simulation."""

from __future__ import annotations

import heapq
import json

import numpy as np
import pytest

from arena.cli import main
from arena.measure.bench import scale
from arena.tournament.pool import CHUNKS_AHEAD


@pytest.mark.long
def test_json_has_all_figures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("distributed")
    measure = scale.measure
    monkeypatch.setattr(scale, "measure", lambda: measure(deals=200))
    assert main(["bench", "scale", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert all(f"`{name}`" in (scale.__doc__ or "") for name in figures)
    assert len(figures) == 10
    assert all(value > 0 for name, value in figures.items() if "chunk" not in name)


def simulated(workers: int, chunk_s: float, driver_s: float, chunks: int = 30_000) -> float:
    rng = np.random.default_rng(1)
    played, handled = rng.exponential(chunk_s, 3 * chunks), rng.exponential(driver_s, 3 * chunks)
    waiting, now, worked, results = (CHUNKS_AHEAD - 1) * workers, 0.0, 0.0, 0
    ends, driver_free, number = [float(each) for each in played[:workers]], float("inf"), workers
    heapq.heapify(ends)
    for step in range(2 * chunks):
        next_end = ends[0] if ends else float("inf")
        until = min(next_end, driver_free)
        worked += len(ends) * (until - now)
        now = until
        if now == next_end:
            heapq.heappop(ends)
            results += 1
            if driver_free == float("inf"):
                driver_free = now + handled[step]
        else:
            results, waiting = results - 1, waiting + 1
            driver_free = now + handled[step] if results else float("inf")
        if waiting and len(ends) < workers:
            waiting, number = waiting - 1, number + 1
            heapq.heappush(ends, now + float(played[number]))
    return worked / (workers * now)


@pytest.mark.parametrize("load", [0.3, 0.9, 1.0, 2.0])
@pytest.mark.parametrize("workers", [2, 40])
def test_the_share_at_work_is_that_of_a_simulation(workers: int, load: float) -> None:
    driver_s = load / workers
    found = scale.share_at_work(workers, 1.0, driver_s)
    assert found == pytest.approx(simulated(workers, 1.0, driver_s), abs=0.02)
    assert found <= min(1.0, 1 / load) + 1e-9

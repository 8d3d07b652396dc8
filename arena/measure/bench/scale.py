"""How far a run scales: what the driver does for each chunk and deal, and what that means for many.

| key | what | target |
|---|---|---|
| `scale_loky_chunk_ms` | CPU time of a chunk without the playing, in driver and workers | |
| `scale_dask_chunk_ms` | the same with dask, its scheduler included | |
| `scale_dask_overhead` | the same as a share of a chunk of 200 ms | ≤ 0.02 |
| `scale_driver_chunk_ms` | the driver's part of it (dask: and the scheduler's) | |
| `scale_driver_deal_us` | the driver's CPU time for each deal: receive, count, store | |
| `scale_bytes_per_round` | results of one pair, deals included | ≤ 300 |
| `scale_share_100`, `scale_share_1000` | share of time that so many workers play, deals of 1 s | |
| `scale_fast_share_100`, `scale_fast_share_1000` | the same with deals of 0.1 s | |

All but the bytes are CPU time: differences between runs of random agents in chunks of one deal and
of many, and between many deals and few (with loky). The processes of a dask cluster also look after
each other, whether there is work or not: a fifth of what is measured on a busy machine, on which a
chunk takes long by the clock. The shares are computed from the costs
(`share_at_work`).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from arena.core.temporary import temporary_folder
from arena.measure.bench import children_cpu_s
from arena.measure.made_runs import experiment_of
from arena.tournament.pool import CHUNKS_AHEAD
from arena.tournament.run import RunOptions, run
from arena.tournament.runner import Backend, target_chunk_s
from arena.tournament.watcher import NullWatcher

_MANY = 50
"""Deals of a chunk that is to cost little."""
_TASK_S = 0.2


class Costs(NamedTuple):
    """CPU seconds."""

    chunk: float
    """Of a chunk, in all processes, without the playing."""
    driver_chunk: float
    driver_deal: float


def measure(deals: int = 2000) -> dict[str, float]:
    """All figures."""
    with temporary_folder() as folder:
        loky = _costs(folder / "loky", "loky", deals)
        dask = _costs(folder / "dask", "dask", deals // 4)
        size = (folder / "loky" / f"{deals}-{_MANY}" / "results.sqlite").stat().st_size
    shares = {
        f"scale_{name}share_{workers}": share_at_work(
            workers, *_chunk(dask.driver_chunk, loky.driver_deal, workers, played_s)
        )
        for name, played_s in (("", 1.0), ("fast_", 0.1))
        for workers in (100, 1000)
    }
    return {
        "scale_loky_chunk_ms": 1e3 * loky.chunk,
        "scale_dask_chunk_ms": 1e3 * dask.chunk,
        "scale_dask_overhead": dask.chunk / _TASK_S,
        "scale_driver_chunk_ms": 1e3 * dask.driver_chunk,
        "scale_driver_deal_us": 1e6 * loky.driver_deal,
        "scale_bytes_per_round": size / (2 * deals),
        **shares,
    }


def _costs(folder: Path, backend: Backend, deals: int) -> Costs:
    single, single_driver = _cpu_s(folder, backend, deals, 1)
    many, many_driver = _cpu_s(folder, backend, deals, _MANY)
    _, few_driver = _cpu_s(folder, backend, deals // 4, _MANY)
    chunks = deals - deals / _MANY
    return Costs(
        (single - many) / chunks,
        (single_driver - many_driver) / chunks,
        (many_driver - few_driver) / (deals - deals // 4),
    )


def _cpu_s(folder: Path, backend: Backend, deals: int, chunk_units: int) -> tuple[float, float]:
    """CPU seconds of a run in all processes, and in this one."""
    experiment = experiment_of(deals, ("a", "random"), ("b", "random"))
    options = RunOptions(jobs=2, backend=backend, chunk_units=chunk_units)
    children, began = children_cpu_s(), time.process_time()
    run(experiment, folder / f"{deals}-{chunk_units}", options, NullWatcher())
    driver = time.process_time() - began
    return driver + children_cpu_s() - children, driver


# --- many workers ------------------------------------------------------------------------


def _chunk(chunk_s: float, deal_s: float, workers: int, played_s: float) -> tuple[float, float]:
    """Seconds that a worker and the driver take for a chunk, as long as `arena run` makes it.

    `chunk_s` and `deal_s` are the driver's costs, `played_s` is how long a worker plays a deal.
    """
    deals = max(1.0, target_chunk_s(workers) / played_s)
    return deals * played_s, chunk_s + deals * deal_s


def share_at_work(workers: int, chunk_s: float, driver_s: float) -> float:
    """The share of their time for which workers play.

    A closed queue: workers that play a chunk in exponential time, and a driver that takes one
    result after the other, also in exponential time, and sends a new chunk for it; `CHUNKS_AHEAD`
    chunks per worker are under way. Formula: with n results at the driver, p(n+1) / p(n) =
    driver_s * min(N - n, workers) / chunk_s; the mean of min(N - n, workers) / workers. Source:
    the repairman model with spares, Gross and Harris, Fundamentals of Queueing Theory, 2.7.
    """
    under_way = CHUNKS_AHEAD * workers
    busy = np.minimum(under_way - np.arange(under_way + 1), workers)
    with np.errstate(divide="ignore"):
        log_p = np.concatenate(([0.0], np.cumsum(np.log(driver_s / chunk_s * busy[:-1]))))
    p = np.exp(log_p - log_p.max())
    return float(p @ busy / p.sum() / workers)

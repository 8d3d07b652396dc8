"""Benchmarks: one module for each topic, each with a function `measure`.

Topics about agents come with the agents: classes with a method `measure`, registered under
`arena.benches`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from arena.registry import Registry

__all__ = ["BENCHES", "fastest"]

BENCHES: Registry[Any] = Registry("topic", "arena.benches")


def fastest(work: Callable[[int], object], repeats: int) -> float:
    """Seconds of the thread for the fastest of `repeats` calls; each is given a seed."""
    work(0)  # compiles, or loads what is compiled
    best = float("inf")
    for seed in range(repeats):
        started = time.thread_time()
        work(seed)
        best = min(best, time.thread_time() - started)
    return best

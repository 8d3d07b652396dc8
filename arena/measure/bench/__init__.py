"""Benchmarks: one module for each topic, each with a function `measure`.

Topics about agents come with the agents: classes with a method `measure`, registered under
`arena.benches`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from arena.core.registry import Registry

__all__ = ["BENCHES", "fastest", "in_turns"]

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


def in_turns(works: Sequence[Callable[[int], object]], repeats: int) -> list[list[float]]:
    """Seconds of the thread for each of some pieces of work, turn by turn.

    Where pieces are compared, what slows the machine down for a while then slows down all of them.
    """
    for work in works:
        work(0)  # compiles, or loads what is compiled
    turns = []
    for seed in range(repeats):
        seconds = []
        for work in works:
            started = time.thread_time()
            work(seed)
            seconds.append(time.thread_time() - started)
        turns.append(seconds)
    return turns

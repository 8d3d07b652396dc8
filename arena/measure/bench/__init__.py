"""Benchmarks: one module for each topic, each with a function `measure`.

Topics about agents come with the agents: classes with a method `measure`, registered under
`arena.benches`.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from arena.core.errors import ArenaError
from arena.core.registry import Registry

BENCHES: Registry[Any] = Registry("topic", "arena.benches")


def in_turns(
    works: Sequence[Callable[[int], object]],
    repeats: int,
    clock: Callable[[], float] = time.thread_time,
    warm: bool = True,
) -> list[list[float]]:
    """Seconds for each of some pieces of work, turn by turn; each is given the turn as a seed.

    Where pieces are compared, what slows the machine down for a while then slows down all of them.
    """
    for work in works if warm else ():
        work(0)  # compiles, or loads what is compiled
    turns = []
    for seed in range(repeats):
        seconds = []
        for work in works:
            started = clock()
            work(seed)
            seconds.append(clock() - started)
        turns.append(seconds)
    return turns


def fastest(work: Callable[[int], object], repeats: int) -> float:
    """Seconds of the thread for the fastest of `repeats` calls; each is given a seed."""
    return min(seconds for (seconds,) in in_turns([work], repeats))


class Cost(NamedTuple):
    """The cost of a command."""

    output: str
    cpu_s: float
    """Of its process, and of all that this one has started and waited for."""
    clock_s: float


def cost_of(command: Sequence[str], **environment: str) -> Cost:
    """Run a command; `ArenaError` if it fails."""
    before, began = children_cpu_s(), time.perf_counter()
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | environment
    )
    clock_s = time.perf_counter() - began
    if done.returncode:
        raise ArenaError(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return Cost(done.stdout, children_cpu_s() - before, clock_s)


def children_cpu_s() -> float:
    """CPU seconds of all processes that this one has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_of_arena(words: Sequence[object], repeats: int) -> float:
    """The least CPU seconds that `arena` takes with these words, in processes of its own."""
    command = [sys.executable, "-m", "arena", *map(str, words)]
    return min(cost_of(command).cpu_s for _ in range(repeats))


def peak_mib() -> float:
    """The peak memory of this process in MiB."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss would be at least what the parent had when it forked
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="ascii"))
        if found:
            return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

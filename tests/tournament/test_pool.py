"""What is used of the insides of joblib, loky and numba is still there."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import joblib
import psutil
import pytest
from joblib.externals.loky.process_executor import BrokenProcessPool
from numba.core import caching, config

from arena.core.errors import ArenaError
from arena.games.kernel import jit
from arena.tournament import pool


def test_joblib_still_has_what_we_use() -> None:
    assert hasattr(pool.reusable_executor, "_executor")
    executor = pool.reusable_executor.get_reusable_executor(max_workers=2)
    executor.submit(os.getpid).result()
    assert executor is pool.reusable_executor._executor
    assert executor._executor_manager_thread.is_alive()
    assert len(executor._processes) == 2
    for name in ("submit", "effective_n_jobs", "retrieve_result_callback"):
        assert callable(getattr(pool.dask_backend(), name)), name
    pool.end_workers(10.0)


def test_workers_end_and_others_can_be_had() -> None:
    first = set(pool.parallel("loky", 2)([joblib.delayed(os.getpid)() for _ in range(8)]))
    assert os.getpid() not in first
    pool.end_workers(10.0)
    pool.end_workers(10.0)  # nobody is there: nothing to do
    second = set(pool.parallel("loky", 2)([joblib.delayed(os.getpid)() for _ in range(8)]))
    assert not first & second
    pool.end_workers(10.0)


def start_a_thread_that_stays() -> int:
    threading.Thread(target=time.sleep, args=(600,)).start()
    return os.getpid()


def test_a_worker_that_does_not_end_is_ended() -> None:
    (pid,) = set(pool.parallel("loky", 1)([joblib.delayed(start_a_thread_that_stays)()]))
    pool.end_workers(0.5)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_lost_worker_is_a_broken_pool() -> None:
    with pytest.raises(BrokenProcessPool):
        list(pool.parallel("loky", 2)([joblib.delayed(os._exit)(1)]))
    pool.end_workers(10.0)


def test_numba_still_has_what_the_cache_is_made_of(tmp_path: Path) -> None:
    """The names that `arena.games.kernel.jit` builds its cache from, and that it is used."""
    for name in ("FunctionCache", "_Cache", "CacheImpl", "IndexDataCacheFile"):
        if name in Path(jit.__file__).read_text():
            assert hasattr(caching, name), name
    assert hasattr(config, "DISABLE_JIT")

    @jit.compiled
    def twice(x: int) -> int:
        return 2 * x

    if not config.DISABLE_JIT:
        assert hasattr(twice, "_cache")
    assert twice(21) == 42


def test_a_lost_worker_that_nobody_replaces_is_reported_in_one_line() -> None:
    with pytest.raises(ArenaError, match="the same command goes on"), pool.workers_that_end():
        raise BrokenProcessPool


def test_workers_end_with_a_driver_that_is_killed() -> None:
    """They wait for its next task, and loky would let them wait for minutes."""
    script = (
        "import os, time\n"
        "from joblib import Parallel, delayed\n"
        "from arena.tournament.pool import options_of_workers\n"
        "work = Parallel(n_jobs=2, return_as='generator', **options_of_workers())\n"
        "print(*work(delayed(os.getpid)() for _ in range(2)), flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as driver:
        assert driver.stdout is not None
        worker = psutil.Process(int(driver.stdout.readline().split()[0]))
        driver.kill()
        worker.wait(60)

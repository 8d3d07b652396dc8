"""Pools of workers: the one module that knows the insides of joblib and loky.

joblib keeps its worker processes for the next call, and says neither how to end them nor
how dask reports a lost one. What is used of it beyond its public functions is imported
here, by name, and `tests/tournament/test_pool.py` fails when it changes.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import joblib
from joblib.externals.loky import reusable_executor
from joblib.externals.loky.backend.utils import kill_process_tree
from joblib.externals.loky.process_executor import BrokenProcessPool as BrokenProcessPool

from arena.core.errors import ArenaError
from arena.process.ending import end_children, no_stopped_workers

# Else joblib makes a folder in shared memory for each pool, used or not, which a killed one leaves.
os.environ.setdefault("JOBLIB_TEMP_FOLDER", tempfile.gettempdir())
CHUNKS_AHEAD = 2
"""Tasks per worker that are sent before results come back."""
_DRIVER_LOOKED_AT_S = 1.0
"""How often a worker looks whether its driver lives."""
_THROWN_AWAY = r".*tasks which were still being processed by the workers have been cancelled"
"""What joblib warns of."""
_PATIENCE_S = 5.0
"""How long worker processes may take to close their agents."""


def dask_backend() -> Any:
    """The class of joblib's backend for dask. The call loads dask, which takes a second."""
    from joblib._dask import DaskDistributedBackend

    return DaskDistributedBackend


def parallel(backend: Any, jobs: int) -> Any:
    """joblib's `Parallel` that yields results as they come."""
    # joblib works in this process if it is asked for one job; then two workers take turns.
    return joblib.Parallel(
        n_jobs=max(2, jobs),
        backend=backend,
        batch_size=1,
        pre_dispatch=CHUNKS_AHEAD * jobs if jobs > 1 else 1,
        return_as="generator_unordered",
        **(options_of_workers() if backend == "loky" else {"max_nbytes": None}),
    )


def options_of_workers() -> dict[str, Any]:
    """For joblib's `Parallel`: workers that end with this process, and share no memory."""
    return {"max_nbytes": None, "initializer": _end_with, "initargs": (os.getpid(),)}


def _end_with(driver: int) -> None:
    """Else a worker waits some minutes for the next task of a driver that was killed."""

    def look() -> None:
        while os.getppid() == driver:
            time.sleep(_DRIVER_LOOKED_AT_S)
        end_children()
        os._exit(0)

    threading.Thread(target=look, name="driver", daemon=True).start()


def end_workers(patience_s: float) -> None:
    """Ask loky's worker processes to end, and end those that do not within the time."""
    executor = reusable_executor._executor
    manager = executor._executor_manager_thread if executor is not None else None
    if manager is None:
        return
    processes = list((executor._processes or {}).values())
    executor.shutdown(wait=False)
    manager.join(patience_s)
    if manager.is_alive():
        for process in processes:
            kill_process_tree(process)
        manager.join(patience_s)


def _workers() -> list[int]:
    executor = reusable_executor._executor
    return list((executor._processes or {}) if executor is not None else ())


@contextmanager
def workers_that_end() -> Iterator[None]:
    """In the end, worker processes close their agents; if something went wrong, they just go."""
    try:
        with no_stopped_workers(_workers), warnings.catch_warnings():
            # Work is thrown away when something went wrong, and done again by the next call.
            warnings.filterwarnings("ignore", _THROWN_AWAY)
            yield
    except BaseException as error:
        end_workers(0.0)
        if isinstance(error, BrokenProcessPool):
            raise ArenaError(
                "a worker process was ended (killed, or out of memory); what was finished is kept, "
                "the same command goes on from there"
            ) from error
        raise
    end_workers(_PATIENCE_S)

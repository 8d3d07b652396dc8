"""Workers on a dask cluster: that of `DASK_SCHEDULER_ADDRESS`, else one on this machine.

An agent that never answers cannot be stopped there: arena does not watch a cluster's workers.
Workers of other versions, or with other sources of arena, the game or the agents, are refused: what
they play would be stored as results of these.
"""

from __future__ import annotations

import _thread
import importlib
import logging
import signal
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from multiprocessing import active_children
from threading import Event, Thread
from typing import Any, NamedTuple

from arena.core.errors import ArenaError
from arena.core.temporary import temporary_folder
from arena.process.ending import no_stopped_workers
from arena.tournament.pool import BrokenProcessPool, dask_backend

_PATIENCE_S = 30
"""How long a cluster may be without workers."""
_LOOK_EVERY_S = 0.5
_SETTINGS = {
    # A unit that has ended its worker is played again alone, not by all others.
    "distributed.scheduler.allowed-failures": 0,
    # By default each process wakes 50 times a second and samples what its tasks do 100 times: on
    # two workers that cost 121 ms of CPU time a second, without a task; so it is 15 ms.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.cycle": "10s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.worker.memory.monitor-interval": "1s",
}
"""Of dask, for a cluster on this machine (docs/cluster.md has them for others)."""


@contextmanager
def cluster(jobs: int, packages: Collection[str], farewell: Callable[[], None]) -> Iterator[int]:
    """Connect to a cluster, or start one with so many workers; yields how many it has.

    Its workers must have the same versions and the same sources of `packages` as this process. In
    the end every worker runs `farewell`.
    """
    try:
        dask, distributed = map(importlib.import_module, ("dask", "distributed"))
    except ImportError as error:
        raise ArenaError(
            "the backend 'dask' needs dask.distributed: pip install 'arena-tricks[cluster]'"
        ) from error
    address = dask.config.get("scheduler-address", None)  # the variable, or a file of dask's
    with ExitStack() as open_things:
        # Libraries write tracebacks when a connection is lost; the driver reports what matters.
        open_things.callback(logging.disable, logging.root.manager.disable)
        logging.disable(logging.CRITICAL)
        if address is None:
            scratch = open_things.enter_context(temporary_folder())
            ours = {**_SETTINGS, "temporary-directory": str(scratch)}
            open_things.enter_context(dask.config.set(ours))
            try:
                workers = distributed.LocalCluster(
                    n_workers=jobs,
                    threads_per_worker=1,
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                )
            except (OSError, RuntimeError) as error:  # as for a worker that is ended as it starts
                raise ArenaError(
                    f"dask's workers did not start: {error}; give the same command again"
                ) from error
            open_things.enter_context(workers)
            open_things.enter_context(no_stopped_workers(_on_this_machine))
            client = open_things.enter_context(distributed.Client(workers))
            client.run(_ignore_interrupts)
        else:
            client = open_things.enter_context(_connected(distributed.Client, address))
            _refuse_other_code(client, address, packages)
        over, lost = Event(), Event()
        open_things.callback(over.set)
        Thread(target=_keep_watch, args=(client, over, lost), daemon=True).start()
        try:
            yield sum(client.nthreads().values())
            client.run(farewell)
        except (distributed.CancelledError, KeyboardInterrupt) as error:
            if isinstance(error, KeyboardInterrupt) and not lost.is_set():
                raise
            raise ArenaError(
                "the connection to the dask cluster is lost; what was finished is kept, "
                "the same command goes on from there"
            ) from error


def _keep_watch(client: Any, over: Event, lost: Event) -> None:
    """Wake the driver when the scheduler is gone for good: it may wait for a task in vain."""
    while not over.wait(_LOOK_EVERY_S):
        if client.status == "closed":
            lost.set()
            _thread.interrupt_main()
            return


def _on_this_machine() -> list[int]:
    return [worker.pid for worker in active_children() if worker.pid is not None]


def _ignore_interrupts() -> None:
    # Ctrl-C goes to every process of the terminal; the driver decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _connected(client: Callable[[str], Any], address: str) -> Any:
    try:
        connected = client(address)
    except (OSError, ValueError) as error:
        raise ArenaError(f"DASK_SCHEDULER_ADDRESS: no cluster at {address}: {error}") from error
    try:
        connected.wait_for_workers(1, timeout=_PATIENCE_S)
    except TimeoutError as error:
        connected.close()
        raise ArenaError(
            f"DASK_SCHEDULER_ADDRESS: the cluster at {address} has no workers "
            f"(waited {_PATIENCE_S} s)"
        ) from error
    return connected


def _refuse_other_code(client: Any, address: str, packages: Collection[str]) -> None:
    """Raise `ArenaError` for the first worker that is not as this process."""
    look = _installed_here(list(packages))
    here = look()
    for worker, there in sorted(client.run(look, on_error="return").items()):
        if not isinstance(there, Mapping):
            raise ArenaError(f"the dask worker {worker} does not answer: {there!r}")
        for what, mine in here.items():
            if there.get(what) != mine:
                raise ArenaError(
                    f"the cluster at {address} cannot play this run: {what} is {mine} here and "
                    f"{there.get(what)} on the worker {worker}; install the same there"
                )


def _installed_here(packages: list[str]) -> Callable[[], dict[str, str]]:
    """A function that reports installed versions and hashes of sources, wherever it is called."""
    names = ["joblib", "numba", "numpy", "scipy"]

    def look() -> dict[str, str]:
        # A worker may have another arena, so that this uses nothing of it: it is sent whole.
        import hashlib
        import importlib.metadata
        import importlib.util
        import pathlib
        import platform

        def version(module: str) -> str:
            spec = importlib.util.find_spec(module)
            if spec is None or spec.origin is None:
                return "missing"
            distributions = importlib.metadata.packages_distributions().get(module, [])
            return importlib.metadata.version(distributions[0]) if distributions else "unknown"

        def sources(module: str) -> str:
            spec = importlib.util.find_spec(module)
            if spec is None or spec.origin is None:
                return "missing"
            file = pathlib.Path(spec.origin)
            digest = hashlib.sha256()
            files = sorted(file.parent.rglob("*.py")) if file.stem == "__init__" else [file]
            for each in files:
                digest.update(f"\n{each.relative_to(file.parent)}\0".encode())
                digest.update(each.read_bytes())
            return digest.hexdigest()[:12]

        found = {"the version of python": platform.python_version()}
        found |= {f"the version of {name}": version(name) for name in [*packages, *names]}
        return found | {f"the source code of {name}": sources(name) for name in packages}

    return look


class _Lost(NamedTuple):
    """Takes the place of a result that never came."""

    why: BaseException


class ClusterBackend(dask_backend()):  # type: ignore[misc]  # joblib has no types
    """joblib's own, which would wait forever for a task that has ended its workers."""

    def effective_n_jobs(self, n_jobs: int) -> int:
        """The workers there are; two if there is one, or joblib would play in this process."""
        workers: int = super().effective_n_jobs(n_jobs)
        return max(2, workers)

    def submit(self, func: Any, callback: Callable[[Any], object]) -> Any:
        """Send a task; `callback` receives its result, or its loss."""
        task = super().submit(func, callback)

        def tell_if_lost(done: Future[Any]) -> None:
            error = done.exception()
            if error is not None:
                callback(_Lost(error))

        task.add_done_callback(tell_if_lost)
        return task

    def retrieve_result_callback(self, out: Any) -> Any:
        """The result of a task, or the error that a lost worker process is everywhere."""
        if isinstance(out, _Lost):
            raise BrokenProcessPool(str(out.why)) from out.why
        return super().retrieve_result_callback(out)

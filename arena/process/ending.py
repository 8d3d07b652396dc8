"""Ending a process in which agents have played, whatever they have left behind.

An agent in our process may start threads and processes and forget them. Python waits for
threads, `multiprocessing` for its children, and a reader of our output for every process
that has inherited it. On Linux, a process becomes our child when its parent has ended, so that it
is found.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from arena.core.temporary import remove_temporary_folders

_STOPPED_S = 2.0
"""How often workers are looked at."""
_PR_SET_CHILD_SUBREAPER = 36
_TRACKERS = ("multiprocessing.resource_tracker", "joblib.externals.loky.backend.resource_tracker")
"""Modules with a helper process, which cleans up after us and ends by itself."""


def leave(code: int) -> NoReturn:
    """Exit with this code, whatever threads and children there still are."""
    end_children()
    with suppress(OSError, ValueError):  # our output has no reader any more
        sys.stdout.flush()
        sys.stderr.flush()
    if any(not (t.daemon or t is threading.main_thread()) for t in threading.enumerate()):
        os._exit(code)
    sys.exit(code)


def leave_nothing_when_asked_to_end() -> None:
    """On TERM, HUP and QUIT end at once, as without this, but with children and temporary files.

    What was stored up to then is kept: a command goes on from there. Signals that are ignored
    (`nohup`) stay so.
    """
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT"):
        number = getattr(signal, name, None)  # Windows has not all of them
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)
    with suppress(Exception):  # a library may be half imported at this moment
        end_children()
    remove_temporary_folders()
    os.kill(os.getpid(), number)


def adopt_orphans(wanted: bool = True) -> None:
    """Become the parent of every descendant that loses its own: they can be ended then."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)


def end_children() -> None:
    """Kill all processes that this one has started, and theirs."""
    import psutil  # here, so that light commands start fast

    trackers = {
        getattr(getattr(sys.modules.get(name), "_resource_tracker", None), "_pid", None)
        for name in _TRACKERS
    }
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if child.pid not in trackers:
                child.kill()


@contextmanager
def no_stopped_workers(pids: Callable[[], Iterable[int]]) -> Iterator[None]:
    """In the meantime kill worker processes that are stopped: nothing else would end the wait.

    One that a user has stopped together with us goes on when we do, so it is looked at twice.
    """
    import psutil

    over = threading.Event()

    def look() -> None:
        before: set[int] = set()
        while not over.wait(_STOPPED_S):
            stopped = set()
            for pid in pids():
                with suppress(psutil.Error):
                    if (worker := psutil.Process(pid)).status() == psutil.STATUS_STOPPED:
                        stopped.add(pid)
                        if pid in before:
                            worker.kill()
            before = stopped

    threading.Thread(target=look, name="stopped workers", daemon=True).start()
    try:
        yield
    finally:
        over.set()


class SuddenExit(BaseException):
    """An agent tried to end the process on the spot."""


@contextmanager
def no_sudden_exit() -> Iterator[None]:
    """Make `os._exit` in this process an exception: no agent ends a run as if all were well.

    Processes that are forked in the meantime end as they like.
    """
    really, here = os._exit, os.getpid()

    def refuse(status: int) -> NoReturn:
        if os.getpid() != here:
            really(status)
        raise SuddenExit(f"called os._exit({status!r})")

    os._exit = refuse
    try:
        yield
    finally:
        os._exit = really

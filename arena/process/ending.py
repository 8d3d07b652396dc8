"""Ending a process in which agents have played, whatever they have left behind.

An agent in our process may start threads and processes and forget them. Python waits for
threads, `multiprocessing` for its children, and a reader of our output for every process
that has inherited it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

_OUR_OWN = ("resource_tracker", "reaper.py")
"""Words in the command lines of our helpers, which clean up after us and end by themselves."""


def leave(code: int) -> NoReturn:
    """Exit with this code, whatever threads and children there still are."""
    end_children()
    with suppress(OSError, ValueError):  # our output has no reader any more
        sys.stdout.flush()
        sys.stderr.flush()
    if any(not (t.daemon or t is threading.main_thread()) for t in threading.enumerate()):
        os._exit(code)
    sys.exit(code)


def end_children() -> None:
    """Kill all processes that this one has started, and theirs."""
    import psutil  # here, so that light commands start fast

    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if not any(word in part for part in child.cmdline() for word in _OUR_OWN):
                child.kill()


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

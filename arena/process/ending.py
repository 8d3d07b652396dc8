"""Ending a process in which agents have played: what they left behind holds nobody up.

An agent in our process may start threads and processes and forget them. Python waits for
threads, `multiprocessing` for its children, and whoever reads our output for every process
that has inherited it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

_OUR_OWN = (b"resource_tracker", b"reaper.py")
"""Words in the command lines of our helpers, which clean up after us and end by themselves."""


def leave(code: int) -> NoReturn:
    """Exit with this code, whatever threads and children there still are."""
    end_children()
    with suppress(OSError, ValueError):  # nobody reads our output any more
        sys.stdout.flush()
        sys.stderr.flush()
    if any(not (t.daemon or t is threading.main_thread()) for t in threading.enumerate()):
        os._exit(code)
    sys.exit(code)


def end_children() -> None:
    """Kill all processes that this one has started, and theirs; where there is no /proc, none."""
    for pid in _descendants(os.getpid()):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def _descendants(of: int) -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if name.isdigit():
            with suppress(OSError, ValueError, IndexError):  # it has just ended
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(int(name))
    waiting = [of]
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            if not _is_our_own(pid):
                yield pid
                waiting.append(pid)


def _is_our_own(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            command = file.read()
    except OSError:
        return False
    return any(word in command for word in _OUR_OWN)


class SuddenExit(BaseException):
    """Somebody wanted to end the process on the spot."""


@contextmanager
def no_sudden_exit() -> Iterator[None]:
    """Make `os._exit` in this process an exception: nobody ends a run as if all were well.

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

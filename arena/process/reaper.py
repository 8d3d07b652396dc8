"""Ends processes of agents that have outlived the process that started them.

Run as a script by a process that has agents. Lines on its input, `+ TOKEN PID` and
`- TOKEN`, say which there are; when the input ends, its writer has ended, and every listed
process is killed, with all that it has started. One that is about to be started is listed with
the number 0, so that none is missed whenever the end comes. The script leaves its parent's
family at once: a pool that ends a worker ends all descendants it can see, and would end this
one before its work.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress

MARK = "ARENA_PROCESS"
"""The variable in the environment of an agent's process, which its children inherit."""

_A_START_S = 0.5


def end_family(leader: int, token: str) -> None:
    """Kill a process and all that it has started, whatever it did to hide them."""
    for _ in range(100):  # what forks while it is hunted is found again
        if leader:
            with suppress(OSError):
                os.killpg(leader, signal.SIGKILL)
        found = family_of(leader, token)
        if not found:
            return
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def family_of(leader: int, token: str) -> list[int]:
    """The living descendants of a process, those of its session, and those with the token."""
    import psutil  # here: the script starts at once and needs it only in the end

    found: set[int] = set()
    children: dict[int, list[int]] = {}
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError), process.oneshot():
            if process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
                continue
            children.setdefault(process.ppid(), []).append(process.pid)
            is_near = leader and leader in (process.pid, os.getsid(process.pid))
            if is_near or process.environ().get(MARK) == token:
                found.add(process.pid)
    waiting = list(found)
    while waiting:
        more = [pid for pid in children.get(waiting.pop(), ()) if pid not in found]
        found.update(more)
        waiting += more
    return sorted(found)


def main() -> None:
    """Wait for the end of the input, then end what is listed; arguments are the path of imports."""
    sys.path[:] = sys.argv[1:]
    if os.fork():
        os._exit(0)
    living: dict[str, int] = {}
    for line in sys.stdin:
        sign, token, *pid = line.split()
        if sign == "+":
            living[token] = int(pid[0])
        else:
            living.pop(token, None)
    for token, leader in living.items():
        end_family(leader, token)
    starting = [token for token, leader in living.items() if not leader]
    if starting:  # one may have been on its way
        time.sleep(_A_START_S)
        for token in starting:
            end_family(0, token)


if __name__ == "__main__":
    main()

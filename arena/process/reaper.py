"""Ends processes of agents that have outlived the process that started them.

Run as a script, beside a process that has agents. Lines on its input, `+ TOKEN PID` and
`- TOKEN`, say which there are; when the input ends, whoever wrote it is gone, and so is every
process listed, with all that it has started. One that is about to be started is listed with
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
    """The living processes of a session, and those with the token in their environment."""
    found = []
    mark = f"{MARK}={token}".encode()
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if not name.isdigit():
            continue
        with suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
            if fields[0] in (b"Z", b"X"):
                continue  # it is dead, and only not yet missed
            if leader and int(fields[3]) == leader:
                found.append(int(name))
                continue
            with open(f"/proc/{name}/environ", "rb") as file:
                if mark in file.read().split(b"\0"):
                    found.append(int(name))
    return found


def main() -> None:
    """Wait for the end of the input, then end what is listed."""
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

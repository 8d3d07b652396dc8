"""Keeping the process of an agent from looking into ours, as far as Linux lets us.

`hide` is called where agents are started: no process of the same user may then read our memory,
environment or open files through `/proc`, or trace us. The superuser may, so an agent's process
that is root's gives that right up before it loads the agent (`look_no_more`).
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache

hidden_variables: set[str] = set()
"""Environment variables that hold keys; no agent's process sees them."""
_PR_SET_DUMPABLE, _PR_CAPBSET_DROP = 4, 24
_RIGHTS_TO_LOOK = (19, 21, 38)
"""CAP_SYS_PTRACE; and CAP_SYS_ADMIN and CAP_PERFMON, each of which newer kernels take for it."""
_VERSION_3 = 0x20080522


@lru_cache(maxsize=1)
def hide() -> None:
    """Let no process of the same user look into the memory of this one."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def look_no_more() -> None:
    """Give up the superuser's right to look into other processes, for good."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return
    import ctypes

    libc = ctypes.CDLL(None)
    for right in _RIGHTS_TO_LOOK:
        libc.prctl(_PR_CAPBSET_DROP, right, 0, 0, 0)  # also for programs started later
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable: low words, then high
    if libc.capget(header, sets) == 0:
        for right in _RIGHTS_TO_LOOK:
            for of in range(3):
                sets[right // 32 * 3 + of] &= ~(1 << right % 32)
        libc.capset(header, sets)

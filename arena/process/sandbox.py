"""A sandbox for the process of an agent: bubblewrap, where Linux has it.

Inside, the whole system is read-only, other processes do not exist and neither does the network.
Deals, runs, models of other agents and all temporary files are hidden: empty folders stand in
their places. What the agent leaves running ends with the sandbox.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

_SCRATCH = ("/tmp", "/var/tmp", "/dev/shm")
"""Temporary files: the agent has its own."""
_SCRATCH_BYTES = 64 << 20
"""The size of each of these: no process is charged for that memory."""
_SOCKETS = "/run"
"""Sockets of services, which could be used although the system is read-only."""
_KERNEL = tuple(f"/proc/{name}" for name in ("sys", "sysrq-trigger", "irq", "bus", "acpi", "scsi"))
"""Settings of the whole machine. The superuser may write them even without capabilities, all of
which bubblewrap leaves to the superuser unless they are dropped: one lifts every mount."""
_RESOLVER = "/run/systemd/resolve"
_TRIAL_S = 10.0


@dataclass(frozen=True)
class Sandbox:
    """Paths that an agent's process cannot see, in addition to those that are always hidden.

    Of two paths one of which lies inside the other, the inner one decides. What the program's own
    command names is shown if it is not hidden.
    """

    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    network: bool = False

    def showing(self, *paths: str) -> Sandbox:
        """The same, with more visible paths."""
        return replace(self, shown=(*self.shown, *paths))

    def command(self, argv: Sequence[str]) -> list[str]:
        """The command that runs `argv` inside."""
        words = ["bwrap", "--unshare-all", "--ro-bind", "/", "/"]
        words += ["--proc", "/proc", "--dev", "/dev", "--cap-drop", "ALL"]
        for path in filter(os.path.exists, _KERNEL):
            words += ["--ro-bind", path, path]
        shown = set(map(os.path.realpath, self.shown))
        if self.network:
            words.append("--share-net")
            shown.add(_RESOLVER)
        scratch = set(map(os.path.realpath, _SCRATCH))
        hidden = scratch | {os.path.realpath(path) for path in (_SOCKETS, *self.hidden)}
        shown |= set(map(os.path.realpath, _folders_of(argv))) - hidden
        places = dict.fromkeys(filter(os.path.exists, hidden), False)
        for path in filter(os.path.exists, shown):
            if any(map(Path(path).is_relative_to, hidden)):
                places[path] = True
        read_only = ["/dev"]
        for path in sorted(places, key=lambda path: path.count("/")):
            if places[path]:
                words += ["--ro-bind", path, path]
            elif os.path.isdir(path):
                words += ["--size", str(_SCRATCH_BYTES), "--tmpfs", path]
                read_only += [] if path in scratch else [path]
            else:
                words += ["--ro-bind", os.devnull, path]
        for path in sorted(_folders_of(argv)):  # a link to a folder, in a place that is hidden
            real = os.path.realpath(path)
            if path != real not in hidden and any(map(Path(path).is_relative_to, scratch)):
                words += ["--ro-bind", real, path]
        for path in read_only:  # only now: places for what is shown inside had to be made
            words += ["--remount-ro", path]
        return [*words, "--setenv", "TMPDIR", "/tmp", "--", *argv]


def _folders_of(argv: Sequence[str]) -> set[str]:
    """Where a program and the files that its command names lie; of an installed one, all of it."""
    found = set()
    for word in (shutil.which(argv[0]) or argv[0], *argv[1:]):
        if os.path.isabs(word) and os.path.exists(word):
            folder = Path(word) if os.path.isdir(word) else Path(word).parent
            found.add(str(folder.parent if folder.name == "bin" else folder))
    return found - {"/"}


def needed_by_python() -> tuple[str, ...]:
    """The paths that a Python like this one reads when it starts and imports."""
    return tuple(path for path in {sys.prefix, sys.base_prefix, *sys.path} if path and path != "/")


@lru_cache(maxsize=1)
def why_none() -> str:
    """Why there is no sandbox here; empty if there is one. Tried once."""
    if not sys.platform.startswith("linux"):
        return f"there is none for {sys.platform}"
    if shutil.which("bwrap") is None:
        return "bubblewrap (bwrap) is not installed"
    try:
        tried = subprocess.run(
            Sandbox().command(["true"]), capture_output=True, text=True, timeout=_TRIAL_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap (bwrap) does not work: {error}"
    if tried.returncode:
        said = tried.stderr.strip().rpartition("\n")[2]
        return f"bubblewrap (bwrap) does not work: {said or f'exit code {tried.returncode}'}"
    return ""

"""Temporary folders. A process that is killed leaves its own; the next one removes it."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import FileLock

PREFIX, _IN_USE = "arena-", "in-use"
_ours: set[Path] = set()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is removed in the end, or by a later process if this one is killed."""
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    _ours.add(folder)
    try:
        with _lock(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _ours.discard(folder)


def remove_temporary_folders() -> None:
    """Remove those of this process, which is about to end without more ado."""
    for folder in tuple(_ours):
        shutil.rmtree(folder, ignore_errors=True)


def is_in_use(folder: Path) -> bool:
    """Whether the process that made a temporary folder lives, and still needs the folder."""
    if not folder.is_dir():
        return False
    from filelock import Timeout

    try:
        with _lock(folder).acquire(timeout=0):
            return False
    except Timeout:
        return True


def _lock(folder: Path) -> FileLock:
    from filelock import FileLock  # here: it would double the time of a light command

    # The operating system's: it goes with the process, however that ends.
    return FileLock(folder / _IN_USE, thread_local=False)


def _sweep() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            # Without a lock it is being made just now, or it is not one of these.
            if _is_ours(folder) and (folder / _IN_USE).is_file() and not is_in_use(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_ours(folder: Path) -> bool:
    """Whether it is a folder of this user's: others may put links there that lead to our files."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and (
        os.name != "posix" or found.st_uid == os.getuid()  # Windows has a folder for each user
    )

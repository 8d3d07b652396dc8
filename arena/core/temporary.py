"""Temporary folders. A process that is killed leaves its own; the next one removes it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

PREFIX, _IN_USE = "arena-", "in-use"


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is removed in the end, or by a later process if this one is killed."""
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        with _lock(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def is_in_use(folder: Path) -> bool:
    """Whether the process that made a temporary folder lives, and still needs the folder."""
    if not folder.is_dir():
        return False
    try:
        with _lock(folder).acquire(timeout=0):
            return False
    except Timeout:
        return True


def _lock(folder: Path) -> FileLock:
    # The operating system's: it goes with the process, however that ends.
    return FileLock(folder / _IN_USE, thread_local=False)


def _sweep() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            # Without a lock it is being made just now, or it is not one of these.
            if (folder / _IN_USE).is_file() and not is_in_use(folder):
                shutil.rmtree(folder, ignore_errors=True)

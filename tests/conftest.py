"""Before the first test: what all processes of a test run have in common."""

from __future__ import annotations

import gc
import os
import signal
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

# Matrices here are small: threads of BLAS only wait, which costs CPU time in every process.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_configure(config: pytest.Config) -> None:
    """Signals work in tests even where they are ignored, as in the background or under nohup."""
    usual = {
        "SIGINT": signal.default_int_handler,
        "SIGHUP": signal.SIG_DFL,
        "SIGQUIT": signal.SIG_DFL,
    }
    for name, handler in usual.items():
        number = getattr(signal, name, None)  # Windows has fewer
        if number is not None and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the files of each folder evenly: where one waits, those of others compute."""
    folders: defaultdict[str, list[Path]] = defaultdict(list)
    for path, nodeid in {item.path: item.nodeid for item in items}.items():
        folders["/".join(nodeid.split("/")[:2])].append(path)
    places = {
        path: number / len(paths)
        for paths in folders.values()
        for number, path in enumerate(paths, start=1)
    }
    items.sort(key=lambda item: places[item.path])


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported by now stays: looking for garbage in it took a quarter of the collection,
    and a tenth of the time of the tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 100)
        gc.enable()

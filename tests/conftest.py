"""Before the first test: what all processes of a test run have in common."""

from __future__ import annotations

import gc
import os
import signal

import pytest

# Matrices here are small: threads of BLAS only wait, which costs CPU time in every process.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_configure(config: pytest.Config) -> None:
    """Ctrl-C works in tests even where it is ignored, as in jobs that run in the background."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """What is imported by now stays: looking for garbage in it took a tenth of the tests' time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)

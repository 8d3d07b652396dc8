"""Before the first test: what all processes of a test run have in common."""

from __future__ import annotations

import signal
from typing import Any

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Ctrl-C works in tests even where it is ignored, as in jobs that run in the background."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: Any) -> None:
    """Compile once, before there are several processes that would all compile the same."""
    # Here, so that tests of statistics need no compiler. Importing is what registers the code.
    from arena.games.kernel import playout, step, uniform_worlds, weighted_worlds
    from arena.games.kernel.jit import warm_up

    assert all((playout, step, uniform_worlds, weighted_worlds))
    warm_up()

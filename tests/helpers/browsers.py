"""A browser for tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
NEEDS_CHROMIUM = pytest.mark.skipif(_CHROMIUM is None, reason="chromium is not installed")


@contextmanager
def launched_chromium() -> Iterator[Any]:
    """Chromium under playwright; the test is skipped where playwright is not installed."""
    reason = "playwright is not installed"
    playwright = pytest.importorskip("playwright.sync_api", reason=reason)
    with playwright.sync_playwright() as driver:
        # Without a sandbox, because continuous integration runs as root.
        chromium = driver.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()

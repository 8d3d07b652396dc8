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


class Screens:
    """One page for each kind of screen: opening another one takes longer than all that it shows."""

    def __init__(self, chromium: Any) -> None:
        self._chromium = chromium
        self._pages: dict[str, Any] = {}
        self._complaints: list[str] = []

    def page(self, **settings: Any) -> Any:
        """An empty page with these settings of playwright's `new_context`."""
        key = repr(sorted(settings.items()))
        page = self._pages.get(key)
        if page is None:
            page = self._pages[key] = self._chromium.new_context(**settings).new_page()
            say = self._complaints.append
            page.on("console", lambda message: say(message.text))
            page.on("pageerror", lambda error: say(str(error)))
            page.on("dialog", lambda dialog: say(f"dialog: {dialog.message}"))
            page.on("requestfailed", lambda request: say(request.url[:80]))
        page.goto("about:blank")
        page.emulate_media(media="null")
        page.mouse.move(0, 0)
        return page

    def complaints(self) -> list[str]:
        """What the pages have complained about since the last question."""
        said = self._complaints.copy()
        self._complaints.clear()
        return said

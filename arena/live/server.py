"""The server of the page: a thread of the driver, for this machine only.

It only answers GET, by its own address and for pages of its own. Connections, their time and the
work for one second are limited, so that no other program slows the run down.
"""

from __future__ import annotations

import html
import json
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from typing import Any

from arena.core.errors import ArenaError
from arena.live.state import state
from arena.report import HTML
from arena.report.sections.pages import page_text
from arena.tournament.tally import RateMeter, Tally
from arena.web.guard import LOOPBACK, SAFE_HEADERS, Address

_WATCHED_S = 10.0
"""A browser that has asked for news within this time is watching."""
_MOST_CONNECTIONS = 16
_CONNECTION_S = 5.0
"""How long a connection may be silent."""
_FRESH_S = 0.2
"""Numbers that are not older are sent again."""
_GOODBYE_S = 10.0
"""How long the report is kept ready for browsers that watch."""


_NOTHING = (-1.0, b"")


class LivePage:
    """Watches a run and shows it at `url`, until the `with` block ends."""

    def __init__(self, name: str, unit: str, path: Path, port: int = 0) -> None:
        self.name, self.unit, self.path = name, unit, path
        self._tally: Tally | None = None
        self._pace = RateMeter()
        self._over = False
        self._asked = 0.0
        self._numbers: tuple[float, bytes] = _NOTHING
        """When they were made, and the numbers of the page."""
        self._taken = threading.Event()
        try:
            self._server = _PageServer((LOOPBACK, port), _Handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise ArenaError(f"--serve {port}: {why}; give another port, or none") from error
        self._server.page = self
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"{self._server.address.url}/"

    def __enter__(self) -> LivePage:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._over = True
        if kind is None and time.monotonic() - self._asked < _WATCHED_S:
            self._taken.wait(_GOODBYE_S)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    # --- as a watcher --------------------------------------------------------------------

    def say(self, line: str) -> None:
        """No-op: the page shows numbers only."""

    def update(self, tally: Tally) -> None:
        """Show a new tally."""
        if self._tally is None:
            self._numbers = _NOTHING
        self._tally = tally
        self._pace.add(time.monotonic(), tally.done)

    # --- for the browser -----------------------------------------------------------------

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """Type and content of what a browser asks for; None if there is no such thing."""
        if path == "/":
            return "text/html", _page(self.name).encode()
        if path == "/state.json":
            self._asked = time.monotonic()
            return "application/json", self._state()
        report = self.path / HTML
        if path == "/report" and self._over and report.is_file():
            return "text/html", report.read_bytes()
        return None

    def _state(self) -> bytes:
        made, numbers = self._numbers
        if self._over or time.monotonic() - made > _FRESH_S:
            found = state(self.name, self.unit, self._tally, self._pace, self.path)
            numbers = json.dumps({**found, "over": self._over}).encode()
            self._numbers = time.monotonic(), numbers
        return numbers

    def answered(self, path: str) -> None:
        """A browser that has asked for the report needs nothing more, even if there is none."""
        if path == "/report" and self._over:
            self._taken.set()


class _PageServer(ThreadingHTTPServer):
    daemon_threads = True
    page: LivePage

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._places = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        self.address = Address(LOOPBACK, self.server_port)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, if there are not too many already."""
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer one connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that breaks is no matter of the run's."""


class _Handler(BaseHTTPRequestHandler):
    server: _PageServer
    timeout = _CONNECTION_S

    def do_GET(self) -> None:
        if not self.server.address.allows(self.headers.get("Host"), self.headers.get("Origin")):
            self.send_error(HTTPStatus.FORBIDDEN)
            return
        found = self.server.page.answer(self.path)
        if found is None:
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            self._send(*found)
        self.server.page.answered(self.path)

    def _send(self, kind: str, content: bytes) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        for header in SAFE_HEADERS:
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not worth a line in the terminal."""


def _page(name: str) -> str:
    text = resources.files("arena.live").joinpath("page", "live.html").read_text(encoding="utf-8")
    text = text.replace("{{ name }}", html.escape(name))
    return text.replace("{{ css }}", page_text("report.css"))

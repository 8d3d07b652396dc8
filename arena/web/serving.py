"""An ASGI application on a port: bound, run and ended.

uvicorn speaks HTTP. What it leaves open is closed here: connections that stay silent, or send the
head of a request drop by drop, and more connections than are wanted.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from arena.core.errors import ArenaError
from arena.web.guard import LOOPBACK, Address, App

try:
    import h11
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError as error:  # pragma: no cover
    raise ArenaError(f"a server needs {error.name}: pip install 'arena-tricks[web]'") from error

_HEAD_S = 10.0
"""How long a connection may be silent at first, and the head of a request may take."""
_IDLE_S = 75
"""How long a connection is kept that has been answered."""
_GOODBYE_S = 2
"""How long requests may take to end when the server is stopped."""


def listen(host: str = LOOPBACK, port: int = 0, names: tuple[str, ...] = ()) -> Listener:
    """Take a port, a free one if it is 0."""
    if not 0 <= port <= 65535:
        raise ArenaError(f"port {port}: expected 0 (any free one) to 65535")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        taken = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise ArenaError(f"{host}, port {port}: {error.strerror or error}") from error
    return Listener(taken, Address(host, taken.getsockname()[1], names))


class Listener:
    """A port that is taken, before anything answers at it: a `Guard` needs to know its number."""

    def __init__(self, taken: socket.socket, address: Address) -> None:
        self._socket, self.address = taken, address

    def serve(self, app: App, *, connections: int = 512, longest_message: int = 100_000) -> None:
        """Answer until the process is asked to end (Ctrl-C, TERM)."""
        with suppress(KeyboardInterrupt):
            self._server(app, connections, longest_message).run(sockets=[self._socket])

    @contextmanager
    def serving(
        self, app: App, *, connections: int = 512, longest_message: int = 100_000
    ) -> Iterator[str]:
        """Answer in a thread until the `with` block ends; yields the URL."""
        server = self._server(app, connections, longest_message)
        thread = threading.Thread(
            target=server.run, kwargs={"sockets": [self._socket]}, name="server", daemon=True
        )
        thread.start()
        try:
            yield self.address.url  # the port is taken: who comes early is answered a little later
        finally:
            server.should_exit = True
            thread.join()

    def _server(self, app: App, connections: int, longest_message: int) -> uvicorn.Server:
        _allow_open_files(connections + 256)
        return uvicorn.Server(
            uvicorn.Config(
                app,
                http=type("_Http", (_ImpatientHttp,), {"most": connections}),
                ws_max_size=longest_message,
                ws="websockets-sansio",
                log_config=None,
                log_level="critical",
                access_log=False,
                proxy_headers=False,  # a client's word about its address is not taken
                server_header=False,
                timeout_keep_alive=_IDLE_S,
                timeout_graceful_shutdown=_GOODBYE_S,
            )
        )


class _ImpatientHttp(H11Protocol):
    """Closes connections that are too many, too silent or too slow."""

    most: int
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        # asyncio does it for sockets that say that they are of TCP, which ours do not: an answer
        # in two pieces would wait 40 ms for the client's word that it has the first.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self.connections) > self.most:
            transport.abort()
            return
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look_at_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look_at_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _look_at_head(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._timer is None and self.conn.trailing_data[0]:
            self._wait_for_head()

    def _wait_for_head(self) -> None:
        self._timer = self.loop.call_later(_HEAD_S, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _allow_open_files(wanted: int) -> None:
    """Every connection is an open file; systems allow 1,024 or 256 unless asked."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))

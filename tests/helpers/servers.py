"""Agents as servers in a thread of the tests, and servers that misbehave on purpose."""

from __future__ import annotations

import http.client
import socketserver
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from arena.config.entrants import AgentSpec
from arena.process.connection import Url
from arena.servers.agent_app import AgentApp
from arena.servers.sessions import Agents, ServerLimits, Sessions
from arena.web.guard import Guard
from arena.web.serving import listen

USUAL = ServerLimits()


@contextmanager
def served(
    spec: AgentSpec, limits: ServerLimits = USUAL, port: int = 0, **guard: Any
) -> Iterator[tuple[str, Sessions]]:
    """The URL of a server with this agent, and its sessions."""
    listener = listen(port=port)
    sessions = Sessions(Agents(spec), limits)
    app = Guard(AgentApp(spec.family, sessions), listener.address, **guard)
    with listener.serving(app, connections=limits.sessions + 64) as url:
        yield url, sessions


def asked(
    url: str, method: str, path: str, body: bytes = b"", **headers: str
) -> tuple[int, bytes, dict[str, str]]:
    """Status, body and headers of an answer."""
    place = Url(url)
    connection = http.client.HTTPConnection(place.host, place.port, timeout=30)
    try:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Content-Type": "application/json", **given}
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, answer.read(), found
    finally:
        connection.close()


Reply = Callable[[int, bytes], bytes | None]
"""What a server sends for its request number n (from 0); None to send nothing."""


@contextmanager
def scripted(reply: Reply, byte_s: float = 0.0, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """The URL of a server that sends what `reply` says, and closes a connection on `b""`."""
    count = iter(range(1_000_000))

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while head := self.rfile.readline():
                length = 0
                while (line := self.rfile.readline()) not in (b"\r\n", b""):
                    name, _, value = line.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                body = self.rfile.read(length)
                said = reply(next(count), head + body)
                if said == b"":
                    return
                pieces = [said or b""] if not byte_s else [bytes([byte]) for byte in said or b""]
                for piece in pieces:
                    self.wfile.write(piece)
                    time.sleep(byte_s)

        def finish(self) -> None:
            with suppress(OSError):  # the client has gone
                super().finish()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

        def finish_request(self, request: Any, client_address: Any) -> None:
            with tls.wrap_socket(request, server_side=True) if tls else request as talk:
                super().finish_request(talk, client_address)

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def response(status: int, body: bytes = b"", **headers: str) -> bytes:
    """A whole answer of a scripted server."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


READY = response(201, b'{"type":"ready","protocol":1}', Location="/sessions/x")

"""Requests over HTTP with a deadline that holds, whatever the server does.

The standard library's timeouts are for each piece that arrives: a server that sends a byte now and
then is never late. Here every wait ends at the deadline. Redirects are not followed, and no proxy
is used: what is asked goes to the address that the user wrote, and nowhere else.
"""

from __future__ import annotations

import http.client
import io
import select
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, cast
from urllib.parse import SplitResult, urlsplit

from arena.core.errors import ArenaError
from arena.process.child import LONGEST_LINE, Misbehaved

_FOREVER_S = 1e6
_FRESH_S = 1.0
"""No server closes a connection that was used within this time, unless something is wrong."""
_PORTS = {"http": 80, "https": 443}


class Answer(NamedTuple):
    """The response of a server."""

    status: int
    body: bytes
    headers: Mapping[str, str]
    """By their names in small letters."""


@dataclass(frozen=True)
class Url:
    """An address of a server, as a user writes it."""

    text: str
    scheme: str = field(init=False)
    host: str = field(init=False)
    port: int = field(init=False)
    path: str = field(init=False)
    """Without a `/` at its end."""

    def __post_init__(self) -> None:
        parts = _split(self.text)
        object.__setattr__(self, "scheme", parts.scheme)
        object.__setattr__(self, "host", cast(str, parts.hostname))
        object.__setattr__(self, "port", parts.port or _PORTS[parts.scheme])
        object.__setattr__(self, "path", parts.path.rstrip("/"))

    @property
    def name(self) -> str:
        """The value of the header `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def _split(text: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        good = parts.scheme in _PORTS and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    plain = text.isascii() and text.isprintable() and " " not in text
    if not good or not plain or parts.query or parts.fragment or parts.username is not None:
        raise ArenaError(
            f"url: expected http://HOST:PORT or https://HOST, perhaps with a path, found {text!r}"
        )
    return parts


class ServerConnection:
    """One connection to a server, made when it is needed and kept."""

    def __init__(self, url: Url, headers: Mapping[str, str] | None = None) -> None:
        self.url = url
        self.used_at = time.monotonic()
        lines = [f"Host: {url.name}", *(f"{name}: {x}" for name, x in (headers or {}).items())]
        self._head = "".join(f"{line}\r\n" for line in lines)
        self._socket: socket.socket | None = None

    def ask(self, method: str, path: str, body: bytes, until: float | None) -> Answer:
        """The answer to a request, which must be there `until` then (`time.monotonic`).

        Raises `TimeoutError`, and `Misbehaved` if the server cannot be reached, closes the
        connection or does not speak HTTP.
        """
        until = time.monotonic() + _FOREVER_S if until is None else until
        head = f"{method} {self.url.path}{path} HTTP/1.1\r\n{self._head}"
        if body:
            head += "Content-Type: application/json\r\n"
        request = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        may_be_old = self._socket is not None and time.monotonic() - self.used_at > _FRESH_S
        try:
            answer = self._exchange(request, method, until)
        except BaseException as error:  # Ctrl-C too: the rest of the answer must not be read later
            self.close()
            if not (may_be_old and isinstance(error, ConnectionError)):
                raise _fault(error) from None
            # The server closed a silent connection at this very moment, and has seen nothing.
            return self.ask(method, path, body, until)
        self.used_at = time.monotonic()
        return answer

    def _exchange(self, request: bytes, method: str, until: float) -> Answer:
        talk = self._connected(until)
        talk.settimeout(_left(until))
        talk.sendall(request)
        return self._read(talk, method, until)

    def close(self) -> None:
        """Close the connection; the next request makes a new one."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _connected(self, until: float) -> socket.socket:
        if self._socket is not None and _has_something(self._socket):
            self.close()  # the server has closed it since, or sent something unasked
        if self._socket is None:
            place = self.url.host, self.url.port
            try:
                self._socket = socket.create_connection(place, _left(until))
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self.url.scheme == "https":
                    self._socket = _tls().wrap_socket(self._socket, server_hostname=self.url.host)
            except TimeoutError:
                raise
            except OSError as error:
                why = error.strerror or error
                raise Misbehaved("crash", f"cannot be reached: {self.url.text}: {why}") from None
        return self._socket

    def _read(self, talk: socket.socket, method: str, until: float) -> Answer:
        response = http.client.HTTPResponse(cast(Any, _Deadline(talk, until)), method=method)
        response.begin()
        body = response.read(LONGEST_LINE + 1)
        if len(body) > LONGEST_LINE:
            self.close()
            raise Misbehaved("protocol", f"answered with more than {LONGEST_LINE:,} bytes")
        if response.will_close:
            self.close()
        return Answer(response.status, body, {k.lower(): v for k, v in response.headers.items()})


def _fault(error: BaseException) -> BaseException:
    """The error of a server, given how a request ended."""
    if isinstance(error, http.client.RemoteDisconnected | http.client.IncompleteRead):
        return Misbehaved("crash", "closed the connection")
    if isinstance(error, OSError) and not isinstance(error, TimeoutError):
        return Misbehaved("crash", f"lost the connection: {error.strerror or error}")
    if isinstance(error, http.client.HTTPException):
        said = " ".join(f"{type(error).__name__} {error}".split())
        return Misbehaved("protocol", f"does not speak HTTP: {said[:60]}")
    return error


class _Deadline(io.RawIOBase):
    """Reads a socket until a deadline."""

    def __init__(self, talk: socket.socket, until: float) -> None:
        self._talk, self._until = talk, until

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._talk.settimeout(_left(self._until))
        return self._talk.recv_into(buffer)


def _has_something(talk: socket.socket) -> bool:
    """Whether there is something to read, or the other side has closed."""
    if not hasattr(select, "poll"):
        return bool(select.select([talk], [], [], 0)[0])
    poll = select.poll()  # `select` knows no more than 1,024 open files
    poll.register(talk, select.POLLIN)
    return bool(poll.poll(0))


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()

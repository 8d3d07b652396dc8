"""Access to a server of ours, and its limits.

A server is on loopback unless the user asks for more; other machines need a token then. A page of
another site must not use it, neither by a name that it lets lead here (the Host) nor by a script
(the Origin). `Guard` refuses what breaks a rule before the application sees it: in one line, with a
status of 4xx or 503, never with a traceback.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import secrets
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Hashable, MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeAlias

from arena.core.errors import ArenaError, error_words
from arena.core.printable import printable

LOOPBACK = "127.0.0.1"
_LOOPBACK_NAMES = (LOOPBACK, "localhost", "[::1]")
_SHORTEST_TOKEN = 16
_KEPT_CLIENTS = 10_000

SAFE_HEADERS = (
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
)
"""Headers of every response, unless the application sets them."""
_NO_PAGE = ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
"""For answers of applications that say nothing about it: they are data, no pages."""

_Message: TypeAlias = MutableMapping[str, Any]
_Receive: TypeAlias = Callable[[], Awaitable[_Message]]
_Send: TypeAlias = Callable[[_Message], Awaitable[None]]
App: TypeAlias = Callable[[_Message, _Receive, _Send], Awaitable[None]]
"""An ASGI application."""


@dataclass(frozen=True)
class Address:
    """Where a server listens, and by which names clients may call it."""

    host: str
    port: int
    names: tuple[str, ...] = ()
    """Further names, such as that of a proxy."""

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback(self.host)

    @property
    def url(self) -> str:
        """Where it is, for a client on this machine."""
        everywhere = self.host in ("0.0.0.0", "::")
        host = LOOPBACK if everywhere else f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def allows(self, host: str | None, origin: str | None) -> bool:
        """Whether a request with these headers is meant for this server, and not a page's trick."""
        host = (host or "").lower()
        if not self._is_ours(host):
            return False
        return origin is None or origin.lower() in (f"http://{host}", f"https://{host}")

    def _is_ours(self, host: str) -> bool:
        name, port = _split_port(host)
        if name in map(str.lower, self.names):
            return True
        if name in _LOOPBACK_NAMES:
            return port == str(self.port)
        # A name can be made to lead here by anyone who owns it; a number cannot.
        return not self.is_loopback and (_is_number(name) or name == socket.gethostname().lower())


def is_loopback(host: str) -> bool:
    """Whether an address to listen at is reached from this machine only."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _split_port(host: str) -> tuple[str, str]:
    name, colon, port = host.rpartition(":")
    return (name, port) if colon and not port.endswith("]") else (host, "80")


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def new_token() -> str:
    """A token that cannot be guessed, for a header or a link."""
    return secrets.token_urlsafe(24)


def check_token(token: str, where: str) -> str:
    """The token, if it is one that cannot be guessed in a hurry."""
    if len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise ArenaError(
            f"{where}: expected a token of at least {_SHORTEST_TOKEN} printable ASCII characters"
        )
    return token


def same_token(given: str, token: str) -> bool:
    """Whether a client has given the token, in a time that does not depend on how much is right."""
    return hmac.compare_digest(given.encode(errors="replace"), token.encode())


class RateLimit:
    """So many events a second for each client, and a burst of some more."""

    def __init__(
        self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.per_second, self.burst = per_second, burst
        self._clock = clock
        self._left: dict[Hashable, tuple[float, float]] = {}
        """For each client how many events it may have at once, and when that was so."""

    def allows(self, client: Hashable) -> bool:
        """Whether one more event of this client is within the limit; it is counted if so."""
        now = self._clock()
        if len(self._left) >= _KEPT_CLIENTS and client not in self._left:
            self._left = {
                each: at for each, at in self._left.items() if self._of(each, now) < self.burst
            }
            if len(self._left) >= _KEPT_CLIENTS:
                return False
        left = self._of(client, now)
        self._left[client] = max(left - 1, left % 1), now
        return left >= 1

    def _of(self, client: Hashable, now: float) -> float:
        left, at = self._left.get(client, (float(self.burst), now))
        return min(left + (now - at) * self.per_second, float(self.burst))


class Refused(Exception):
    """A request that is answered with a status and one line."""

    def __init__(self, status: int, words: str, **headers: str) -> None:
        super().__init__(words)
        self.status, self.words = status, words
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


@dataclass(frozen=True)
class Guard:
    """An ASGI application behind the rules: what breaks one never reaches it.

    It receives whole bodies: a request that arrives drop by drop waits here.
    """

    app: App
    address: Address
    token: str | None = None
    """The header that every request must carry: `Authorization: Bearer TOKEN`."""
    longest_body: int = 100_000
    """Bytes of a request, and of a message over a WebSocket."""
    body_s: float = 10.0
    """How long a body may take to arrive."""
    requests: RateLimit | None = None
    """For each client's address."""
    messages: RateLimit | None = None
    """For each WebSocket."""

    async def __call__(self, scope: _Message, receive: _Receive, send: _Send) -> None:
        """Answer one request or one WebSocket, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        answer = _Answer(send)
        try:
            self._check(scope)
            if scope["type"] == "http":
                body = await self._body(scope, receive)
                await self.app(scope, _replayed(body, receive), answer.send)
            else:
                await self.app(scope, self._limited(receive, answer), answer.send)
        except Refused as refused:
            await answer.refuse(scope, refused)
        except Exception as error:  # ours: the client learns that it was, and no more
            said = printable(error_words(error))
            print(f"arena: {scope.get('path')}: {said}", file=sys.stderr, flush=True)
            await answer.refuse(scope, Refused(HTTPStatus.INTERNAL_SERVER_ERROR, "a defect here"))

    def _check(self, scope: _Message) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if not self.address.allows(headers.get(b"host"), headers.get(b"origin")):
            raise Refused(HTTPStatus.FORBIDDEN, "a Host or an Origin that is not this server's")
        client = (scope.get("client") or ("",))[0]
        if self.requests is not None and not self.requests.allows(client):
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "too many requests", Retry_After="1")
        if self.token is not None:
            kind, _, given = headers.get(b"authorization", "").partition(" ")
            if kind.lower() != "bearer" or not same_token(given.strip(), self.token):
                raise Refused(
                    HTTPStatus.UNAUTHORIZED,
                    "expected 'Authorization: Bearer TOKEN' with this server's token",
                    WWW_Authenticate="Bearer",
                )

    async def _body(self, scope: _Message, receive: _Receive) -> bytes:
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if int(announced) > self.longest_body:  # the HTTP parser has checked that it is a number
            raise self._too_long
        parts, size = [], 0
        try:
            async with asyncio.timeout(self.body_s):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refused(HTTPStatus.BAD_REQUEST, "half a request")
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > self.longest_body:
                        raise self._too_long
                    if not message.get("more_body"):
                        return b"".join(parts)
        except TimeoutError:
            words = f"the body did not arrive within {self.body_s:g} s"
            raise Refused(HTTPStatus.REQUEST_TIMEOUT, words) from None

    @property
    def _too_long(self) -> Refused:
        words = f"a body of more than {self.longest_body:,} bytes"
        return Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, words)

    def _limited(self, receive: _Receive, answer: _Answer) -> _Receive:
        """Messages of a WebSocket, which is closed when there are too many or too long ones."""

        async def limited() -> _Message:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            if len(message.get("text") or message.get("bytes") or "") > self.longest_body:
                return await answer.close(1009)
            if self.messages is not None and not self.messages.allows(id(answer)):
                return await answer.close(1008)
            return message

        return limited


def _replayed(body: bytes, receive: _Receive) -> _Receive:
    """The body as one message, then whatever else happens to the connection."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> _Message:
        return left.pop() if left else await receive()

    return next_message


class _Answer:
    """The response, with the headers that every response has."""

    def __init__(self, send: _Send) -> None:
        self._send = send
        self._has_begun = False

    async def send(self, message: _Message) -> None:
        if message["type"] == "http.response.start":
            self._has_begun = True
            headers = list(message.get("headers", ()))
            known = {name.lower() for name, _ in headers}
            message["headers"] = headers + [pair for pair in _SAFE if pair[0] not in known]
        elif message["type"].startswith("websocket."):
            self._has_begun = True
        await self._send(message)

    async def refuse(self, scope: _Message, refused: Refused) -> None:
        if self._has_begun:
            return
        if scope["type"] == "websocket":  # answered with 403 by the server
            await self.send({"type": "websocket.close", "code": 1008, "reason": refused.words})
            return
        body = json.dumps({"error": refused.words}).encode()
        headers = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            "connection": "close",  # what is still to come of the request is not read
            **refused.headers,
        }
        pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await self.send(
            {"type": "http.response.start", "status": int(refused.status), "headers": pairs}
        )
        await self.send({"type": "http.response.body", "body": body})

    async def close(self, code: int) -> _Message:
        await self.send({"type": "websocket.close", "code": code})
        return {"type": "websocket.disconnect", "code": code}


_SAFE = tuple((name.lower().encode(), value.encode()) for name, value in (*SAFE_HEADERS, _NO_PAGE))

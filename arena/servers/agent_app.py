"""The protocol of docs/protocol.md over HTTP: one message in a request, one in its answer.

| request | body | answer |
|---|---|---|
| `GET /` | | 200: what is served here |
| `POST /sessions` | `hello` | 201, `ready`; `Location` says where the session is. Or 200, `error` |
| `POST /sessions/KEY` | `start`, `act` or `end` | 200 and a message, or 204 |
| `GET /sessions/KEY` | | 204 if there is such a session |
| `DELETE /sessions/KEY` | | 204: it is over, as after `quit` |
"""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from http import HTTPStatus
from typing import Any

from arena.process.messages import PROTOCOL, SESSIONS
from arena.servers.sessions import Sessions
from arena.web.guard import Refused


class AgentApp:
    """An ASGI application that lets an agent play; it belongs behind a `Guard`."""

    def __init__(self, name: str, sessions: Sessions) -> None:
        self.name, self.sessions = name, sessions

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            raise Refused(HTTPStatus.NOT_FOUND, "nothing is here")
        body = (await receive()).get("body", b"")
        status, answer, headers = await self._answer(scope, body)
        await send_json(send, status, answer, **headers)

    async def _answer(
        self, scope: MutableMapping[str, Any], body: bytes
    ) -> tuple[int, str, dict[str, str]]:
        method, path = scope["method"], scope["path"]
        if path == "/":
            check_method(method, "GET")
            about = {"agent": self.name, "protocol": PROTOCOL, "sessions": len(self.sessions)}
            return HTTPStatus.OK, json.dumps(about), {}
        if path == SESSIONS:
            check_method(method, "POST")
            check_json(scope)
            key, answer = await self.sessions.open(body)
            if key in self.sessions:
                return HTTPStatus.CREATED, answer, {"location": f"{SESSIONS}/{key}"}
            return HTTPStatus.OK, answer, {}  # an agent that cannot be made
        if not path.startswith(f"{SESSIONS}/"):
            raise Refused(HTTPStatus.NOT_FOUND, f"nothing is here; sessions begin at {SESSIONS}")
        key = path.removeprefix(f"{SESSIONS}/")
        check_method(method, "GET", "POST", "DELETE")
        if method == "POST":
            check_json(scope)
            answer = await self.sessions.say(key, body)
            return (HTTPStatus.OK if answer else HTTPStatus.NO_CONTENT), answer, {}
        if method == "DELETE":
            self.sessions.close(key)
        elif key not in self.sessions:
            raise Refused(HTTPStatus.NOT_FOUND, "no such session")
        return HTTPStatus.NO_CONTENT, "", {}


def check_method(method: str, *allowed: str) -> None:
    """Refuse any other method."""
    if method not in allowed:
        words = f"expected {' or '.join(allowed)}"
        raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, words, Allow=", ".join(allowed))


def check_json(scope: MutableMapping[str, Any]) -> None:
    """Refuse a body that does not say that it is JSON: a form of a page can say everything else."""
    kind = dict(scope["headers"]).get(b"content-type", b"").partition(b";")[0]
    if kind.strip().lower() != b"application/json":
        words = "expected 'Content-Type: application/json'"
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, words)


async def send_json(send: Any, status: int, text: str, **headers: str) -> None:
    """Send an answer; without text it has no body."""
    body = text.encode()
    if body:
        headers = {"content-type": "application/json", **headers}
    if status != HTTPStatus.NO_CONTENT:
        headers["content-length"] = str(len(body))
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": int(status), "headers": pairs})
    await send({"type": "http.response.body", "body": body})

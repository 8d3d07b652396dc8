"""An agent on a server: the family `http`.

The messages are those of `docs/protocol.md`, one in the body of each request. A session of the
server takes the place of a process: what goes wrong there is the agent's fault, in the same words.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import orjson

from arena.core.agent import parameter
from arena.core.errors import ArenaError
from arena.core.rules import Rules
from arena.process.child import PATIENCE_S, Channel, Misbehaved
from arena.process.client import Launch, PlaysElsewhere
from arena.process.connection import Answer, ServerConnection, Url
from arena.process.faults import cut
from arena.process.limits import Limits
from arena.process.messages import SESSIONS, TOKEN_VARIABLES

_ASKED_AFTER_S = 60.0
"""A session that has been silent for so long may have been forgotten: that is asked first."""
_LEAVE_S = 0.3
"""How long a server may take to end a session in which something went wrong."""
_MOST_PAUSE_S = 1.0
_BUSY = (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS)


class RemoteLaunch(Launch):
    """An agent that plays on a server: there is no process of ours to limit or to hide from."""

    what: str = "session"
    patience_s = 60.0

    def check(self, limits: Limits, isolate: object) -> None:
        """Refuse what cannot be had of a server."""
        if limits.memory_mb is not None or limits.network:
            raise ArenaError("limits: an agent on a server has no memory or network limits here")
        if isolate in ("process", "sandbox"):
            raise ArenaError(
                f"isolate: {isolate}: an agent on a server plays in no process of ours"
            )


class Endpoint(RemoteLaunch):
    """A server that speaks the protocol over HTTP."""

    def __init__(self, url: Url, token: str = "") -> None:
        """`token` is the name of an environment variable."""
        self.url, self.token = url, token

    def start(self, rules: Rules, memory_mb: int | None) -> SessionChannel:
        """A connection on which `hello` opens a session."""
        return SessionChannel(ServerConnection(self.url, _authorization(self.token)))


def _authorization(variable: str) -> dict[str, str]:
    if not variable:
        return {}
    token = os.environ.get(variable, "")
    if not token:
        raise Misbehaved("crash", f"has no token: the environment variable {variable} is not set")
    if not (token.isascii() and token.isprintable()):
        raise Misbehaved("crash", f"has no token: {variable} is not printable ASCII")
    return {"Authorization": f"Bearer {token}"}


class SessionChannel(Channel):
    """A session of a server, spoken to as to a process: every line is a request."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._path = ""
        """Of the session; empty until `hello` has opened it."""
        self._said = b""

    def send(self, line: bytes, until: float | None = None) -> None:
        """Send a line, and keep the answer; `until` is a time of `time.monotonic`."""
        answer = self._ask("POST", self._path or SESSIONS, line.rstrip(b"\n"), until)
        if not self._path and answer.status == HTTPStatus.CREATED:
            self._path = self._path_in(answer)  # an agent that cannot be made has no session
        if self._said:
            raise Misbehaved("protocol", "answered more than it was asked")
        self._said = answer.body.strip()

    def receive(self, until: float | None = None) -> bytes:
        """The answer to the last line."""
        said, self._said = self._said, b""
        if not said:
            raise Misbehaved("protocol", "answered without a message")
        return said

    @property
    def half_a_line(self) -> bytes:
        """Unrequested output; always empty, as responses come whole."""
        return self._said

    def is_over(self) -> bool:
        """Whether the server has forgotten a session that was silent for long: no fault."""
        if time.monotonic() - self._connection.used_at < _ASKED_AFTER_S:
            return False
        with suppress(TimeoutError, Misbehaved):
            until = time.monotonic() + PATIENCE_S
            return self._connection.ask("GET", self._path, b"", until).status in _GONE
        return False

    def end(self, last_words: bytes = b"") -> int | None:
        """End the session; 0 if the server agrees, None if it does not answer."""
        status: int | None = None
        if self._path:
            with suppress(TimeoutError, Misbehaved):
                until = time.monotonic() + (PATIENCE_S if last_words else _LEAVE_S)
                status = self._connection.ask("DELETE", self._path, b"", until).status
        self._connection.close()
        return 0 if status is not None and 200 <= status < 300 else status

    def _path_in(self, answer: Answer) -> str:
        """The path of a new session, below that of the server."""
        found = _PATH.fullmatch(answer.headers.get("location", ""))
        if found is None:
            raise Misbehaved("protocol", "did not say in 'Location' where the session is")
        return found.group(1).removeprefix(self._connection.url.path)

    def _ask(self, method: str, path: str, body: bytes, until: float | None) -> Answer:
        """The answer; a server that is busy is asked again as long as there is time."""
        while True:
            answer = self._connection.ask(method, path, body, until)
            if answer.status in _BUSY:
                pause = _pause(answer)
                if until is not None and time.monotonic() + pause >= until:
                    raise TimeoutError
                time.sleep(pause)
            elif answer.status in _GONE and self._path:
                said = (
                    f"has lost its session ({answer_words(answer)}): was the server started again?"
                )
                raise Misbehaved("crash", said)
            elif not 200 <= answer.status < 300:
                raise Misbehaved("protocol", f"answered {answer_words(answer)}")
            else:
                return answer


_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
_PATH = re.compile(r"(?:https?://[^/]+)?(/[!-~]{1,200})")


def _pause(answer: Answer) -> float:
    said = answer.headers.get("retry-after", "")
    return min(float(said), _MOST_PAUSE_S) if said.isdecimal() and said != "0" else 0.05


def answer_words(answer: Answer) -> str:
    """The status and what the server says about it."""
    said: Any = None
    with suppress(ValueError, AttributeError):
        said = orjson.loads(answer.body).get("error")
    return f"{answer.status}: {cut(said, 200)}" if isinstance(said, str) else str(answer.status)


@dataclass(frozen=True)
class Http(PlaysElsewhere):
    """An agent on a server that speaks the protocol over HTTP (docs/servers.md)."""

    url: str = parameter(help="where the server is, such as http://127.0.0.1:8765")
    token: str = parameter(
        "",
        help="name of an environment variable that holds the server's token; it begins with "
        f"{TOKEN_VARIABLES}",
    )
    sees_all_cards: bool = parameter(False, help="whether it sees all cards")
    reproducible: bool = parameter(
        True, help="whether the same view and seed always lead to the same action"
    )

    def __post_init__(self) -> None:
        # Another variable would let an experiment send any secret that it names to its server.
        if self.token and not self.token.startswith(TOKEN_VARIABLES):
            raise ArenaError(
                f"token: expected the name of an environment variable that begins with "
                f"{TOKEN_VARIABLES}, found {self.token!r}"
            )
        super().__post_init__()

    @property
    def launch(self) -> Endpoint:
        """How a session is opened."""
        return Endpoint(Url(self.url), self.token)

"""A player service of jass-kit as an agent: the family `jass-kit`.

Source: the package jass-kit 2.0.5, `jass.agents.AgentByNetwork`. Differs: an answer that does not
come in time, or is none, is a fault of the agent; no random card takes its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, ClassVar

import orjson

from arena.core.agent import parameter
from arena.core.codec import ViewCodec
from arena.core.rules import Rules
from arena.games.schieber.jass_kit import JassKitError, read_answer, write_observation
from arena.process.child import Channel, Misbehaved
from arena.process.client import PlaysElsewhere
from arena.process.connection import ServerConnection, Url
from arena.process.messages import PROTOCOL
from arena.process.remote import RemoteLaunch, answer_words

_READY = orjson.dumps({"type": "ready", "protocol": PROTOCOL})


class PlayerService(RemoteLaunch):
    """A player service at a URL."""

    def __init__(self, url: Url, timeout: float) -> None:
        self.url, self.patience_s = url, timeout

    def start(self, rules: Rules, memory_mb: int | None) -> PlayerChannel:
        """A connection to the player."""
        return PlayerChannel(ServerConnection(self.url), rules)


class PlayerChannel(Channel):
    """A player service, spoken to as to a process: each decision is a request of jass-kit's."""

    def __init__(self, connection: ServerConnection, rules: Rules) -> None:
        self._connection = connection
        self._read_view = ViewCodec(rules).reader()
        self._said = b""

    def send(self, line: bytes, until: float | None = None) -> None:
        """Send what jass-kit would, and keep the answer as a message."""
        message = orjson.loads(line)
        if message["type"] == "hello":
            answer = self._connection.ask("GET", "", b"", until)
            if answer.status != HTTPStatus.OK:
                raise Misbehaved("crash", f"is not there: it answered {answer_words(answer)}")
            self._said = _READY
        elif message["type"] == "act":
            self._said = orjson.dumps(self._decided(message, until))

    def _decided(self, message: dict[str, Any], until: float | None) -> dict[str, Any]:
        view = self._read_view(message["view"])
        what = "/action_play_card" if view.phase == "play" else "/action_trump"
        body = orjson.dumps({**write_observation(view), "gameId": 0})
        answer = self._connection.ask("POST", what, body, until)
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:  # it has caught it, and goes on
            return {"type": "error", "message": f"answered {answer_words(answer)}"}
        if answer.status != HTTPStatus.OK:
            raise Misbehaved("protocol", f"answered {answer_words(answer)}")
        try:
            action = read_answer(view, orjson.loads(answer.body))
        except (JassKitError, ValueError) as error:
            said = f"answered {answer.body[:60].decode(errors='replace')!r}: {error}"
            raise Misbehaved("protocol", said) from None
        numbers = {key: message[key] for key in ("deal", "decision")}
        return {"type": "action", **numbers, "action": action}

    def receive(self, until: float | None = None) -> bytes:
        """The answer to the last line."""
        said, self._said = self._said, b""
        return said

    def end(self, last_words: bytes = b"") -> int | None:
        """Close the connection."""
        self._connection.close()
        return 0


@dataclass(frozen=True)
class JassKit(PlaysElsewhere):
    """A player service of jass-kit (Schieber with `undertrump: jasskit`; docs/servers.md)."""

    url: str = parameter(help="where the player is, such as http://127.0.0.1:8888/dmcts")
    timeout: float = parameter(10.0, help="seconds for a decision", at_least=0.001)
    sees_all_cards: bool = parameter(False, help="whether it sees all cards")
    reproducible: bool = parameter(
        False, help="whether the same question always has the same answer: requests have no seed"
    )
    games: ClassVar[tuple[str, ...]] = ("schieber",)

    @property
    def launch(self) -> PlayerService:
        """How it is asked."""
        return PlayerService(Url(self.url), self.timeout)

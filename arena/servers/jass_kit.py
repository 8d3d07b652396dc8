"""Our agents as player services of jass-kit.

| request | answer |
|---|---|
| `GET /NAME` | 200 if there is this player, else 404 |
| `POST /NAME/action_trump` | `{"trump": 0..5}`, or 10 to push |
| `POST /NAME/action_play_card` | `{"card": "H10"}` |
| `POST /NAME/game_info` | 200 |

Errors are `{"error": ...}` with 400, 415 or 500, as there. Requests have no seed: it is made of the
server's and of the observation, so the same question has the same answer.
"""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from http import HTTPStatus
from queue import Empty, SimpleQueue
from typing import Any

import orjson

from arena.core.agent import Player, Setup
from arena.core.errors import ArenaError
from arena.core.rules import View
from arena.core.seeds import rng_for
from arena.games.possible import check_view
from arena.games.schieber.jass_kit import RULES, read_observation, write_answer, write_observation
from arena.process.faults import crash_words
from arena.servers.agent_app import check_json, check_method, send_json
from arena.servers.sessions import Agents, DecisionThreads, ServerLimits
from arena.web.guard import Refused, same_token

_ACTIONS = {"action_trump": "bid", "action_play_card": "play", "game_info": ""}


class PlayerApp:
    """An ASGI application with one player; it belongs behind a `Guard`."""

    def __init__(
        self, name: str, agents: Agents, limits: ServerLimits, *, token: str | None, seed: int = 0
    ) -> None:
        """With a token the player is at `/TOKEN/NAME`: jass-kit's clients send no headers."""
        self.name, self.token, self.seed = name, token, seed
        self._agents, self._thinking, self._seconds = (
            agents,
            DecisionThreads(limits),
            limits.seconds,
        )
        self._idle: SimpleQueue[Player] = SimpleQueue()
        """Players that are not thinking: each is in one decision at a time."""

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            raise Refused(HTTPStatus.NOT_FOUND, "nothing is here")
        body = (await receive()).get("body", b"")
        await send_json(send, HTTPStatus.OK, json.dumps(await self._answer(scope, body)))

    async def _answer(self, scope: MutableMapping[str, Any], body: bytes) -> Any:
        words = scope["path"].split("/")[1:]
        if self.token is not None and not same_token(words.pop(0), self.token):
            raise Refused(HTTPStatus.NOT_FOUND, "nothing is here")
        if len(words) == 1:
            check_method(scope["method"], "GET")
            if words[0] != self.name:
                raise Refused(HTTPStatus.NOT_FOUND, "no such player")
            return f"Player {self.name} here"
        if len(words) != 2 or words[1] not in _ACTIONS:
            raise Refused(HTTPStatus.NOT_FOUND, f"expected /{self.name}/ and {', '.join(_ACTIONS)}")
        check_method(scope["method"], "POST")
        if words[0] != self.name:
            raise Refused(HTTPStatus.BAD_REQUEST, "player not found")
        check_json(scope)
        phase = _ACTIONS[words[1]]
        try:
            data = orjson.loads(body)
            if not phase:
                return ""
            view = read_observation(data)
            check_view(view)
        except (ArenaError, ValueError) as error:
            raise Refused(HTTPStatus.BAD_REQUEST, str(error)[:300]) from None
        if view.phase != phase:
            raise Refused(HTTPStatus.BAD_REQUEST, f"{words[1]}: the phase is {view.phase!r}")
        return await self._thinking.do(lambda: self._act(view), self._seconds)

    def _act(self, view: View) -> dict[str, Any]:
        try:
            player = self._idle.get_nowait()
        except Empty:
            player = self._agents.build(RULES)
        rng = rng_for(self.seed, "jass-kit", json.dumps(write_observation(view)))
        try:
            action = player.take_seat(Setup(RULES, view.seat)).act(view, rng)
        except Exception as error:  # the agent's, whatever it is
            raise Refused(HTTPStatus.INTERNAL_SERVER_ERROR, crash_words(error)) from None
        finally:
            self._idle.put(player)
        if action not in view.legal:
            raise Refused(HTTPStatus.INTERNAL_SERVER_ERROR, "the agent played what is not legal")
        return write_answer(action)

"""Many games at once against one server: what `arena bench protocol` says about that.

One connection and one session a game. All sessions are opened before the first card is asked for,
and none is ended before the last: the server holds all games at once. The seat N of every game is
the server's, the other seats play at random here.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

from arena.core.codec import codec_for
from arena.core.deals import Deal
from arena.core.rules import Rules
from arena.core.seeds import Rng
from arena.process.connection import Url
from arena.process.messages import SESSIONS, hello

_SEAT = 0


@dataclass(frozen=True)
class Load:
    """The result of many games at once."""

    games: int
    """Played to their ends without a fault."""
    decisions: int
    seconds: float
    """For all decisions."""
    waits_s: tuple[float, ...]
    """How long each decision was waited for, in ascending order."""
    actions: tuple[tuple[str, ...], ...]
    """The server's actions in each game."""


@contextmanager
def serving(agent: str) -> Iterator[tuple[str, psutil.Process]]:
    """`arena serve` in a process of its own: its URL and the process."""
    words = [sys.executable, "-m", "arena", "serve", "--port", "0", agent]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None  # a pipe
        try:
            yield server.stdout.readline().split()[-1], psutil.Process(server.pid)
        finally:
            server.terminate()


def play_at_once(url: str, rules: Rules, deals: Sequence[Deal]) -> Load:
    """Play all deals at once."""
    return asyncio.run(_play_all(Url(url), rules, deals))


async def _play_all(url: Url, rules: Rules, deals: Sequence[Deal]) -> Load:
    games = [_Game(url, rules, deal, number) for number, deal in enumerate(deals)]
    opened = await asyncio.gather(*(game.open() for game in games), return_exceptions=True)
    held = [game for game, error in zip(games, opened, strict=True) if error is None]
    began = time.perf_counter()
    played = await asyncio.gather(*(game.play() for game in held), return_exceptions=True)
    seconds = time.perf_counter() - began
    await asyncio.gather(*(game.close() for game in held), return_exceptions=True)
    waits = tuple(sorted(wait for game in held for wait in game.waits_s))
    actions = tuple(tuple(game.actions) for game in games)
    return Load(sum(error is None for error in played), len(waits), seconds, waits, actions)


class _Game:
    def __init__(self, url: Url, rules: Rules, deal: Deal, number: int) -> None:
        self.url, self.rules, self.deal, self.number = url, rules, deal, number
        self.waits_s: list[float] = []
        self.actions: list[str] = []
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter
        self._path = SESSIONS

    async def open(self) -> None:
        self._reader, self._writer = await asyncio.open_connection(self.url.host, self.url.port)
        head, _ = await self._ask("POST", hello(self.rules))
        self._path = next(
            line.split()[1] for line in head.splitlines() if line.lower().startswith("location:")
        )

    async def play(self) -> None:
        state, rng = self.rules.start(self.deal), Rng(self.number)
        codec = codec_for(self.rules)
        await self._ask("POST", '{"type":"start","deal":1,"seat":"N"}')
        while state.turn is not None:
            if state.turn != _SEAT:
                self.rules.apply(state, rng.choice(state.legal))
                continue
            view = codec.encode(self.rules.view(state, _SEAT))
            message = (
                f'{{"type":"act","deal":1,"decision":{len(self.waits_s)},'
                f'"seed":"{rng.next64()}","view":{view}}}'
            )
            began = time.perf_counter()
            _, body = await self._ask("POST", message)
            self.waits_s.append(time.perf_counter() - began)
            self.actions.append(json.loads(body)["action"])
            self.rules.apply(state, codec.read_action(self.actions[-1]))
        await self._ask("POST", '{"type":"end","deal":1,"result":null}')

    async def close(self) -> None:
        await self._ask("DELETE", "")
        self._writer.close()
        await self._writer.wait_closed()

    async def _ask(self, method: str, text: str) -> tuple[str, bytes]:
        body = text.encode()
        head = (
            f"{method} {self._path} HTTP/1.1\r\nHost: {self.url.name}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        found = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        if not found.startswith("HTTP/1.1 2"):
            raise ConnectionError(found.partition("\r")[0])
        lengths = [
            int(line.split(":")[1])
            for line in found.splitlines()
            if line.lower().startswith("content-length:")
        ]
        return found, await self._reader.readexactly(sum(lengths))

"""The conversations of a server: each is what a process would be, and has an agent of its own.

Decisions are made in threads, a few at a time; those that wait are few as well, and who comes then
is asked to come again. A decision that does not come back loses its session and its thread, but
not the server.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import TypeVar

import orjson

from arena.config.entrants import AgentSpec
from arena.core.agent import Player
from arena.core.agent import parameter as limit
from arena.core.errors import ArenaError
from arena.core.rules import Rules
from arena.games.needs import why_not
from arena.games.possible import check_next_view
from arena.process.builder import Builder
from arena.process.client import START_S
from arena.process.faults import cut
from arena.process.serve import NO_MESSAGE, AgentServer
from arena.tournament.practice import announced, practise, unpractised
from arena.tournament.referee import Clock, first_decisions
from arena.web.guard import Refused

T = TypeVar("T")

_MOST_LOST = 16
"""Decisions that never came back: the server answers no client after so many."""
_FORGOTTEN_S = 60.0
"""A session that has been silent for so long makes place for a new one."""


@dataclass(frozen=True)
class ServerLimits:
    """How much a server does at a time."""

    threads: int = limit(os.cpu_count() or 1, help="decisions at a time", at_least=1)
    waiting: int = limit(4096, help="messages that wait; more are refused", at_least=1)
    sessions: int = limit(4096, help="sessions at a time", at_least=1)
    seconds: float = limit(60.0, help="for a decision; its session ends then", at_least=0.001)
    idle: float = limit(3600.0, help="seconds after which a silent session ends", at_least=1)


class DecisionThreads:
    """Threads in which agents think."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._free = asyncio.Semaphore(limits.threads)
        # Threads of decisions that never come back are not missed by the others.
        self._threads = ThreadPoolExecutor(limits.threads + _MOST_LOST, "agent")
        self._waiting = self._lost = 0

    async def do(self, work: Callable[[], T], seconds: float) -> T:
        """The result of `work`; `Refused` if too many wait, or if it does not come back."""
        if self._waiting >= self._limits.waiting:
            raise busy("too many messages wait here")
        if self._lost >= _MOST_LOST:
            raise busy("too many decisions never came back: start this server again")
        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1
        try:
            future = self._threads.submit(work)
            done = asyncio.wrap_future(future)
            finished, _ = await asyncio.wait([done], timeout=seconds)
        finally:
            self._free.release()
        if not finished:
            done.cancel()  # what it raises later concerns no client
            self._lost += 1
            future.add_done_callback(self._came_back)
            words = f"no decision within {seconds:g} s"
            raise Refused(HTTPStatus.GATEWAY_TIMEOUT, words)
        return done.result()

    def do_later(self, work: Callable[[], object]) -> None:
        """Run something without waiting for it."""
        self._threads.submit(work)

    def _came_back(self, _: Future[T]) -> None:
        self._lost -= 1


def busy(words: str) -> Refused:
    """A refusal after which a client may come again."""
    return Refused(HTTPStatus.SERVICE_UNAVAILABLE, words, Retry_After="1")


@dataclass
class _Session:
    server: AgentServer
    said_at: float = field(default_factory=time.monotonic)
    is_asked: bool = False
    in_deal: bool = False


class Sessions:
    """All conversations of a server."""

    def __init__(self, agents: Agents, limits: ServerLimits) -> None:
        self._agents, self._limits = agents, limits
        self._thinking = DecisionThreads(limits)
        self._sessions: dict[str, _Session] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def __contains__(self, key: str) -> bool:
        return key in self._sessions

    async def open(self, hello: bytes) -> tuple[str, str]:
        """A new session, begun by this message: its key and the answer."""
        if len(self._sessions) >= self._limits.sessions:
            self._forget_silent()
        session = _Session(AgentServer(self._agents.build, check_next_view))
        answer = await self._asked(session, hello, ("hello",))
        key = secrets.token_urlsafe(16)
        if '"ready"' in answer[:40]:  # an agent that cannot be built has no session
            if len(self._sessions) >= self._limits.sessions:
                raise busy(f"there are {self._limits.sessions} sessions already")
            self._sessions[key] = session
        return key, answer

    async def say(self, key: str, line: bytes) -> str:
        """A session's answer to a message; empty for none."""
        session = self._sessions.get(key)
        if session is None:
            raise Refused(HTTPStatus.NOT_FOUND, "no such session")
        if session.is_asked:
            raise Refused(HTTPStatus.CONFLICT, "this session is still busy with a message")
        try:
            return await self._asked(session, line, ("start", "act", "end"))
        except Refused as refused:
            if refused.status == HTTPStatus.GATEWAY_TIMEOUT:
                self._end(key)
            raise

    def close(self, key: str) -> None:
        """End a session."""
        if key not in self._sessions:
            raise Refused(HTTPStatus.NOT_FOUND, "no such session")
        self._end(key)

    def _end(self, key: str) -> None:
        session = self._sessions.pop(key, None)
        if session is not None:
            self._thinking.do_later(session.server.close)

    async def _asked(self, session: _Session, line: bytes, kinds: tuple[str, ...]) -> str:
        session.is_asked, session.said_at = True, time.monotonic()
        try:
            message = orjson.loads(line)
            if message["type"] not in kinds:
                raise ValueError(f"expected a message of type {' or '.join(kinds)}")
            answer = await self._thinking.do(
                lambda: session.server.answer_message(message),
                START_S if message["type"] == "hello" else self._limits.seconds,
            )
        except NO_MESSAGE as error:
            raise Refused(HTTPStatus.BAD_REQUEST, _in_a_line(error)) from None
        finally:
            session.is_asked, session.said_at = False, time.monotonic()
        session.in_deal = message["type"] in ("start", "act")
        return answer or ""

    def _forget_silent(self) -> None:
        """End sessions that have been silent for too long; else the longest silent one."""
        now = time.monotonic()
        silent = {
            key: now - session.said_at
            for key, session in self._sessions.items()
            if not session.is_asked
        }
        for key, seconds in silent.items():
            if seconds > self._limits.idle:
                self._end(key)
        if len(self._sessions) < self._limits.sessions:
            return
        between_deals = {
            key: seconds
            for key, seconds in silent.items()
            if seconds > _FORGOTTEN_S and not self._sessions[key].in_deal
        }
        if not between_deals:
            raise busy(f"there are {self._limits.sessions} sessions already")
        self._end(max(between_deals, key=between_deals.__getitem__))


class Agents:
    """The agent of a server, made once for each session."""

    def __init__(self, spec: AgentSpec) -> None:
        self.spec = spec
        self._builder = spec.builder()
        self._build().close()  # its errors are reported before the first request
        self._lock = threading.Lock()
        self._practised: set[Rules] = set()

    def _build(self) -> Player:
        return self._builder.build()

    def compile_for(self, all_rules: Iterable[Rules], say: Callable[[str], None]) -> None:
        """Compile what the agent needs where it plays, once per machine: no client waits for it."""
        player = self._build()
        played = [rules for rules in all_rules if why_not(player.cards, rules) is None]
        player.close()
        missing = [(rules, *each) for rules in played for each in self._unpractised(rules)]
        if missing:
            with announced(say, None):
                for rules, stamp, builder in missing:
                    practise(rules, builder, stamp)

    def _unpractised(self, rules: Rules) -> Iterable[tuple[Path, Builder]]:
        return unpractised(rules, [self._builder]).items()

    def build(self, rules: Rules) -> Player:
        """An agent for these rules, with its compiled code loaded."""
        player = self._build()
        if (why := why_not(player.cards, rules)) is not None:
            raise ArenaError(f"{self.spec.family!r} {why}")
        with self._lock:
            if rules not in self._practised:
                first = self._build()
                first_decisions(rules, first, Clock())
                first.close()
                self._practised.add(rules)
        return player


def _in_a_line(error: BaseException) -> str:
    said = " ".join(str(error).split())
    if isinstance(error, KeyError):
        said = f"{said} is missing"
    elif not isinstance(error, ArenaError):
        said = f"no message of the protocol: {said or type(error).__name__}"
    return cut(said, 300)

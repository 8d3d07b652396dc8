"""The agent's side of the protocol, for any agent of ours.

Standard output belongs to the protocol. What an agent prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from time import perf_counter_ns
from typing import Any, BinaryIO

import orjson

from arena.core.agent import Player, Remembers, Setup
from arena.core.cards import parse_seat
from arena.core.codec import ViewCodec, decode_rules
from arena.core.errors import ArenaError
from arena.core.rules import Rules, View
from arena.core.seeds import Rng
from arena.process.faults import crash_words, shown, whole_number
from arena.process.messages import PROTOCOL

NO_MESSAGE = (ArenaError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors raised by lines that are no messages of the protocol."""


@contextmanager
def standard_streams() -> Iterator[tuple[BinaryIO, int]]:
    """Standard input and output for the protocol, out of reach of what the agent prints."""
    with os.fdopen(os.dup(0), "rb") as lines, os.fdopen(os.dup(1), "wb") as answers:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        yield lines, answers.fileno()


def serve(build: Callable[[Rules], Player], lines: BinaryIO, answers: int) -> None:
    """Answer every line until there are no more, or `quit` comes.

    `build` makes the agent, once the rules are known; `answers` is a file descriptor.
    """
    server = AgentServer(build)
    with suppress(BrokenPipeError):
        for line in lines:
            try:
                answer = server.answer(line)
            except NO_MESSAGE as error:
                answer = _error(error)
            if answer is None:
                return
            if answer:
                _write(answers, answer.encode() + b"\n")


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _unchecked(last: View | None, view: View) -> None:
    """Views of arena need no check."""


class AgentServer:
    """Answers the messages of one conversation."""

    def __init__(
        self,
        build: Callable[[Rules], Player],
        check: Callable[[View | None, View], object] = _unchecked,
    ) -> None:
        """`check` raises an `ArenaError` for a view that cannot be; it is given the last one of
        the deal, too, if there was one."""
        self._build, self._check = build, check
        self._last: View | None = None
        self._codec: ViewCodec
        self._read_view: Callable[[Mapping[str, Any]], View]
        self._player: Player | None = None
        self._seated: Player

    def close(self) -> None:
        """Close the agent; nothing is asked any more."""
        if self._player is not None:
            self._player.close()

    def answer(self, line: bytes) -> str | None:
        """The answer; empty for none, None to end.

        Raises one of `NO_MESSAGE` for what is none; what the agent raises is an answer.
        """
        return self.answer_message(orjson.loads(line))

    def answer_message(self, message: dict[str, Any]) -> str | None:
        """The same for a message that has been parsed."""
        kind = message["type"]
        if kind == "act":
            return self._act(message)
        if kind == "start":
            return self._start(message)
        if kind == "hello":
            return self._hello(message)
        return None if kind == "quit" else ""

    def _hello(self, message: dict[str, Any]) -> str:
        rules = decode_rules(message["rules"])
        self._codec = ViewCodec(rules)
        self._read_view = self._codec.reader()
        try:
            player = self._player = self._seated = self._build(rules)
        except (Exception, SystemExit) as error:
            return _error(error)
        confirms = isinstance(player.cards, Remembers)
        return json.dumps({"type": "ready", "protocol": PROTOCOL, "confirms": confirms})

    def _start(self, message: dict[str, Any]) -> str:
        seat, deal = parse_seat(message["seat"]), _number(message, "deal")
        self._last = None
        player = self._player
        if player is None:
            raise ValueError("start before hello")
        if not isinstance(player.cards, Remembers):
            return ""
        try:
            self._seated = player.take_seat(Setup(self._codec.rules, seat))
        except (Exception, SystemExit) as error:
            return _error(error)
        return json.dumps({"type": "started", "deal": deal})

    def _act(self, message: dict[str, Any]) -> str:
        view = self._read_view(message["view"])
        self._check(self._last, view)
        self._last = view
        rng = Rng(int(message["seed"]))
        deal, decision = _number(message, "deal"), _number(message, "decision")
        began = perf_counter_ns()
        try:
            answer = self._seated.act(view, rng)
        except (Exception, SystemExit) as error:
            return _error(error)
        seconds = (perf_counter_ns() - began) / 1e9
        action = _name(self._codec, answer)
        return (
            f'{{"type":"action","deal":{deal},"decision":{decision},'
            f'"action":{action},"seconds":{seconds:.9f}}}'
        )


def _number(message: dict[str, Any], name: str) -> int:
    value = message[name]
    if value.__class__ is not int:
        raise TypeError(f"{name}: expected a number")
    return int(value)


def _name(codec: ViewCodec, answer: Any) -> str:
    """An action by its name; anything else as it looks, which is no action's name. As JSON."""
    action = whole_number(answer)
    try:
        name = codec.write_action(action) if action >= 0 else shown(answer)
    except IndexError:
        name = shown(answer)
    return json.dumps(name)


def _error(error: BaseException) -> str:
    detail = "".join(traceback.format_exception(error))
    return json.dumps({"type": "error", "message": crash_words(error), "detail": detail[-20_000:]})

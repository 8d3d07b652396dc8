"""A process as an ordinary agent, or a session of a server that speaks the same protocol.

Each seat has a process of its own, so that nothing an agent remembers can carry a hand
across the table. It is kept from deal to deal. A fault that leaves it in doubt (no answer in
time, too much memory, not the protocol, its end) ends it; the next deal has a new one.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from math import nan
from pathlib import Path
from typing import Any

import orjson

from arena.core.agent import Setup
from arena.core.cache_folder import cache_folder
from arena.core.cards import SEATS
from arena.core.codec import CodecError, ViewCodec
from arena.core.rules import Action, Outcome, Rules, View
from arena.core.seeds import Rng
from arena.process.builder import Builder
from arena.process.child import Channel, Child, Misbehaved
from arena.process.faults import AgentFault, FaultKind
from arena.process.limits import Limits
from arena.process.messages import PROTOCOL, hello, result_of
from arena.process.sandbox import Sandbox, needed_by_python

START_S = 60.0
"""How long a process may take to be ready."""
LOADING_S = 10.0
"""Additional time for the first decision of a fresh process, which loads compiled code."""
SLACK_S = 0.25
"""Time for an answer on its way, where the agent measures its own time."""


_NO_LIMITS = Limits()


class Launch(ABC):
    """How to start the process of an agent: a value that can be sent to a worker."""

    what: str = "process"
    """The name of the program, for messages."""
    loads_late: bool = False
    """Whether the first decision takes longer than the others."""
    patience_s: float | None = None
    """How long a decision may take if nothing is said about that."""

    sandbox: Sandbox | None = None
    """Its sandbox; None for a plain process."""

    def inside(self, sandbox: Sandbox) -> Launch:
        """The same in a sandbox."""
        launch = copy(self)
        launch.sandbox = sandbox
        return launch

    def check(self, limits: Limits, isolate: object) -> None:
        """Raise `ArenaError` if it cannot be limited or isolated in this way."""
        return

    @abstractmethod
    def start(self, rules: Rules, memory_mb: int | None) -> Channel:
        """A fresh process that waits for `hello`, to play by these rules."""


class Program(Launch):
    """Any program that speaks the protocol."""

    patience_s = 60.0  # one that never answers would stop everything

    def __init__(
        self, argv: Sequence[str], folder: str | None = None, files: Sequence[Path] = ()
    ) -> None:
        """`files` are those that it needs and that its command does not name."""
        self.argv, self.folder, self._files = tuple(argv), folder, tuple(map(str, files))

    def start(self, rules: Rules, memory_mb: int | None) -> Child:
        """Run the program."""
        sandbox = self.sandbox and self.sandbox.showing(*self._files)
        return Child(self.argv, folder=self.folder, memory_mb=memory_mb, sandbox=sandbox)


class Isolated(Launch):
    """One of our agents, in a Python process of its own.

    The builder is pickled here and not looked into again: a worker that starts the process does
    not import the agent's code.
    """

    loads_late = True

    def __init__(self, builder: Builder, files: Sequence[Path] = ()) -> None:
        """`files` are its models and its code, if that is in files of its own."""
        self._builder, self._files = _line_of(builder), tuple(map(str, files))

    def start(self, rules: Rules, memory_mb: int | None) -> Child:
        """Start Python and send it the builder and the place of the game."""
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        shown = (*needed_by_python(), str(cache_folder()), *self._files)
        sandbox = self.sandbox and self.sandbox.showing(*shown)
        child = Child(
            [sys.executable, "-m", "arena.process"],
            environment={"PYTHONPATH": path},
            memory_mb=memory_mb,
            sandbox=sandbox,
        )
        try:
            child.send(
                _line_of({rules.name: type(rules)}) + self._builder, time.monotonic() + START_S
            )
        except BaseException:
            child.end()
            raise
        return child


def _line_of(thing: Any) -> bytes:
    # Here, so that the process of an agent does not load it.
    import cloudpickle

    return base64.b64encode(cloudpickle.dumps(thing)) + b"\n"


class ProcessAgent:
    """Plays by asking processes, one for each seat it takes; `close` ends them."""

    def __init__(
        self,
        launch: Launch,
        limits: Limits = _NO_LIMITS,
        *,
        sees_all_cards: bool = False,
        reproducible: bool = True,
        model_hash: str | None = None,
        fresh: bool = False,
    ) -> None:
        self.launch, self.limits, self.fresh = launch, limits, fresh
        self.sees_all_cards, self.reproducible = sees_all_cards, reproducible
        self.model_hash = model_hash
        self._seats: dict[int, Seated] = {}
        self._never_ready: AgentFault | None = None
        """Why no process is started any more: one has not got ready, and another would not."""

    def __getstate__(self) -> dict[str, Any]:
        """Without the processes: a copy starts its own."""
        return {**vars(self), "_seats": {}, "_never_ready": None}

    def take_seat(self, setup: Setup) -> Seated:
        """Begin a deal in a seat; its process is started if there is none."""
        if self._never_ready is not None:
            raise self._never_ready
        seated = self._seats.get(setup.seat)
        if seated is None:
            seated = self._seats[setup.seat] = Seated(self.launch, self.limits)
        elif self.fresh:
            seated.close()
        try:
            seated.start_deal(setup)
        except AgentFault as fault:
            if fault.kind == "stuck":
                self._never_ready = fault
            raise
        return seated

    def act(self, view: View, rng: Rng) -> Action:
        """What the process answers that has taken the seat; it takes it now if it has not."""
        seated = self._seats.get(view.seat) or self.take_seat(Setup(view.rules, view.seat))
        return seated.act(view, rng)

    @property
    def process_ids(self) -> list[int]:
        """The numbers of the processes there are."""
        return [child.pid for child in self._children()]

    @property
    def memory_mb(self) -> float:
        """Resident memory of all of them."""
        return sum(child.memory_mb for child in self._children())

    def _children(self) -> list[Child]:
        found = (seated.child for seated in self._seats.values())
        return [child for child in found if isinstance(child, Child)]

    def close(self) -> None:
        """End the processes; another deal would start new ones."""
        for seated in self._seats.values():
            seated.close()


class PlaysElsewhere(ABC):
    """Base of families (frozen dataclasses) that only pass on what a process or a server plays."""

    _asked: ProcessAgent

    def __post_init__(self) -> None:
        launch = self.launch
        object.__setattr__(self, "_asked", ProcessAgent(launch, Limits(launch.patience_s)))

    @property
    @abstractmethod
    def launch(self) -> Launch:
        """How a process is started, or a session opened."""

    def take_seat(self, setup: Setup) -> Seated:
        """Begin a deal."""
        return self._asked.take_seat(setup)

    def act(self, view: View, rng: Rng) -> Action:
        """The answer of that session."""
        return self._asked.act(view, rng)

    def close(self) -> None:
        """End the processes, or the sessions."""
        self._asked.close()


class Seated:
    """One process or session, in one seat."""

    def __init__(self, launch: Launch, limits: Limits) -> None:
        self.launch, self.limits = launch, limits
        self.nanoseconds: float = 0
        """How long the last decision took, without the way to the process and back."""
        self.child: Channel | None = None
        self._codec: ViewCodec | None = None
        self._confirms = False
        self._fresh = False
        self._deal = 0
        self._decision = 0
        self._used_s = 0.0

    # --- a deal --------------------------------------------------------------------------

    def start_deal(self, setup: Setup) -> None:
        """Begin a deal; the process is started if there is none."""
        try:
            child = self._ready(setup.rules)
            self._deal, self._decision, self._used_s = self._deal + 1, 0, 0.0
            seat = SEATS[setup.seat]
            until = time.monotonic() + START_S
            start = b'{"type":"start","deal":%d,"seat":"%s"}\n' % (self._deal, seat.encode())
            child.send(start, until)
            if self._confirms:
                answer = self._answer(child, until)
                if answer.get("type") != "started" or answer.get("deal") != self._deal:
                    raise Misbehaved("protocol", f"did not confirm the start: {_short(answer)}")
        except TimeoutError:
            raise self._give_up("stuck", f"did not get ready within {START_S:g} s") from None
        except Misbehaved as error:
            raise self._give_up(error.kind, error.words, error.detail) from None

    def act(self, view: View, rng: Rng) -> Action:
        """The answer of the process."""
        child, codec = self.child, self._codec
        if child is None or codec is None:
            raise AgentFault("crash", "has no process: it ended before")
        decision = self._decision
        self._decision = decision + 1
        line = (
            f'{{"type":"act","deal":{self._deal},"decision":{decision},'
            f'"seed":"{rng.state}","view":{codec.encode(view)}}}\n'
        )
        started = time.perf_counter_ns()
        try:
            if child.half_a_line:
                raise Misbehaved(
                    "protocol", f"said more than it was asked: {_short(child.half_a_line)}"
                )
            until = self._until()
            child.send(line.encode(), until)
            answer = self._answer(child, until)
            return self._action(answer, decision, view, time.perf_counter_ns() - started)
        except TimeoutError:
            raise self._give_up("stuck", self._too_long(child)) from None
        except Misbehaved as error:
            raise self._give_up(error.kind, error.words, error.detail) from None

    def end_deal(self, outcome: Outcome | None) -> None:
        """Send the result of the deal."""
        if self.child is None:
            return
        message = {"type": "end", "deal": self._deal, "result": result_of(outcome)}
        try:
            self.child.send(json.dumps(message).encode() + b"\n", time.monotonic() + START_S)
        except (TimeoutError, Misbehaved):
            self._end()  # the deal is over; the next one has a new process

    def close(self) -> int | None:
        """End the process; another deal would start a new one.

        Its exit code; None if it had to be killed, or there was none.
        """
        if self.child is None:
            return None
        child, self.child = self.child, None
        return child.end(b'{"type":"quit"}\n')

    def name_of(self, action: Action) -> str:
        """An action in the words of the protocol."""
        return "nothing" if self._codec is None else self._codec.write_action(action)

    # --- the process ---------------------------------------------------------------------

    def _ready(self, rules: Rules) -> Channel:
        if self.child is not None and self._codec is not None and self._codec.rules == rules:
            if not self.child.is_over():
                return self.child
            self._end()
        self.close()
        child = self.launch.start(rules, self.limits.memory_mb)
        try:
            self._confirms = self._greeted(child, rules)
        except BaseException:
            child.end()
            raise
        self.child, self._codec, self._deal, self._fresh = child, ViewCodec(rules), 0, True
        return child

    def _greeted(self, child: Channel, rules: Rules) -> bool:
        """Say hello; whether the agent answers every start."""
        until = time.monotonic() + START_S
        child.send(hello(rules).encode() + b"\n", until)
        answer = self._answer(child, until)
        if answer.get("type") != "ready":
            raise Misbehaved("protocol", f"did not answer hello with ready: {_short(answer)}")
        if answer.get("protocol") != PROTOCOL:
            spoken = f"speaks protocol {answer.get('protocol')!r}, this is {PROTOCOL}"
            raise Misbehaved("protocol", spoken)
        return bool(answer.get("confirms"))

    def _answer(self, child: Channel, until: float | None) -> dict[str, Any]:
        line = child.receive(until)
        try:
            answer = orjson.loads(line)
        except ValueError:
            raise Misbehaved("protocol", f"sent a line that is no JSON: {_short(line)}") from None
        if answer.__class__ is not dict:
            raise Misbehaved("protocol", f"sent a line that is no object: {_short(answer)}")
        if answer.get("type") == "error":
            # The process has caught it and goes on: so does a later deal.
            message, detail = answer.get("message"), answer.get("detail", "")
            raise AgentFault("crash", str(message), str(detail))
        return answer

    def _action(self, answer: dict[str, Any], decision: int, view: View, elapsed: int) -> Action:
        if answer.get("type") != "action":
            raise Misbehaved("protocol", f"did not answer with an action: {_short(answer)}")
        if answer.get("deal") != self._deal or answer.get("decision") != decision:
            raise Misbehaved(
                "protocol",
                f"answered for deal {answer.get('deal')!r}, decision {answer.get('decision')!r} "
                f"when asked for deal {self._deal}, decision {decision}",
            )
        if self._fresh and self.launch.loads_late:
            self.nanoseconds = nan  # mostly the loading, which is not its thinking
        else:
            self.nanoseconds = _own_time(answer, elapsed)
            self._used_s += self.nanoseconds / 1e9
            self._check_time()
        self._fresh = False
        name, codec = answer.get("action"), self._codec
        assert codec is not None  # it was asked, so it was greeted
        try:
            return codec.read_action(name)
        except CodecError:
            legal = " ".join(map(codec.write_action, view.legal))
            played = name if isinstance(name, str) else json.dumps(name)
            raise AgentFault(
                "illegal", f"played {played[:60]}, legal: {legal} (an action is one of view.legal)"
            ) from None

    def _until(self) -> float | None:
        limits = self.limits
        left = [
            limits.seconds_per_decision,
            None if limits.seconds_per_deal is None else limits.seconds_per_deal - self._used_s,
        ]
        known = [x for x in left if x is not None]
        if not known:
            return None
        loading = LOADING_S if self._fresh and self.launch.loads_late else 0.0
        return time.monotonic() + min(known) + SLACK_S + loading

    def _check_time(self) -> None:
        most = self.limits.seconds_per_decision
        if most is not None and self.nanoseconds > most * 1e9:
            raise AgentFault("overtime", f"thought longer than {most:g} s")
        most = self.limits.seconds_per_deal
        if most is not None and self._used_s > most:
            raise AgentFault("overtime", f"thought longer than {most:g} s in one deal")

    def _too_long(self, child: Channel) -> str:
        half = f", only half a line: {_short(child.half_a_line)}" if child.half_a_line else ""
        limits = self.limits
        most = limits.seconds_per_decision
        if most is not None:
            deal = limits.seconds_per_deal
            if deal is None or deal - self._used_s >= most:
                return f"did not come back within {most:g} s{half}"
        return f"did not come back within the {limits.seconds_per_deal:g} s of the deal{half}"

    def _give_up(self, kind: FaultKind, words: str, detail: str = "") -> AgentFault:
        self._end()
        return AgentFault(kind, words, detail)

    def _end(self) -> None:
        if self.child is not None:
            child, self.child = self.child, None
            child.end()


def _own_time(answer: dict[str, Any], elapsed: int) -> int:
    """The time that the agent reports, if possible: transport is not its time."""
    seconds = answer.get("seconds")
    if seconds.__class__ is not float and seconds.__class__ is not int:
        return elapsed
    claimed = int(seconds * 1e9) if 0 <= seconds < 1e9 else elapsed
    # An agent cannot talk itself out of its time: more than the way is counted.
    return claimed if elapsed - claimed < SLACK_S * 1e9 and claimed <= elapsed else elapsed


def _short(said: Any) -> str:
    text = said.decode(errors="replace") if isinstance(said, bytes) else json.dumps(said)
    text = " ".join(text.split())
    return repr(text if len(text) <= 60 else text[:57] + "...")

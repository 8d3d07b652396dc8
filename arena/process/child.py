"""A child process that answers lines: started, limited, and ended whatever it does.

Time and memory are watched while an answer is awaited. A child leads a session of its own,
so that it is ended with all that it has started; its environment carries a token by which
even those are found that have left the session. The reaper does the same should this
process be the one that ends first. In a sandbox, all that a child has started ends with it.
"""

from __future__ import annotations

import errno
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from arena.core.errors import ArenaError
from arena.process import reaper
from arena.process.ending import adopt_orphans
from arena.process.faults import AgentFault, FaultKind, Unavailable
from arena.process.hiding import hidden_variables, hide
from arena.process.messages import TOKEN_VARIABLES
from arena.process.sandbox import Sandbox

LONGEST_LINE = 1_000_000
"""Bytes that an answer may have."""
PATIENCE_S = 2.0
"""How long a child may take to end after it was asked to."""
_SOON_NS = 200_000
"""How long an answer is looked for before this process sleeps until there is one.

A sleeping process is woken some 50 µs late. Other processes can use the core in the meantime: each
look gives it up, to the child before all.
"""
_LOOK_S = 0.05
"""How often memory is looked at while an answer is awaited."""
_STOPPED_S = 1.0
"""How often a child that does not answer is looked at; stopped twice in a row, it is given up."""
_ROOM_MB = 1024
"""Address space that a process may reserve beyond the memory that it may use."""
_KEPT_NOTES = 4000

_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ENOSPC)
"""Errors of the machine: another program on it may have caused them."""

_give_way: Callable[[], None] = getattr(os, "sched_yield", lambda: time.sleep(0))

_SIGNALLED = 128
"""Bubblewrap adds the number of the signal that has ended its program to this."""
_OFTEN_SENT = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
"""Signals that other processes send, where those of crashes are the work of a process itself."""


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


class Misbehaved(AgentFault):
    """A fault after which a child cannot go on."""


class Channel(ABC):
    """The channel to an agent: its process, or a session of a server."""

    @abstractmethod
    def send(self, line: bytes, until: float | None = None) -> None:
        """Write a line; `until` is a time of `time.monotonic`."""

    @abstractmethod
    def receive(self, until: float | None = None) -> bytes:
        """The next line of the answer, without its end."""

    @property
    def half_a_line(self) -> bytes:
        """Output that was not requested, or is incomplete."""
        return b""

    def is_over(self) -> bool:
        """Whether it has ended between two deals, without a fault."""
        return False

    @abstractmethod
    def end(self, last_words: bytes = b"") -> int | None:
        """End it; its exit code, None if it had to be killed."""


class Child(Channel):
    """A running process."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        folder: str | None = None,
        memory_mb: int | None = None,
        sandbox: Sandbox | None = None,
    ) -> None:
        if os.name != "posix":
            raise ArenaError(
                "agents in processes of their own (isolate, limits, command, source) need Linux, "
                "macOS or another POSIX system; on Windows use WSL"
            )
        if sandbox is not None and shutil.which(argv[0]) is None:
            raise Misbehaved("crash", f"cannot be started: {argv[0]}: {os.strerror(errno.ENOENT)}")
        self._token = f"{os.getpid()}-{secrets.token_hex(8)}"
        self._memory_mb, self._sandboxed = memory_mb, sandbox is not None
        self._pending = b""
        self._notes = b""
        own = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(TOKEN_VARIABLES) and name not in hidden_variables
        }
        variables = {**own, **(environment or {}), reaper.MARK: self._token}
        try:
            _REAPER.watch(self._token)  # from now on: we may be killed while it starts
            self._process = subprocess.Popen(
                sandbox.command(argv) if sandbox else list(argv),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=folder,
                env=variables,
                start_new_session=True,
            )
        except OSError as error:
            _REAPER.forget(self._token)
            said = f"cannot be started: {argv[0]}: {error.strerror or error}"
            if error.errno in _NO_ROOM:
                raise Unavailable(f"a process of an agent {said}; no agent is at fault") from error
            raise Misbehaved("crash", said) from error
        hide()
        _REAPER.watch(self._token, self.pid)
        # The owner ends it; this is for a child without an owner.
        self._finalizer = weakref.finalize(self, _end, self._process, self._token)
        assert self._process.stdin and self._process.stdout and self._process.stderr  # pipes
        self._in, self._out, self._err = (
            stream.fileno()
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        if memory_mb is not None:
            self._reserve(memory_mb)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def _reserve(self, memory_mb: int) -> None:
        # One huge request is refused by the system at once, before it can be looked at.
        import resource

        most = (memory_mb + _ROOM_MB) << 20
        with suppress(OSError, AttributeError):
            resource.prlimit(self.pid, resource.RLIMIT_DATA, (most, most))

    # --- talking -------------------------------------------------------------------------

    def send(self, line: bytes, until: float | None = None) -> None:
        """Write a line; `until` is a time of `time.monotonic`."""
        try:
            sent = os.write(self._in, line)
        except BlockingIOError:
            sent = 0
        except OSError:
            raise self._gone() from None
        if sent < len(line):
            self._send_rest(line[sent:], until)

    def _send_rest(self, rest: bytes, until: float | None) -> None:
        """The pipe is full: go on as the child reads, and read its output at the same time."""
        self._poll.register(self._in, select.POLLOUT)
        try:
            while rest:
                for descriptor, _ in self._wait(until):
                    if descriptor == self._in:
                        try:
                            rest = rest[os.write(self._in, rest) :]
                        except BlockingIOError:
                            continue
                        except OSError:
                            raise self._gone() from None
                    else:
                        self._take(descriptor)
        finally:
            self._poll.unregister(self._in)

    def receive(self, until: float | None = None) -> bytes:
        """The next line that the child writes, without its end."""
        if not self._pending:
            self._look_soon()
        while True:
            line, end, rest = self._pending.partition(b"\n")
            if end:
                self._pending = rest
                return line
            if len(line) > LONGEST_LINE:
                said = f"sent more than {LONGEST_LINE:,} bytes without the end of a line"
                raise Misbehaved("protocol", said)
            for descriptor, _ in self._wait(until):
                self._take(descriptor)

    def _look_soon(self) -> None:
        """Take an answer that comes at once."""
        give_up = time.perf_counter_ns() + _SOON_NS
        while not self._take(self._out) and time.perf_counter_ns() < give_up:
            _give_way()

    def _wait(self, until: float | None) -> list[tuple[int, int]]:
        """Descriptors with something to do; never empty."""
        was_stopped, look_again = False, time.monotonic() + _STOPPED_S
        while True:
            now = time.monotonic()
            if until is not None and now >= until:
                raise TimeoutError
            soonest = min(x for x in (until, look_again) if x is not None) - now
            if self._memory_mb is not None:
                soonest = min(soonest, _LOOK_S)
            ready = self._poll.poll(max(soonest, 0.0) * 1000)
            if self._memory_mb is not None and self.memory_mb > self._memory_mb:
                raise Misbehaved("memory", f"used more than {self._memory_mb:,} MB of memory")
            if ready:
                return ready
            if time.monotonic() >= look_again:
                stopped, look_again = self._is_stopped(), time.monotonic() + _STOPPED_S
                if stopped and was_stopped:
                    raise Misbehaved("killed", "was stopped (SIGSTOP) and does not go on")
                was_stopped = stopped

    def _is_stopped(self) -> bool:
        import psutil

        with suppress(psutil.Error, ValueError):
            program = psutil.Process(self.pid)
            for _ in range(2 if self._sandboxed else 0):  # bubblewrap's own, of which there are two
                program = min(program.children(), key=psutil.Process.create_time)
            return bool(program.status() == psutil.STATUS_STOPPED)
        return False

    def _take(self, descriptor: int) -> bool:
        """Read what there is; whether there was anything."""
        try:
            data = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            return False
        if descriptor == self._out:
            if not data:
                raise self._gone()
            self._pending += data
        elif data:
            self._notes = (self._notes + data)[-_KEPT_NOTES:]
        else:
            self._poll.unregister(self._err)
        return True

    def _gone(self) -> Misbehaved:
        """The error message for a child that reads or writes no more."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE_S)
        with suppress(OSError):
            while data := os.read(self._err, 1 << 16):
                self._notes = (self._notes + data)[-_KEPT_NOTES:]
        code = self._process.poll()
        if self._sandboxed and code is not None and code - _SIGNALLED in signal.valid_signals():
            code = _SIGNALLED - code
        if code is None:
            return Misbehaved("crash", "closed its output", self.notes)
        if code < 0:
            kind: FaultKind = "killed" if -code in _OFTEN_SENT else "crash"
            return Misbehaved(kind, f"was ended by {_signal_name(-code)}", self.notes)
        half = ", after half a line" if self._pending else ""
        return Misbehaved("crash", f"ended by itself, exit code {code}{half}", self.notes)

    @property
    def notes(self) -> str:
        """The last of what the child wrote to its standard error."""
        return self._notes.decode(errors="replace")

    @property
    def half_a_line(self) -> bytes:
        """Output that was read but not requested, or is incomplete."""
        return self._pending

    @property
    def memory_mb(self) -> float:
        """Resident memory of the child and of all processes that it has started."""
        import psutil

        used = 0
        for pid in reaper.family_of(self.pid, self._token):
            with suppress(psutil.Error):
                used += psutil.Process(pid).memory_info().rss
        return used / (1 << 20)

    # --- ending --------------------------------------------------------------------------

    def end(self, last_words: bytes = b"") -> int | None:
        """Ask the child to end, wait a moment, then end it and all that it has started.

        The exit code; None if it had to be killed.
        """
        code: int | None = None
        with suppress(OSError):
            os.write(self._in, last_words)
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._process.stdin.close()
        if last_words:
            with suppress(subprocess.TimeoutExpired):
                code = self._process.wait(PATIENCE_S)
        self._finalizer()
        return code


def _end(process: subprocess.Popen[bytes], token: str) -> None:
    reaper.end_family(process.pid, token)
    if process.poll() is None:
        process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    _REAPER.forget(token)


class _Reaper:
    """The process that ends our children if we cannot; there while there are any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._children: set[str] = set()
        self._process: Any = None
        self._owner = 0

    def watch(self, token: str, pid: int = 0) -> None:
        with self._lock:
            if self._process is None or self._owner != os.getpid():
                adopt_orphans(False)  # the reaper is to be init's
                path = map(os.path.abspath, sys.path)
                try:
                    self._process = subprocess.Popen(
                        [sys.executable, "-I", "-S", reaper.__file__, *path],
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        start_new_session=True,
                    )
                    self._process.wait()  # its fork goes on
                finally:
                    adopt_orphans()
                self._owner = os.getpid()
                self._children = set()
            self._children.add(token)
            self._send_line(f"+ {token} {pid}")

    def forget(self, token: str) -> None:
        with self._lock:
            if self._process is None or self._owner != os.getpid():
                return
            self._children.discard(token)
            self._send_line(f"- {token}")
            if not self._children:
                process, self._process = self._process, None
                process.stdin.close()
                process.stdout.read()  # nothing: it has ended
                process.stdout.close()

    def _send_line(self, line: str) -> None:
        with suppress(OSError):
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()


_REAPER = _Reaper()

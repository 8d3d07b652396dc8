"""The people at a table: their chairs, and the browsers in which they see it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

_FULL = 256
"""Messages that a connection may be behind before it is dropped."""


class Connection:
    """One browser at a table; what it is sent waits here."""

    def __init__(self, seat: int | None) -> None:
        self.seat = seat
        """None if it only watches."""
        self.outgoing: asyncio.Queue[bytes | None] = asyncio.Queue(_FULL)

    def send(self, message: bytes) -> None:
        """Put a message in the queue; a connection that reads none of them is ended."""
        try:
            self.outgoing.put_nowait(message)
        except asyncio.QueueFull:
            self.end()

    def end(self) -> None:
        """Send nothing more."""
        while not self.outgoing.empty():
            self.outgoing.get_nowait()
        self.outgoing.put_nowait(None)


@dataclass
class Person:
    """The chair of a person, present or not."""

    name: str
    connections: set[Connection] = field(default_factory=set)
    has_come: bool = False
    is_replaced: bool = False
    """Whether an agent plays in the chair until the person is back."""
    waiting: asyncio.TimerHandle | None = None

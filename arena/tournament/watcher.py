"""Watching a run: messages, and the tally after each batch of stored units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.tournament.tally import Tally


class Watcher(Protocol):
    """Receives the messages and the progress of a run."""

    def say(self, line: str) -> None:
        """A message for the user, in one line."""

    def update(self, tally: Tally) -> None:
        """The tally after more units were stored."""


class NullWatcher:
    """Ignores everything."""

    def say(self, line: str) -> None:
        """No-op."""

    def update(self, tally: Tally) -> None:
        """No-op."""


@dataclass(frozen=True)
class Watchers:
    """Passes everything on to several watchers."""

    all: Sequence[Watcher]

    def say(self, line: str) -> None:
        """Pass on a message."""
        for watcher in self.all:
            watcher.say(line)

    def status(self, line: str) -> None:
        """Pass on a line that is shown in place, to those who can show one."""
        for watcher in self.all:
            if hasattr(watcher, "status"):
                watcher.status(line)

    def update(self, tally: Tally) -> None:
        """Pass on the tally."""
        for watcher in self.all:
            watcher.update(tally)

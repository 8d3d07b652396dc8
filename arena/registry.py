"""Finding games, agents and bidders by name, ours and strangers' alike.

Everything is found through entry points (`arena.games`, `arena.agents`,
`arena.bidders`), loaded when first asked for. A plug-in package registers in
its own `pyproject.toml`:

    [project.entry-points."arena.agents"]
    my-agent = "my_package.module:MyAgent"
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from arena.errors import ArenaError, did_you_mean

__all__ = ["AGENTS", "BIDDERS", "GAMES", "Registry", "UnknownName"]

T = TypeVar("T")


class UnknownName(ArenaError):
    """A name that nothing is registered under."""


class Registry(Generic[T]):
    """Names and what they stand for; loads each thing when it is first used."""

    def __init__(self, kind: str, group: str) -> None:
        self.kind, self.group = kind, group
        self._added: dict[str, T] = {}

    def add(self, name: str, thing: T) -> None:
        """Register `thing` for this process: for tests and notebooks."""
        self._added[name] = thing

    def names(self) -> list[str]:
        """All names, in alphabetical order."""
        return sorted({*_entries(self.group), *self._added})

    def get(self, name: str) -> T:
        """What is registered under `name`; `UnknownName` suggests the near miss."""
        if name in self._added:
            return self._added[name]
        entry = _entries(self.group).get(name)
        if entry is None:
            raise UnknownName(f"unknown {self.kind} {name!r}; {did_you_mean(name, self.names())}")
        try:
            thing: T = entry.load()
        except (ImportError, AttributeError) as error:
            raise ArenaError(
                f"{self.kind} {name!r} ({entry.value}) cannot be loaded: {error}"
            ) from error
        return thing

    def __contains__(self, name: object) -> bool:
        return name in self._added or name in _entries(self.group)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())


@cache
def _entries(group: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=group)}


GAMES: Registry[Any] = Registry("game", "arena.games")
AGENTS: Registry[Any] = Registry("agent family", "arena.agents")
BIDDERS: Registry[Any] = Registry("bidder", "arena.bidders")

"""Games, agents and bidders by name: those of this project and those of plug-ins.

Everything is found through entry points (`arena.games`, `arena.agents`,
`arena.bidders`), loaded when first asked for. A plug-in package registers in
its own `pyproject.toml`:

    [project.entry-points."arena.agents"]
    my-agent = "my_package.module:MyAgent"

If a plug-in cannot be loaded, whatever it raises, the registry reports that in one line
when its name is used and leaves it out of listings; all other names keep working.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from arena.core.errors import ArenaError, did_you_mean, error_words

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

T = TypeVar("T")


class UnknownName(ArenaError):
    """A name that nothing is registered under."""


class BrokenPlugin(ArenaError):
    """A registered name that cannot be loaded."""


class Registry(Generic[T]):
    """Registered classes by name; loads each one when it is first used."""

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
        entries = _entries(self.group).get(name)
        if entries is None:
            raise UnknownName(f"unknown {self.kind} {name!r}; {did_you_mean(name, self.names())}")
        if len(entries) > 1:
            packages = " and ".join(sorted(map(_package_of, entries)))
            raise BrokenPlugin(f"{self.kind} {name!r} is registered by {packages}: remove one")
        return self._load(name, entries[0])

    def find(self, name: str) -> T | None:
        """What is registered under `name`; None if nothing is."""
        return self.get(name) if name in self else None

    def name_of(self, thing: type) -> str | None:
        """The name that a class is registered under; None if it is not."""
        place = f"{thing.__module__}:{thing.__qualname__}"
        entries = _entries(self.group).items()
        found = [name for name, added in self._added.items() if added is thing]
        found += [name for name, several in entries if several[0].value == place]
        return found[0] if found else None

    def distribution(self, name: str) -> Distribution | None:
        """The installed package that registers a name; None if none does."""
        entries = _entries(self.group).get(name)
        return entries[0].dist if entries and name not in self._added else None

    def loaded(self, report: Callable[[str], object]) -> dict[str, T]:
        """All that can be loaded, by name; `report` receives a line for each that cannot."""
        found: dict[str, T] = {}
        for name in self.names():
            try:
                found[name] = self.get(name)
            except BrokenPlugin as error:
                report(str(error))
        return found

    def _load(self, name: str, entry: EntryPoint) -> T:
        try:
            thing: T = entry.load()
        except (Exception, SystemExit) as error:  # importing runs a plug-in's code
            raise self._broken(name, entry, error_words(error)) from error
        if not isinstance(thing, type):
            raise self._broken(name, entry, f"expected a class, found {type(thing).__name__}")
        return thing

    def _broken(self, name: str, entry: EntryPoint, why: str) -> BrokenPlugin:
        return BrokenPlugin(
            f"{self.kind} {name!r} of the package {_package_of(entry)} ({entry.value}) "
            f"cannot be loaded: {why}"
        )

    def __contains__(self, name: object) -> bool:
        return name in self._added or name in _entries(self.group)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())


@cache
def _entries(group: str) -> dict[str, list[EntryPoint]]:
    """Entry points by name; several if packages register different classes under one name."""
    # Here: the process of an isolated agent starts faster without it.
    from importlib.metadata import entry_points

    found: dict[str, dict[str, EntryPoint]] = {}
    for entry in entry_points(group=group):
        found.setdefault(entry.name, {})[entry.value] = entry
    return {name: list(by_value.values()) for name, by_value in found.items()}


def _package_of(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module.partition(".")[0]


GAMES: Registry[Any] = Registry("game", "arena.games")
AGENTS: Registry[Any] = Registry("agent family", "arena.agents")
BIDDERS: Registry[Any] = Registry("bidder", "arena.bidders")

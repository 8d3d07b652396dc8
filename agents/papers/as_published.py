"""Deviations of published programs from their texts, switched on by name."""

from __future__ import annotations

from collections.abc import Iterable

from arena.core.errors import ArenaError, did_you_mean


def check_deviations(chosen: Iterable[str], known: Iterable[str]) -> None:
    """Raise `ArenaError` unless all of `chosen` are known."""
    for name in sorted(chosen):
        if name not in known:
            raise ArenaError(f"as_published: unknown {name!r}; {did_you_mean(name, known)}")

"""The code that an agent is made of, as one hash.

A fingerprint says how an agent plays on a small set of deals; a change that touches few
hands keeps it. The hash of the sources says that something changed, wherever it shows: of
the package in which the family stands, and of the rules and compiled games below it.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import arena
from arena.config.entrants import Builder
from arena.config.live_agents import LiveAgent
from arena.config.own_code import OwnCode

_UNDER_EVERY_AGENT = ("core", "games")


def code_of(builders: Sequence[Builder]) -> str:
    """The hash of the sources of an entrant's families; families without files count by name."""
    families = [
        family
        for builder in builders
        for family in (builder.family, builder.bidder_family)
        if family is not None
    ]
    digest = hashlib.sha256(_digest_of_arena().encode())
    for family in families:
        if isinstance(family, (OwnCode, LiveAgent)):
            digest.update(family.sha256.encode())
        else:
            digest.update(_digest_of(_module(family)).encode())
    return digest.hexdigest()[:32]


def _module(family: Callable[..., Any]) -> str:
    return str(getattr(family, "__module__", type(family).__module__))


@cache
def _digest_of(module: str) -> str:
    """Of the whole package; of the one file where the top is a folder without `__init__.py`."""
    for name in (module.partition(".")[0], module):
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None:
            path = Path(file)
            return _digest(path.parent if path.name == "__init__.py" else path)
    return module


@cache
def _digest_of_arena() -> str:
    root = Path(arena.__file__).parent
    return "".join(_digest(root / name) for name in _UNDER_EVERY_AGENT)


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    for file in _sources(path):
        digest.update(file.relative_to(path.parent).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _sources(path: Path) -> Iterator[Path]:
    yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]

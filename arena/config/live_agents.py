"""Agents that are Python objects: made in a notebook or a script, not named by a family.

`LiveAgent.of(MyBot(depth=3))` keeps the object's pickle, with the code of its class. Every seat
in every worker gets its own instance from it. Experiments and stored runs call such an agent
`MyBot@1f0c3a…`: the name of the class and the first digits of a hash of its code and state. The
name can be built only by the process that made the object.

The hash covers the code of classes and functions that are defined outside of installed packages
and that the object reaches, and the values of its attributes. It does not cover file names and
line numbers, so a script that is started again finds its own results.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import cloudpickle

from arena.core.errors import ArenaError, error_words
from arena.core.source_code import code_digest

_MADE: dict[str, LiveAgent] = {}
"""The live agents of this process, by family."""


@dataclass(frozen=True)
class LiveAgent:
    """An object that plays or bids, as it is sent to workers; calling it gives a fresh copy."""

    family: str
    """Such as `MyBot@1f0c3a7b90de`."""
    sha256: str
    """Of its code and state."""
    pickled: bytes

    @classmethod
    def of(cls, agent: object) -> LiveAgent:
        """Keep an agent, or an agent class that needs no arguments."""
        agent = agent() if isinstance(agent, type) else agent
        name = type(agent).__name__
        if not any(callable(getattr(agent, method, None)) for method in ("act", "bid")):
            raise ArenaError(f"an object of the class {name} has no method act(view, rng)")
        try:
            pickled = cloudpickle.dumps(agent)
        except Exception as error:  # whatever the state of the agent raises
            raise ArenaError(f"{name} cannot be sent to workers: {error_words(error)}") from error
        sha256 = object_digest(agent)
        return _MADE.setdefault(
            f"{name}@{sha256[:12]}", cls(f"{name}@{sha256[:12]}", sha256, pickled)
        )

    def __call__(self, **parameters: Any) -> Any:
        """A fresh copy of the object; its parameters are part of it."""
        return cloudpickle.loads(self.pickled)


def is_live(family: str) -> bool:
    """Whether a family names an object of a Python process.

    >>> is_live("MyBot@1f0c3a7b90de"), is_live("rule"), is_live("./bot.py:Greedy")
    (True, False, False)
    """
    return "@" in family


def live_agent(family: str) -> LiveAgent:
    """The live agent of this process that `family` names."""
    if family not in _MADE:
        raise ArenaError(
            f"{family} is an object of the Python process that played it, and can be built "
            "only there"
        )
    return _MADE[family]


def plain_fields(agent: object) -> dict[str, Any]:
    """The fields of an agent that is a dataclass, as far as JSON can hold them."""
    if not is_dataclass(agent):
        return {}
    values = {field.name: getattr(agent, field.name, None) for field in fields(agent)}
    plain = (bool, int, float, str, type(None))
    return {name: value for name, value in values.items() if isinstance(value, plain)}


# --- the hash ----------------------------------------------------------------------------


def object_digest(thing: object) -> str:
    """A hash of an object's state and of the code that it reaches."""
    return code_digest([], *_Description().of(thing))


_NOT_CODE = {
    "__annotate_func__", "__annotations__", "__dataclass_fields__", "__dataclass_params__",
    "__dict__", "__doc__", "__firstlineno__", "__module__", "__static_attributes__", "__weakref__",
}  # fmt: skip
"""Attributes of a class that say nothing about how it plays, or differ from process to process."""


class _Description:
    """An object as a sequence of texts, the same in every process."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[int, object]] = {}

    def of(self, thing: Any) -> Iterator[str]:
        if thing is None or isinstance(thing, (bool, int, float, complex, str, bytes)):
            yield f"{type(thing).__name__} {thing!r}"
            return
        if id(thing) in self._seen:
            yield f"again {self._seen[id(thing)][0]}"
            return
        self._seen[id(thing)] = len(self._seen), thing
        yield type(thing).__name__
        if isinstance(thing, (list, tuple)):
            yield from self._all(thing)
        elif isinstance(thing, (set, frozenset)):
            yield from sorted("\1".join(_Description().of(each)) for each in thing)
        elif isinstance(thing, (dict, MappingProxyType)):
            yield from self._all(each for pair in thing.items() for each in pair)
        elif isinstance(thing, ModuleType):
            yield _module_digest(thing.__name__)
        elif isinstance(thing, CodeType):
            yield from self._code(thing)
        elif isinstance(thing, (FunctionType, type)):
            yield from self._definition(thing)
        elif isinstance(thing, (staticmethod, classmethod, MethodType)):
            yield from self.of(thing.__func__)
        elif isinstance(thing, property):
            yield from self._all((thing.fget, thing.fset))
        elif isinstance(getattr(thing, "py_func", None), FunctionType):  # compiled by numba
            yield from self.of(thing.py_func)
        else:
            yield from self._state(thing)

    def _all(self, things: Any) -> Iterator[str]:
        for each in things:
            yield from self.of(each)

    def _definition(self, thing: FunctionType | type) -> Iterator[str]:
        yield thing.__qualname__
        if _is_importable(thing):
            yield _module_digest(thing.__module__)
        elif isinstance(thing, type):
            yield from self._all(thing.__bases__)
            for name, value in sorted(vars(thing).items()):
                if name not in _NOT_CODE and type(value).__name__ != "member_descriptor":
                    yield name
                    yield from self.of(value)
        else:
            yield from self.of(thing.__code__)
            yield from self._all((thing.__defaults__, thing.__kwdefaults__))
            yield from self._all(_contents(thing))
            for name in sorted(_names(thing.__code__) & thing.__globals__.keys()):
                yield name
                yield from self.of(thing.__globals__[name])

    def _code(self, code: CodeType) -> Iterator[str]:
        yield code.co_code.hex()
        yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
        yield from self._all(code.co_consts)

    def _state(self, thing: object) -> Iterator[str]:
        try:
            reduced = thing.__reduce_ex__(4)
        except Exception:  # what cannot be pickled by itself, such as a compiled function
            yield from self.of(type(thing))
            return
        if isinstance(reduced, str):
            yield reduced
        else:
            yield from self._all(
                list(part) if isinstance(part, Iterator) else part for part in reduced
            )


def _contents(function: FunctionType) -> Iterator[object]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            yield None


def _names(code: CodeType) -> set[str]:
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _is_importable(thing: FunctionType | type) -> bool:
    """Whether workers import it by its name, rather than get its code."""
    found: Any = sys.modules.get(thing.__module__)
    if found is None or thing.__module__ == "__main__":
        return False
    for name in thing.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is thing


def _module_digest(module: str) -> str:
    """The name of a module; of one that is not part of an installed package, also its text."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or any(Path(file).is_relative_to(each) for each in _installed()):
        return module
    try:
        return f"{module} {code_digest([Path(file)])}"
    except OSError:
        return module


@cache
def _installed() -> tuple[Path, ...]:
    paths: Mapping[str, str] = sysconfig.get_paths()
    return tuple(Path(paths[name]) for name in ("stdlib", "purelib", "platlib"))

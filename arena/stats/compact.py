"""Arrays in the smallest type that has the very same values: results of millions of deals.

    @kept_compact("margin", "deal")
    @dataclass(frozen=True, eq=False)
    class Played: ...

Margins are whole numbers or halves, so that two bytes have them exactly; thirds keep eight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

T = TypeVar("T")

_KINDS = {"f": (np.float16, np.float32), "i": (np.uint8, np.uint16, np.int32)}


def compact(values: ArrayLike) -> NDArray[Any]:
    """The same values, NaN and -0.0 included, in the smallest type that has them."""
    array = np.asarray(values)
    for kind in _KINDS.get(array.dtype.kind, ()):
        if np.dtype(kind).itemsize < array.dtype.itemsize:
            with np.errstate(over="ignore", invalid="ignore"):
                smaller = array.astype(kind)
            if np.array_equal(smaller, array, equal_nan=array.dtype.kind == "f"):
                return smaller
    return array


def kept_compact(*names: str) -> Callable[[type[T]], type[T]]:
    """For a dataclass: keep some arrays compact; each access gives a new one of eight bytes."""

    def changed(described: type[T]) -> type[T]:
        for name in names:
            setattr(described, name, _Compact(name))
        return described

    return changed


def kept(instance: Any, name: str) -> NDArray[Any]:
    """The array behind a compact field, for what is as right with few bytes as with eight."""
    found: NDArray[Any] = vars(instance)[name]
    return found


class _Compact:
    def __init__(self, name: str) -> None:
        self._name = name

    def __set__(self, instance: Any, values: NDArray[Any]) -> None:
        instance.__dict__[self._name] = compact(values)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        kept = instance.__dict__[self._name]
        return kept.astype(np.float64 if kept.dtype.kind == "f" else np.int64)

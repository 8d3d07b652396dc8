"""An agent that compiled code asks what it would play: through a callback into Python.

Compiled code writes down the seat, its hand and its legal cards, and calls a function of Python
through its address; the cards played before are in a book (`arena.games.rulebook`). Python writes a
weight for each card. A call takes some microseconds besides what the agent takes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from arena.games.kernel import jit
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import uncounted
from arena.games.kernel.layout import HANDS, LEFT, TURN, Int, Word, Words

ADDRESS, UNTIL, SEAT, HAND, LEGAL = 0, 1, 2, 3, 4
_WORDS = 5


class Asked(NamedTuple):
    """A question to an agent, and its answer, at one decision."""

    question: Words
    """Where to call; the agent is asked as long as so many tricks are left; then by whom."""
    answer: NDArray[np.float64]
    """The weights of the legal cards, lowest first."""
    late_row: int
    """The row of tables for what comes later."""


_PROTOTYPE = ctypes.CFUNCTYPE(None)
_python: dict[int, Callable[[], None]] = {}
"""With `NUMBA_DISABLE_JIT=1`: the functions by their addresses."""


class Callback:
    """A function of Python that compiled code can call; it must not raise."""

    def __init__(self, function: Callable[[], None]) -> None:
        self._kept = _PROTOTYPE(function)
        self.address = ctypes.cast(self._kept, ctypes.c_void_p).value or 0
        if jit.config.DISABLE_JIT:
            _python[self.address] = function


def new_question(callback: Callback, until: int, late_row: int) -> Asked:
    """A question that is asked as long as `until` tricks are left, the current one included."""
    question = np.zeros(_WORDS, np.uint64)
    question[ADDRESS], question[UNTIL] = callback.address, until
    return Asked(question, np.zeros(64), late_row)


def _call() -> Any:
    if jit.config.DISABLE_JIT:
        return lambda address: _python[int(address)]()

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        form = ir.FunctionType(ir.VoidType(), [])
        builder.call(builder.inttoptr(arguments[0], form.as_pointer()), [])
        return context.get_dummy_value()

    @intrinsic
    def call(typing_context: Any, address: Any) -> Any:
        return types.none(types.uint64), generate

    return call


_call_python = _call()


# --- compiled ----------------------------------------------------------------------------


@uncounted
def late_row(asked: Asked, row: Int, state: Words) -> Int:
    """The row of tables of the seat in turn; -1 if the agent is to be asked."""
    return asked.late_row if row < 0 and state[LEFT] < asked.question[UNTIL] else row


@uncounted
def ask(asked: Asked, state: Words, cards: Word, weights: NDArray[np.float64]) -> float:
    """The weight of each of the legal `cards`, lowest first, by the agent; their sum."""
    question = asked.question
    question[SEAT], question[HAND] = state[TURN], state[HANDS + state[TURN]]
    question[LEGAL] = cards
    _call_python(question[ADDRESS])
    total = 0.0
    for i in range(np.int64(popcount(cards))):
        weights[i] = asked.answer[i]
        total += weights[i]
    return total

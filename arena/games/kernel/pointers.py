"""Calls through the address of a compiled function.

What one compiled function calls is compiled again into it. A function that is called through its
address is compiled once, and only if it is used; its callers need not know which function it is.
So the games of plug-ins, playouts and rare ways to deal worlds add to what is compiled without
changing the code of any search.

    call_playout = prototype(types.none, WORDS, GAME, WORDS)
    address = address_of(playout_random, call_playout)      # compiles it, or loads it
    call_playout(address, state, game, rng)                 # in compiled code

An address is a number, valid in this process only: never store or send it. 0 is no function, and
a call of it ends the process: check for it first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.core import cgutils as numba_cgutils
from numba.extending import intrinsic

from arena.games.kernel import jit

WORDS = types.Array(types.uint64, 1, "C")
GAME = types.Array(types.uint64, 1, "C", readonly=True)
NUMBERS = types.Array(types.int64, 1, "C")

# numba says little about the types of its insides.
cgutils: Any = numba_cgutils
_tuple_of: Any = types.StarArgTuple.from_types

_signatures: dict[int, Any] = {}
"""Of each prototype, by its identity: numba's intrinsics take no attributes."""
_python: dict[int, Callable[..., Any]] = {}
"""With `NUMBA_DISABLE_JIT=1`: the functions by their made-up addresses."""


def prototype(result: Any, *parameters: Any) -> Any:
    """A compiled function `call(address, *arguments)` for functions of these types."""
    if jit.config.DISABLE_JIT:
        return lambda address, *arguments: _python[int(address)](*arguments)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, rest = arguments
        convention = context.call_conv
        form = convention.get_function_type(result, parameters)
        function = builder.inttoptr(address, form.as_pointer())
        status, value = convention.call_function(
            builder, function, result, parameters, cgutils.unpack_tuple(builder, rest)
        )
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return context.get_dummy_value() if result == types.none else value

    @intrinsic
    def call(typing_context: Any, address: Any, *arguments: Any) -> Any:
        return result(types.uint64, _tuple_of(parameters)), generate

    _signatures[id(call)] = (result, parameters)
    return call


def address_of(function: Any, call: Any) -> int:
    """Compile a function for a prototype, or load it; where it is.

    The function must stay where it can be found: in a module.
    """
    if jit.config.DISABLE_JIT:
        _python[id(function)] = function
        return id(function)
    result, parameters = _signatures[id(call)]
    function.compile(parameters)
    made = function.overloads[parameters]
    assert made.signature.return_type == result, f"{function.py_func.__name__}: {made.signature}"
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name))

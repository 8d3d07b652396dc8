"""Bit operations that a CPU does in one step, for use in compiled code.

All take and return unsigned 64-bit words. Each has a Python twin with `_twin` after its
name, which is what runs with `NUMBA_DISABLE_JIT=1` and what the tests compare with.

`pdep` and `pext` (deposit and extract bits) are single instructions on x86 with BMI2;
on other processors, and on the Zen 1 and 2 where these instructions are microcode of up to 300
cycles, a loop does the same.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba.core import config as numba_config
from numba.core import types
from numba.extending import intrinsic

from arena.games.kernel.jit import inlined

config: Any = numba_config

ZERO, ONE = np.uint64(0), np.uint64(1)


def _has_fast_pdep() -> bool:
    host = config.CPU_NAME in (None, "", "host") and not config.CPU_FEATURES
    slow = llvm.get_host_cpu_name() in ("bdver4", "znver1", "znver2")
    return host and not slow and bool(llvm.get_host_cpu_features().get("bmi2"))


HAS_PDEP = _has_fast_pdep()


# --- Python twins ------------------------------------------------------------------------


def popcount_twin(x: Any) -> Any:
    """How many bits are set."""
    return np.uint64(int(x).bit_count())


def ctz_twin(x: Any) -> Any:
    """The number of the lowest set bit; 64 if there is none."""
    x = int(x)
    return np.uint64((x & -x).bit_length() - 1 if x else 64)


def high_bit_twin(x: Any) -> Any:
    """The number of the highest set bit; `x` is not 0."""
    return np.uint64(int(x).bit_length() - 1)


def pdep_twin(source: Any, mask: Any) -> Any:
    """The low bits of `source`, put where `mask` has its bits, lowest first."""
    source, mask, result = int(source), int(mask), 0
    while mask and source:
        low = mask & -mask
        if source & 1:
            result |= low
        source >>= 1
        mask ^= low
    return np.uint64(result)


def pext_twin(source: Any, mask: Any) -> Any:
    """The bits of `source` where `mask` has its bits, moved together at the low end."""
    source, mask, result, place = int(source), int(mask), 0, 0
    while mask:
        low = mask & -mask
        if source & low:
            result |= 1 << place
        place += 1
        mask ^= low
    return np.uint64(result)


def prefetch_twin(array: Any, index: Any) -> None:
    """No-op."""


# --- portable loops ----------------------------------------------------------------------


@inlined
def pdep_loop(source: Any, mask: Any) -> Any:
    """`pdep` for CPUs that do not have it."""
    result = ZERO
    while mask != ZERO and source != ZERO:
        low = mask & (~mask + ONE)
        if source & ONE != ZERO:
            result |= low
        source >>= ONE
        mask ^= low
    return result


@inlined
def pext_loop(source: Any, mask: Any) -> Any:
    """`pext` for CPUs that do not have it."""
    result, bit = ZERO, ONE
    while mask != ZERO:
        low = mask & (~mask + ONE)
        if source & low != ZERO:
            result |= bit
        bit <<= ONE
        mask ^= low
    return result


@inlined
def kth_bit_loop(mask: Any, k: Any) -> Any:
    """`kth_bit` for CPUs without `pdep`."""
    while k != ZERO:
        mask &= mask - ONE
        k -= ONE
    return mask & (~mask + ONE)


# --- LLVM intrinsics ---------------------------------------------------------------------

_WORD = ir.IntType(64)
_UNARY = types.uint64(types.uint64)
_BINARY = types.uint64(types.uint64, types.uint64)


@intrinsic
def _popcount(typingctx: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return _UNARY, generate


@intrinsic
def _ctz(typingctx: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.IntType(1)(0))

    return _UNARY, generate


@intrinsic
def _high_bit(typingctx: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.xor(builder.ctlz(args[0], ir.IntType(1)(1)), _WORD(63))

    return _UNARY, generate


def _x86(name: str) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_WORD, [_WORD, _WORD])
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        return builder.call(function, args)

    return generate


@intrinsic
def _pdep(typingctx: Any, source: Any, mask: Any) -> Any:
    return _BINARY, _x86("llvm.x86.bmi.pdep.64")


@intrinsic
def _pext(typingctx: Any, source: Any, mask: Any) -> Any:
    return _BINARY, _x86("llvm.x86.bmi.pext.64")


@intrinsic
def _prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        data = context.make_array(kind)(context, builder, args[0]).data
        place = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(8).as_pointer())
        flag = ir.IntType(32)
        function = builder.module.declare_intrinsic(
            "llvm.prefetch",
            (place.type,),
            ir.FunctionType(ir.VoidType(), [place.type] + [flag] * 3),
        )
        builder.call(function, [place, flag(0), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.none(array, index), generate


# --- what compiled code uses -------------------------------------------------------------

popcount: Any = _popcount
"""How many bits are set."""
ctz: Any = _ctz
"""The number of the lowest set bit; 64 if there is none."""
high_bit: Any = _high_bit
"""The number of the highest set bit; `x` is not 0."""
pdep: Any = _pdep if HAS_PDEP else pdep_loop
"""`pdep(source, mask)`: the low bits of `source`, put where `mask` has its bits."""
pext: Any = _pext if HAS_PDEP else pext_loop
"""`pext(source, mask)`: the bits of `source` where `mask` has its bits, moved together."""

prefetch: Any = _prefetch
"""`prefetch(array, index)`: an entry will soon be read."""

if config.DISABLE_JIT:
    prefetch = prefetch_twin
    popcount, ctz, high_bit = popcount_twin, ctz_twin, high_bit_twin
    pdep, pext = pdep_twin, pext_twin


@inlined
def _kth_bit_by_pdep(mask: Any, k: Any) -> Any:
    return pdep(ONE << k, mask)


kth_bit: Any = _kth_bit_by_pdep if HAS_PDEP else kth_bit_loop
"""`kth_bit(mask, k)`: set bit number k (from 0, lowest first), as a mask; there must be one."""

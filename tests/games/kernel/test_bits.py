"""Intrinsics, loops and Python twins agree."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.seeds import Rng
from arena.games.kernel import bits, rng
from arena.games.kernel.jit import compiled

words = st.integers(0, 2**64 - 1).map(np.uint64)


@compiled
def _unary(x: Any) -> Any:
    return bits.popcount(x), bits.ctz(x), bits.high_bit(x | np.uint64(1))


@compiled
def _binary(source: Any, mask: Any) -> Any:
    return (
        bits.pdep(source, mask),
        bits.pext(source, mask),
        bits.pdep_loop(source, mask),
        bits.pext_loop(source, mask),
    )


@compiled
def _kth(mask: Any, k: Any) -> Any:
    return bits.kth_bit(mask, k), bits.kth_bit_loop(mask, k)


@compiled
def _draw(state: Any, n: Any) -> Any:
    return rng.next64(state), rng.below(state, n)


@settings(deadline=None)  # the first call compiles
@given(words)
def test_counting_bits(x: np.uint64) -> None:
    assert _unary(x) == (
        bits.popcount_twin(x),
        bits.ctz_twin(x),
        bits.high_bit_twin(x | np.uint64(1)),
    )


def test_no_bits() -> None:
    assert _unary(np.uint64(0)) == (0, 64, 0)


@settings(deadline=None)  # the first call compiles
@given(words, words)
def test_depositing_and_extracting(source: np.uint64, mask: np.uint64) -> None:
    deposited, extracted = bits.pdep_twin(source, mask), bits.pext_twin(source, mask)
    assert _binary(source, mask) == (deposited, extracted, deposited, extracted)
    assert bits.pext_twin(deposited, mask) == int(source) & ((1 << int(mask).bit_count()) - 1)


@settings(deadline=None)  # the first call compiles
@given(words.filter(bool), st.data())
def test_the_kth_bit(mask: np.uint64, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, int(mask).bit_count() - 1))
    single = [1 << bit for bit in range(64) if int(mask) >> bit & 1][k]
    assert _kth(mask, np.uint64(k)) == (single, single)


@settings(deadline=None)  # the first call compiles
@given(words, st.integers(1, 2**32 - 1))
def test_the_generator_goes_on_where_the_other_stopped(seed: np.uint64, n: int) -> None:
    generator = Rng(int(seed))
    state = rng.rng_array(generator)
    assert _draw(state, np.uint64(n)) == (generator.next64(), generator.below(n))
    assert state[0] == generator.state
    _draw(state, np.uint64(n))
    rng.take_back(generator, state)
    assert _draw(state, np.uint64(n)) == (generator.next64(), generator.below(n))

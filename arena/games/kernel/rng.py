"""SplitMix64 in compiled code: the same numbers as `arena.core.seeds.Rng` for the same state.

The state is one word in an array of uint64, `rng[0]`, that the caller owns. Hot loops keep
it in a local: `state = advance(state)`, `word = mix(state)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.core.seeds import Rng
from arena.games.kernel.jit import inlined

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@inlined
def advance(state: Any) -> Any:
    """The state after one more draw."""
    return state + _GAMMA


@inlined
def mix(state: Any) -> Any:
    """The 64 random bits of a state."""
    z = (state ^ (state >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@inlined
def next64(rng: Any) -> Any:
    """`Rng.next64`."""
    state = advance(rng[0])
    rng[0] = state
    return mix(state)


@inlined
def below_word(half: Any, n: Any) -> Any:
    """A number from 0 to n - 1 out of 32 random bits (a uint64 below 2**32)."""
    return (half * n) >> _S32


@inlined
def below(rng: Any, n: Any) -> Any:
    """`Rng.below`; `n` is a uint64."""
    return below_word(next64(rng) >> _S32, n)


def rng_array(rng: Rng) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The state of a generator, for compiled code to go on from; see `take_back`."""
    return np.array([rng.state], dtype=np.uint64)


def take_back(rng: Rng, array: np.ndarray[Any, np.dtype[np.uint64]]) -> None:
    """Let a generator go on where compiled code stopped."""
    rng.state = int(array[0])

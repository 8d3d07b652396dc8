"""Seeds and random numbers.

A seed is derived from the run's seed and a key that names the use (deal,
seat, ...), never from a counter or the clock, so results do not depend on
worker count, order or backend. There is no module-level generator.

`Rng` is SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom
number generators"): one 64-bit word of state that the compiled kernels carry
on with exactly. Derivation hashes with BLAKE2b: numpy's SeedSequence takes
about 15 microseconds to make four words of state, this takes one.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")

_WORD = (1 << 64) - 1


def seed_for(root: int, *key: str | int) -> int:
    """A 64-bit seed for the use that `key` names, under the run's seed `root`.

    Equal keys give equal seeds; `(1, 23)` and `(12, 3)` differ, and so do `1` and `"1"`.

    >>> seed_for(1, "deal", 7) == seed_for(1, "deal", 7) != seed_for(1, "deal", 8)
    True
    """
    return int.from_bytes(blake2b(repr((root, *key)).encode(), digest_size=8).digest(), "little")


def rng_for(root: int, *key: str | int) -> Rng:
    """A generator of its own for the use that `key` names."""
    return Rng(seed_for(root, *key))


class Rng:
    """SplitMix64 with the few draws that card players need.

    >>> rng = Rng(0)
    >>> hex(rng.next64())
    '0xe220a8397b1dcdaf'
    >>> rng
    Rng(0x9e3779b97f4a7c15)
    """

    __slots__ = ("state",)

    def __init__(self, seed: int) -> None:
        self.state = seed & _WORD

    def __repr__(self) -> str:
        """An expression that makes a generator in the same state."""
        return f"Rng({self.state:#x})"

    def next64(self) -> int:
        """The next 64 random bits."""
        self.state = state = (self.state + 0x9E3779B97F4A7C15) & _WORD
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1 (bias below n / 2**32, as the kernels draw it)."""
        return ((self.next64() >> 32) * n) >> 32

    def random(self) -> float:
        """A number in [0, 1)."""
        return (self.next64() >> 11) * 2.0**-53

    def choice(self, items: Sequence[T]) -> T:
        """One of `items`, all equally likely."""
        return items[self.below(len(items))]

    def weighted(self, weights: Mapping[T, float]) -> T:
        """One of the keys, with chances in proportion to their weights."""
        goal = self.random() * sum(weights.values())
        for chosen, weight in weights.items():  # noqa: B007  (the last one, if rounding left some)
            goal -= weight
            if goal < 0.0:
                break
        return chosen

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put `items` into random order, in place."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def numpy(self) -> np.random.Generator:
        """A numpy generator seeded from here, for agents that want more distributions."""
        import numpy as np  # here, so that the command line starts fast

        return np.random.default_rng(self.next64())

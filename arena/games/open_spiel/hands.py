"""Hands that agree with what is known, drawn exactly: for any number of hands.

The compiled samplers (`arena.games.kernel.uniform_worlds`) know three holders of unseen cards.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from math import factorial, prod
from typing import NamedTuple

from arena.core.cards import cards_of, mask_of
from arena.core.seeds import Rng


def draw_hands(cards: int, may: Sequence[int], sizes: Sequence[int], rng: Rng) -> list[int]:
    """Hands of these sizes, all that `may` allows equally likely; the last may be of any cards.

    Exact: cards that the same hands may hold are counted together, and each group is divided
    with the odds that the number of completions gives.
    """
    groups: dict[tuple[int, ...], int] = {}
    for card in cards_of(cards):
        allowed = tuple(q for q, mask in enumerate(may) if sizes[q] and mask >> card & 1)
        holders = (*allowed, len(sizes) - 1)
        groups[holders] = groups.get(holders, 0) | 1 << card
    order = list(groups.items())

    @cache
    def choices(group: int, left: tuple[int, ...]) -> list[_Choice]:
        holders, members = order[group]
        room = [left[q] for q in holders]
        if group == len(order) - 1:  # all that is lacking
            return [_Choice(_orders(room) * (sum(room) == sum(left)), (), tuple(room))]
        found = []
        for counts in _divisions(members.bit_count(), room):
            after = list(left)
            for q, count in zip(holders, counts, strict=True):
                after[q] -= count
            completions = sum(choice.ways for choice in choices(group + 1, tuple(after)))
            found.append(_Choice(_orders(counts) * completions, tuple(after), counts))
        return found

    hands, left = [0] * len(sizes), tuple(sizes)
    for group, (holders, members) in enumerate(order):
        chosen = _pick(choices(group, left), rng)
        left = chosen.left
        shuffled = cards_of(members)
        rng.shuffle(shuffled)
        for q, count in zip(holders, chosen.counts, strict=True):
            hands[q] |= mask_of(shuffled[:count])
            shuffled = shuffled[count:]
    return hands


class _Choice(NamedTuple):
    """How a group of cards is divided."""

    ways: int
    """How many worlds there are with it."""
    left: tuple[int, ...]
    """The cards that each hand then lacks."""
    counts: tuple[int, ...]


def _orders(counts: Sequence[int]) -> int:
    """In how many ways as many cards can be divided so."""
    return factorial(sum(counts)) // prod(map(factorial, counts))


def _divisions(cards: int, room: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """How many of some cards each of some hands may get."""
    if len(room) == 1:
        if cards <= room[0]:
            yield (cards,)
        return
    for first in range(min(cards, room[0]) + 1):
        for others in _divisions(cards - first, room[1:]):
            yield (first, *others)


def _pick(choices: Sequence[_Choice], rng: Rng) -> _Choice:
    """One of these, each as likely as its number of ways."""
    sums = list(accumulate(choice.ways for choice in choices))
    return choices[bisect_right(sums, rng.next64() * sums[-1] >> 64)]

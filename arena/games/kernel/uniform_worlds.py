"""Worlds that are all equally likely: exact, planned once and drawn from often.

A world gives every unseen card to a holder who may have it, and every holder as many
cards as they hold (see `holders`). `plan_uniform` is called once per decision,
`sample_uniform` as often as a search wants a world; it never rejects and starts over, so the
time for a world is bounded.

    plan = uniform_plan()
    if plan_uniform(plan, unseen, may, sizes) == 0: ...   # no world agrees
    sample_uniform(plan, rng, hands)                      # fills hands of the holders

Cards are of at most seven classes, by who may have them. Let A be the holder outside the
largest class that two share. How many cards A takes from each class decides how many worlds
there are for B and C, who share the rest freely; so draw A's counts from a table, then their
cards, then B's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arena.core.seeds import Rng
from arena.games.kernel.bits import kth_bit, popcount
from arena.games.kernel.holders import (
    FREE,
    MAX_UNSEEN,
    NOBODY,
    OPENING,
    SURE,
    A,
    B,
    C,
    count,
    deal,
    find_holders,
    size_of,
)
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import ONE, ZERO, Words
from arena.games.kernel.rng import advance, below_word, mix, rng_array

_S8, _S16, _S24, _S32 = (np.uint64(shift) for shift in (8, 16, 24, 32))
_LOW_BYTE, _LOW_HALF = np.uint64(0xFF), np.uint64(0xFFFFFFFF)

# After what all plans begin with (see `holders`).
_AB, _AC, _BC, _ABC = 7, 8, 9, 10  # cards that two or all of them may have
_CELLS = 11  # how many splits there are, and how many worlds
_WORLDS = 12
_UPTO = 16  # for each split, the worlds of it and of those before
_MAX_CELLS = (MAX_UNSEEN // 3 + 1) ** 2  # largest when all three shared classes are equal
_SPLIT = _UPTO + _MAX_CELLS  # how many cards: A's of AB, AC and ABC, B's of the rest; one byte each

_WORDS = _SPLIT + _MAX_CELLS

_CHOOSE = np.zeros((MAX_UNSEEN + 1, MAX_UNSEEN + 1), dtype=np.uint64)
_CHOOSE[:, 0] = 1
for _n in range(1, MAX_UNSEEN + 1):
    _CHOOSE[_n, 1:] = _CHOOSE[_n - 1, 1:] + _CHOOSE[_n - 1, :-1]


def uniform_plan() -> Words:
    """Room for a plan of uniform worlds."""
    return np.zeros(_WORDS, dtype=np.uint64)


@inlined
def _mask(holder: Any, unseen: Any, may: Any) -> Any:
    return may[holder] & unseen if holder != NOBODY else ZERO


@uncounted
def plan_uniform(plan: Any, unseen: Any, may: Any, sizes: Any) -> Any:
    """Prepare `sample_uniform`; how many worlds there are, 0 if the facts contradict each other."""
    plan[_WORLDS] = plan[_CELLS] = ZERO
    if not find_holders(plan, unseen, may, sizes):
        return ZERO
    m0, m1, m2 = (
        _mask(plan[A], unseen, may),
        _mask(plan[B], unseen, may),
        _mask(plan[C], unseen, may),
    )
    # The two who share most are B and C: what they share needs no table.
    n01, n02, n12 = popcount(m0 & m1 & ~m2), popcount(m0 & m2 & ~m1), popcount(m1 & m2 & ~m0)
    if n02 > n12 and n02 >= n01:
        plan[A], plan[B] = plan[B], plan[A]
    elif n01 > n12:
        plan[A], plan[C] = plan[C], plan[A]
    m_a, m_b, m_c = (
        _mask(plan[A], unseen, may),
        _mask(plan[B], unseen, may),
        _mask(plan[C], unseen, may),
    )
    plan[SURE] = m_a & ~(m_b | m_c)
    plan[SURE + 1] = m_b & ~(m_a | m_c)
    plan[SURE + 2] = m_c & ~(m_a | m_b)
    plan[_AB], plan[_AC], plan[_BC] = m_a & m_b & ~m_c, m_a & m_c & ~m_b, m_b & m_c & ~m_a
    plan[_ABC] = m_a & m_b & m_c
    plan[FREE] = plan[_AB] | plan[_AC] | plan[_BC] | plan[_ABC]
    n_ab, n_ac, n_bc, n_abc = (
        count(plan[_AB]),
        count(plan[_AC]),
        count(plan[_BC]),
        count(plan[_ABC]),
    )
    need_a = size_of(plan[A], sizes) - count(plan[SURE])
    need_b = size_of(plan[B], sizes) - count(plan[SURE + 1])

    cells, worlds = 0, ZERO
    for x in range(max(0, n_ab - need_b), min(n_ab, need_a) + 1):
        for y in range(max(0, need_a - x - n_abc), min(n_ac, need_a - x) + 1):
            k = need_a - x - y
            rest, of_rest = n_abc - k + n_bc, need_b - (n_ab - x)
            if of_rest > rest:
                continue
            worlds += (
                _CHOOSE[n_ab, x] * _CHOOSE[n_ac, y] * _CHOOSE[n_abc, k] * _CHOOSE[rest, of_rest]
            )
            plan[_UPTO + cells] = worlds
            plan[_SPLIT + cells] = np.uint64(x | y << 8 | k << 16 | of_rest << 24)
            cells += 1
    plan[_CELLS], plan[_WORLDS] = np.uint64(cells), worlds
    return worlds


@inlined
def _subset(mask: Any, size: Any, state: Any) -> Any:
    """`size` cards of `mask`, each choice equally likely; and the generator's new state."""
    count = popcount(mask)
    leave = size + size > count
    picks = count - size if leave else size
    left = mask
    while picks != ZERO:
        state = advance(state)
        left ^= kth_bit(left, below_word(mix(state) >> _S32, count))
        count -= ONE
        picks -= ONE
    return (left if leave else mask ^ left), state


@inlined
def _high_product(a: Any, b: Any) -> Any:
    """The upper 64 bits of a product of two words."""
    a_low, a_high, b_low, b_high = a & _LOW_HALF, a >> _S32, b & _LOW_HALF, b >> _S32
    middle = a_high * b_low + ((a_low * b_low) >> _S32)
    return a_high * b_high + (middle >> _S32) + (((middle & _LOW_HALF) + a_low * b_high) >> _S32)


@inlined
def _draw_split(plan: Any, state: Any) -> Any:
    """One of the splits, by how many worlds it has; and the generator's new state."""
    low, high = np.int64(0), np.int64(plan[_CELLS]) - 1
    if high > 0:
        state = advance(state)
        number = _high_product(mix(state), plan[_WORLDS])
        while low < high:
            middle = (low + high) >> 1
            if plan[_UPTO + middle] > number:
                high = middle
            else:
                low = middle + 1
    return plan[_SPLIT + low], state


@uncounted
def sample_uniform(plan: Any, rng: Any, hands: Any) -> None:
    """Put a world into `hands`, all worlds of the plan being equally likely."""
    split, state = _draw_split(plan, rng[0])
    ab, ac, abc = plan[_AB], plan[_AC], plan[_ABC]
    hand_a, rest = plan[SURE], abc | plan[_BC]
    if ab | ac != ZERO:
        part, state = _subset(ab, split & _LOW_BYTE, state)
        hand_a |= part
        part, state = _subset(ac, (split >> _S8) & _LOW_BYTE, state)
        hand_a |= part
    part, state = _subset(abc, (split >> _S16) & _LOW_BYTE, state)
    hand_a |= part
    part, state = _subset(rest & ~part, split >> _S24, state)
    hand_b = plan[SURE + 1] | (ab & ~hand_a) | part
    rng[0] = state
    deal(plan, hand_a, hand_b, hands)


@uncounted
def sample_many_uniform(plan: Any, rng: Any, worlds: Any) -> None:
    """`sample_uniform` for each row of `worlds`."""
    for row in range(len(worlds)):
        sample_uniform(plan, rng, worlds[row])


def bench_uniform(n: int, seed: int) -> Words:
    """`n` uniform worlds at the opening lead of Klaverjas."""
    plan, rng, worlds = uniform_plan(), rng_array(Rng(seed)), np.zeros((n, 4), dtype=np.uint64)
    plan_uniform(plan, OPENING, np.full(4, OPENING), np.array([0, 8, 8, 8]))
    sample_many_uniform(plan, rng, worlds)
    return worlds

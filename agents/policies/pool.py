"""Worlds weighted by what was played: a pool to draw from, made once per decision.

A world is a guess at the hidden cards. By Bayes' rule it is as likely as the plays of the
others would have been from the hands that they have in it:

    weight of a world = product over sides of
        sum over types t of  prior(t) * product over plays of the side of  policy_t(card | hand)

A type is a way to play, such as "like a search" or "by simple rules"; players of one side are of
one type. The pool has all worlds if there are few, and so is exact; else uniformly drawn ones,
which makes it importance sampling: its weights are right up to their sum, and the effective sample
size, (sum of weights)^2 / sum of squares, tells what they are worth. If that is small the pool
grows, up to a limit. If it is small even then, a few worlds stand for all: worlds are drawn again
by their weights, and each goes some steps of its own, exchanging cards between hands as the
weights allow (resample and move; Gilks and Berzuini 2001).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.policies.evidence import Evidence, Memory, Types, weigh, weigh_world
from arena.games.kernel.bits import ctz
from arena.games.kernel.jit import compiled, inlined, uncounted
from arena.games.kernel.layout import (
    ONE,
    S32,
    ZERO,
    Int,
    Word,
    Words,
)
from arena.games.kernel.rng import below, next64
from arena.games.kernel.tricks import pick
from arena.games.kernel.uniform_worlds import sample_uniform

_SEATS = 4
_S11 = np.uint64(11)
_UNIT = 2.0**-53
_LEAST = 1e-300
_MOVES = 4
"""Exchanges that are tried with each world that stands for several."""


class Pool(NamedTuple):
    """Worlds and how likely they are."""

    hands: NDArray[np.uint64]
    """A row for each world, the cards of each seat; 0 for the searching seat."""
    upto: NDArray[np.float64]
    """Weights of a world and all before it."""
    kinds: NDArray[np.int64]
    """A row for each world: the type of each seat, drawn by its chance in this world."""
    guide: NDArray[np.int64]
    """Where to begin to look for a world, for equal parts of the sum of weights; a power of two."""

    @classmethod
    def empty(cls, most: int) -> Pool:
        """Room for a number of worlds."""
        return cls(
            np.zeros((most, _SEATS), np.uint64),
            np.zeros(most, np.float64),
            np.zeros((most, _SEATS), np.int64),
            np.zeros(1 << (most - 1).bit_length(), np.int64),
        )

    def first(self, count: int) -> Pool:
        """The first worlds, ready to be dealt."""
        size = 1 << (count - 1).bit_length()
        pool = Pool(self.hands[:count], self.upto[:count], self.kinds[:count], self.guide[:size])
        _put_up_signs(pool)
        return pool


NO_POOL = Pool.empty(1)


@inlined
def _random(rng: Words) -> float:
    return np.float64(next64(rng) >> _S11) * _UNIT


@uncounted
def _note_types(
    products: NDArray[np.float64],
    weight: float,
    types: Types,
    rng: Words,
    kinds: NDArray[np.int64],
    posterior: NDArray[np.float64],
) -> None:
    """Draw the types of a world, and add what it says about them."""
    count = len(types.factors)
    for side in range(len(products)):
        total = 0.0
        for t in range(count):
            total += products[side, t]
        drawn = 0
        if count > 1:
            left = total * _random(rng)
            while drawn < count - 1 and left >= products[side, drawn]:
                left -= products[side, drawn]
                drawn += 1
        for seat in range(_SEATS):
            if types.sides[seat] == side:
                kinds[seat] = types.numbers[drawn]
        for t in range(count):
            posterior[side, t] += weight * products[side, t] / total


@compiled
def fill(
    pool: Pool,
    least: Int,
    wanted: float,
    plan: Words,
    exact: Int,
    evidence: Evidence,
    memory: Memory,
    posterior: NDArray[np.float64],
    rng: Words,
) -> tuple[Int, float]:
    """Fill a pool; how many worlds there are, and the effective sample size.

    `exact` worlds are there already, all that are possible; if it is 0, worlds are drawn from
    `plan`: `least` at first, then twice as many and so on until the sample size is as `wanted`
    or the pool is full. `posterior[side, type]` is how likely the types are now. If no world
    explains what was played, all are alike, and the sample size is 0.
    """
    types = evidence.types
    products = np.empty(types.priors.shape, np.float64)
    room = np.empty(2 * len(types.factors), np.float64)
    count, total, squares = _draw_and_weigh(
        pool, least, wanted, plan, exact, evidence, memory, posterior, rng, products, room
    )
    if not squares > _LEAST:
        # No world explains what was played, or so badly that numbers end: all are alike.
        for i in range(count):
            pool.upto[i] = np.float64(i + 1)
        posterior[:] = types.priors
        return count, 0.0
    posterior /= total
    return count, total * total / squares


@uncounted
def _draw_and_weigh(
    pool: Pool,
    least: Int,
    wanted: float,
    plan: Words,
    exact: Int,
    evidence: Evidence,
    memory: Memory,
    posterior: NDArray[np.float64],
    rng: Words,
    products: NDArray[np.float64],
    room: NDArray[np.float64],
) -> tuple[Int, float, float]:
    """How many worlds there are, the sum of their weights and that of the squares."""
    types = evidence.types
    total, squares = 0.0, 0.0
    posterior[:] = 0.0
    count = 0
    goal = exact if exact > 0 else min(least, len(pool.upto))
    while True:
        while count < goal:
            hands = pool.hands[count]
            if exact == 0:
                sample_uniform(plan, rng, hands)
            weight = weigh(hands, evidence, memory, products, room)
            if weight > 0.0:
                _note_types(products, weight, types, rng, pool.kinds[count], posterior)
            total += weight
            squares += weight * weight
            pool.upto[count] = total
            count += 1
        if (
            exact > 0
            or count == len(pool.upto)
            or (squares > 0.0 and total * total / squares >= wanted)
        ):
            break
        goal = min(2 * count, len(pool.upto))
    return count, total, squares


@compiled
def spread_out(
    pool: Pool,
    count: Int,
    worlds: Int,
    may: Words,
    evidence: Evidence,
    memory: Memory,
    posterior: NDArray[np.float64],
    rng: Words,
) -> None:
    """Let `worlds` others, all alike, take the place of the first `count` worlds of a pool.

    They are drawn by weight, at equal distances. Then cards are exchanged between two hands at a
    time, and the exchange is kept by the rule of Metropolis et al. 1953, which leaves worlds as
    likely as their weights say.
    """
    types = evidence.types
    products = np.empty(types.priors.shape, np.float64)
    room = np.empty(2 * len(types.factors), np.float64)
    seats = np.empty(_SEATS, np.int64)
    holders = 0
    for seat in range(_SEATS):
        if pool.hands[0, seat] != ZERO:
            seats[holders] = seat
            holders += 1
    before = pool.hands[:count].copy()
    step = pool.upto[count - 1] / np.float64(worlds)
    goal = step * _random(rng)
    source = 0
    posterior[:] = 0.0
    for i in range(worlds):
        while source < count - 1 and pool.upto[source] <= goal:
            source += 1
        goal += step
        hands = pool.hands[i]
        hands[:] = before[source]
        weight = weigh_world(hands, evidence, memory, products, room)
        for _ in range(_MOVES):
            one = seats[below(rng, np.uint64(holders))]
            other = seats[below(rng, np.uint64(holders))]
            mine = pick(hands[one], next64(rng) >> S32)
            theirs = pick(hands[other], next64(rng) >> S32)
            if one == other or may[one] & theirs == ZERO or may[other] & mine == ZERO:
                continue
            hands[one] ^= mine | theirs
            hands[other] ^= mine | theirs
            moved = weigh_world(hands, evidence, memory, products, room)
            if moved > weight * _random(rng):
                weight = moved
            else:
                hands[one] ^= mine | theirs
                hands[other] ^= mine | theirs
        weight = weigh_world(hands, evidence, memory, products, room)
        _note_types(products, 1.0, types, rng, pool.kinds[i], posterior)
    for i in range(worlds):
        pool.upto[i] = np.float64(i + 1)
    posterior /= np.float64(worlds)


@compiled
def _put_up_signs(pool: Pool) -> None:
    world = 0
    total = pool.upto[len(pool.upto) - 1]
    parts = len(pool.guide)
    for part in range(parts):
        goal = total * (np.float64(part) / np.float64(parts))
        while world < len(pool.upto) - 1 and pool.upto[world] <= goal:
            world += 1
        pool.guide[part] = world


@inlined
def world_at(pool: Pool, share: float) -> Int:
    """The number of the world at a share, from 0 to less than 1, of the sum of weights."""
    last = len(pool.upto) - 1
    goal = pool.upto[last] * share
    world = pool.guide[np.int64(share * np.float64(len(pool.guide)))]
    while world < last and pool.upto[world] <= goal:
        world += 1
    return world


@inlined
def deal_from(pool: Pool, rng: Words) -> Int:
    """The number of a world, as likely as its weight says."""
    return world_at(pool, _random(rng))


@compiled
def enumerate_worlds(
    unseen: Word, may: Words, sizes: NDArray[np.int64], hands: NDArray[np.uint64]
) -> Int:
    """All worlds, one in each row of `hands`; how many there are.

    `hands` must have enough rows. Seats with size 0 take no part.
    """
    cards = np.empty(64, np.uint64)
    count = 0
    left = unseen
    while left != ZERO:
        cards[count] = ONE << ctz(left)
        left &= left - ONE
        count += 1
    holder = np.full(count + 1, -1, np.int64)
    room = sizes.copy()
    held = np.zeros(_SEATS, np.uint64)
    found, at = 0, 0
    while at >= 0:
        if at == count:
            hands[found, :] = held
            found += 1
            at -= 1
            continue
        seat = holder[at]
        if seat >= 0:
            held[seat] ^= cards[at]
            room[seat] += 1
        seat += 1
        while seat < _SEATS and (room[seat] == 0 or may[seat] & cards[at] == ZERO):
            seat += 1
        if seat == _SEATS:
            holder[at] = -1
            at -= 1
            continue
        holder[at] = seat
        held[seat] |= cards[at]
        room[seat] -= 1
        at += 1
    return found

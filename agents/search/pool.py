"""Worlds weighted by what was played: a pool to draw from, made once per decision.

A world is a guess at the hidden cards. By Bayes' rule it is as likely as the plays of the
others would have been from the hands that they have in it:

    weight of a world = product over sides of
        sum over types t of  prior(t) * product over plays of the side of  policy_t(card | hand)

A type is a way to play, such as "like a search" or "by simple rules"; players of one side are of
one type. The pool has all worlds if there are few, and so is exact; else uniformly drawn ones,
which makes it importance sampling: its weights are right up to their sum, and the effective sample
size, (sum of weights)^2 / sum of squares, tells what they are worth. If that is small the pool
grows, up to a limit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.policies.features import Deck, watch
from agents.policies.tables import chances_by_type
from agents.search.leaves import Int
from arena.games.kernel.bits import ctz
from arena.games.kernel.jit import compiled, inlined
from arena.games.kernel.layout import (
    BEST,
    HANDS,
    HOLDER,
    LED,
    LEFT,
    ONE,
    OPENED,
    PLAYED,
    STATE_WORDS,
    TABLE,
    TAKEN,
    TRICKS,
    TURN,
    ZERO,
    Word,
    Words,
)
from arena.games.kernel.rng import next64
from arena.games.kernel.step import copy_state, legal, play
from arena.games.kernel.uniform_worlds import sample_uniform

__all__ = ["Ledger", "Pool", "Types", "deal_from", "fill", "recall", "weigh_world"]

_SEATS = 4
_S11 = np.uint64(11)
_UNIT = 2.0**-53
_LEAST = 1e-300


class Types(NamedTuple):
    """Ways to play that the others may have."""

    deck: Deck
    factors: NDArray[np.float32]
    """A row of tables for each type."""
    priors: NDArray[np.float64]
    """How likely each type is before anything was played: a row for each side."""
    sides: NDArray[np.int64]
    """The side of each seat."""


class Ledger(NamedTuple):
    """What was played, and what everybody could see when it was."""

    states: NDArray[np.uint64]
    """Before each play of the others; their hands are to be filled in."""
    voids: NDArray[np.uint64]
    later: NDArray[np.uint64]
    """The cards that the seat has played since, this one included."""
    cards: NDArray[np.uint64]
    voids_now: NDArray[np.uint64]

    @classmethod
    def empty(cls, plays: int) -> Ledger:
        """Room for a number of plays."""
        return cls(
            np.empty((plays, STATE_WORDS), np.uint64),
            np.empty((plays, _SEATS), np.uint64),
            np.zeros(plays, np.uint64),
            np.zeros(plays, np.uint64),
            np.zeros(_SEATS, np.uint64),
        )


@compiled
def recall(
    cards: Words, leader: Word, now: Words, game: Words, thinker: Word, ledger: Ledger
) -> Int:
    """Go through a round again that was played as `cards` say, up to `now`.

    How many plays of others there are in the ledger afterwards.
    """
    state = np.empty(STATE_WORDS, np.uint64)
    copy_state(now, state)
    for i in range(_SEATS):
        seat = np.uint64(i)
        state[HANDS + seat] = state[TAKEN + seat] = state[PLAYED + seat] = ZERO
    state[TABLE] = state[LED] = state[BEST] = state[HOLDER] = state[OPENED] = ZERO
    state[TURN], state[LEFT] = leader, game[TRICKS]
    voids = ledger.voids_now
    voids[:] = ZERO
    count = 0
    for card in cards:
        turn = state[TURN]
        if turn != thinker:
            copy_state(state, ledger.states[count])
            ledger.voids[count] = voids
            ledger.cards[count] = card
            ledger.later[count] = ZERO
            for i in range(count + 1):
                if ledger.states[i][TURN] == turn:
                    ledger.later[i] |= card
            count += 1
        watch(state, voids, card)
        state[HANDS + turn] |= card
        play(state, game, card)
    return count


@compiled
def weigh_world(
    hands: Words,
    plays: Int,
    ledger: Ledger,
    game: Words,
    types: Types,
    products: NDArray[np.float64],
    room: NDArray[np.float64],
) -> float:
    """How likely the past plays of the others are if these are the hands that are left.

    `products[side, type]` is what it would be for a side of a type, prior included; `room` has
    two places for each type.
    """
    products[:] = types.priors
    count = len(types.factors)
    for i in range(plays):
        state = ledger.states[i]
        turn = state[TURN]
        state[HANDS + turn] = hands[turn] | ledger.later[i]
        allowed = legal(state, game)
        if allowed & ledger.cards[i] == ZERO:
            return 0.0
        if allowed & (allowed - ONE) == ZERO:
            continue
        chances_by_type(
            state, game, ledger.voids[i], types.deck, types.factors, allowed, ledger.cards[i], room
        )
        side = types.sides[turn]
        for t in range(count):
            products[side, t] *= room[t]
    weight = 1.0
    for side in range(len(products)):
        total = 0.0
        for t in range(count):
            total += products[side, t]
        weight *= total
    return weight


class Pool(NamedTuple):
    """Worlds and how likely they are."""

    hands: NDArray[np.uint64]
    """A row for each world, the cards of each seat."""
    upto: NDArray[np.float64]
    """Weights of a world and all before it."""
    kinds: NDArray[np.int64]
    """A row for each world: the type of each seat, drawn by its chance in this world."""

    @classmethod
    def empty(cls, most: int) -> Pool:
        """Room for a number of worlds."""
        return cls(
            np.zeros((most, _SEATS), np.uint64),
            np.zeros(most, np.float64),
            np.zeros((most, _SEATS), np.int64),
        )


@inlined
def _random(rng: Words) -> float:
    return np.float64(next64(rng) >> _S11) * _UNIT


@compiled
def _draw_kinds(
    products: NDArray[np.float64], types: Types, rng: Words, kinds: NDArray[np.int64]
) -> None:
    count = len(products[0])
    if count == 1:
        return
    drawn = np.zeros(len(products), np.int64)
    for side in range(len(products)):
        total = 0.0
        for t in range(count):
            total += products[side, t]
        left = total * _random(rng)
        t = 0
        while t < count - 1 and left >= products[side, t]:
            left -= products[side, t]
            t += 1
        drawn[side] = t
    for seat in range(_SEATS):
        kinds[seat] = drawn[types.sides[seat]]


@compiled
def fill(
    pool: Pool,
    least: Int,
    wanted: float,
    plan: Words,
    exact: Int,
    plays: Int,
    ledger: Ledger,
    game: Words,
    types: Types,
    sharpness: float,
    posterior: NDArray[np.float64],
    rng: Words,
) -> tuple[Int, float]:
    """Fill a pool; how many worlds there are, and the effective sample size.

    `exact` worlds are there already, all that are possible; if it is 0, worlds are drawn from
    `plan`: `least` at first, then twice as many and so on until the sample size is as `wanted`
    or the pool is full. `sharpness` is the power to which likelihoods are raised. `posterior[side,
    type]` is how likely the types are now.
    """
    products = np.empty(types.priors.shape, np.float64)
    room = np.empty(2 * len(types.factors), np.float64)
    total, squares = 0.0, 0.0
    posterior[:] = 0.0
    count = 0
    goal = exact if exact > 0 else min(least, len(pool.upto))
    while True:
        while count < goal:
            hands = pool.hands[count]
            if exact == 0:
                sample_uniform(plan, rng, hands)
            weight = weigh_world(hands, plays, ledger, game, types, products, room)
            if weight > 0.0:
                for side in range(len(products)):
                    scale = 0.0
                    for t in range(len(products[side])):
                        scale += products[side, t]
                    for t in range(len(products[side])):
                        posterior[side, t] += weight * products[side, t] / scale
                _draw_kinds(products, types, rng, pool.kinds[count])
            if sharpness != 1.0:
                weight = weight**sharpness
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
    if not squares > _LEAST:
        # No world explains what was played, or so badly that numbers end: all are alike.
        for i in range(count):
            pool.upto[i] = np.float64(i + 1)
        return count, np.float64(count)
    for side in range(len(products)):
        scale = 0.0
        for t in range(len(products[side])):
            scale += posterior[side, t]
        posterior[side] /= scale
    return count, total * total / squares


@inlined
def deal_from(pool: Pool, count: Int, rng: Words) -> Int:
    """The number of a world, as likely as its weight says."""
    goal = pool.upto[count - 1] * _random(rng)
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) >> 1
        if pool.upto[middle] > goal:
            high = middle
        else:
            low = middle + 1
    return low


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

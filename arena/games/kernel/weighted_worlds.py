"""Worlds as likely as the product of their cards' weights: exact, planned once, drawn from often.

    plan, odds = weighted_plan(), weighted_odds()
    if not plan_weighted(plan, odds, unseen, may, sizes, weights): ...   # no world agrees
    sample_weighted(plan, odds, rng, hands)

A world is as likely as the product of `weights[h, bit]` over its cards; the other arguments
are those of `holders`. This is what "draw each card by its own chances and start over if a
hand has not its size" comes to, without starting over. A table gives, for each card in turn
and each pair of hand sizes still to fill, the chances of the three holders; it is made
backwards, from the last card on.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from arena.core.seeds import Rng
from arena.games.kernel.bits import ctz
from arena.games.kernel.holders import (
    FREE,
    MAX_HOLDERS,
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
from arena.games.kernel.rng import advance, mix, rng_array

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

_S11 = np.uint64(11)
_UNIT = 2.0**-53

# After what all plans begin with (see `holders`). The table has two floats per state.
_LAYER, _ROW, _START = 7, 8, 9
_MAX_STATES = (MAX_UNSEEN // 3 + 2) ** 2  # C has the largest hand; one more for zeros

_WORDS = 10
_FLOATS = MAX_HOLDERS * MAX_UNSEEN + 2 * (MAX_UNSEEN + 1) * _MAX_STATES
_BALANCING, _HUGE = 4, 1e300


def weighted_plan() -> Words:
    """Room for a plan of weighted worlds; `weighted_odds` goes with it."""
    return np.zeros(_WORDS, dtype=np.uint64)


def weighted_odds() -> Floats:
    """Room for the table of a plan of weighted worlds."""
    return np.zeros(_FLOATS, dtype=np.float64)


@inlined
def _weight(plan: Any, place: Any, card: Any, may: Any, weights: Any) -> Any:
    holder = plan[place]
    if holder == NOBODY or (may[holder] >> card) & ONE == ZERO:
        return 0.0
    weight = weights[holder, card]
    return weight if weight > 0.0 else 0.0


@inlined
def _enter_weights(plan: Any, odds: Any, unseen: Any, may: Any, weights: Any) -> Any:
    """Enter who may have which card into the plan, and the weights of those that are not sure
    into the first rows of `odds`, three a card. Whether every card has a possible holder."""
    plan[SURE] = plan[SURE + 1] = plan[SURE + 2] = plan[FREE] = ZERO
    at = 0
    left = unseen
    while left != ZERO:
        card = ctz(left)
        bit = ONE << card
        left ^= bit
        can, only, largest = 0, 0, 0.0
        for place in range(MAX_HOLDERS):
            weight = _weight(plan, place, card, may, weights)
            odds[at + place] = weight
            if weight > 0.0:
                can, only, largest = can + 1, place, max(largest, weight)
        if can == 0:
            return False
        if can == 1:
            plan[SURE + only] |= bit
        else:
            plan[FREE] |= bit
            for place in range(MAX_HOLDERS):
                odds[at + place] /= largest  # which keeps sums of the tiniest weights finite
            at += MAX_HOLDERS
    return True


@inlined
def _balance(odds: Any, cards: Any, sizes: Any) -> Any:
    """Make weights into chances of the holders, card by card. Whether any world has a chance.

    A factor for all weights of a holder, or of a card, changes no world's chance, since all
    worlds have the same number of them. The factors are chosen (by iterative proportional
    fitting, Deming and Stephan 1940) so that holders can expect about as many cards as they
    hold: then the sums over worlds are neither large nor vanishing, whatever the weights.
    """
    for turn in range(_BALANCING):
        expected_a = expected_b = expected_c = 0.0
        for at in range(0, MAX_HOLDERS * cards, MAX_HOLDERS):
            total = odds[at] + odds[at + 1] + odds[at + 2]
            if not total > 0.0:
                return False
            share = 1.0 / total
            odds[at] *= share
            odds[at + 1] *= share
            odds[at + 2] *= share
            expected_a += odds[at]
            expected_b += odds[at + 1]
            expected_c += odds[at + 2]
        if turn + 1 < _BALANCING:
            factor_a = min(sizes[0] / expected_a, _HUGE) if expected_a > 0.0 else 0.0
            factor_b = min(sizes[1] / expected_b, _HUGE) if expected_b > 0.0 else 0.0
            factor_c = min(sizes[2] / expected_c, _HUGE) if expected_c > 0.0 else 0.0
            for at in range(0, MAX_HOLDERS * cards, MAX_HOLDERS):
                odds[at] *= factor_a
                odds[at + 1] *= factor_b
                odds[at + 2] *= factor_c
    return True


@uncounted
def plan_weighted(plan: Any, odds: Any, unseen: Any, may: Any, sizes: Any, weights: Any) -> Any:
    """Prepare `sample_weighted`; whether any world has a weight above 0."""
    if not find_holders(plan, unseen, may, sizes):
        return False
    # The largest hand is C's: the table has a row and a column for the other two.
    if size_of(plan[A], sizes) > size_of(plan[C], sizes):
        plan[A], plan[C] = plan[C], plan[A]
    if size_of(plan[B], sizes) > size_of(plan[C], sizes):
        plan[B], plan[C] = plan[C], plan[B]
    if not _enter_weights(plan, odds, unseen, may, weights):
        return False
    size_a = size_of(plan[A], sizes) - count(plan[SURE])
    size_b = size_of(plan[B], sizes) - count(plan[SURE + 1])
    size_c = size_of(plan[C], sizes) - count(plan[SURE + 2])
    if size_a < 0 or size_b < 0 or size_c < 0:
        return False
    cards = count(plan[FREE])
    if not _balance(odds, cards, (size_a, size_b, size_c)):
        return False

    row = size_b + 1
    states = (size_a + 1) * row
    table = MAX_HOLDERS * MAX_UNSEEN
    plan[_ROW], plan[_LAYER] = np.uint64(2 * row), np.uint64(2 * states)
    plan[_START] = np.uint64(table + 2 * (states - 1))
    # Behind the table, for this layer and the one after: the chance that the cards from here
    # on fill all hands, by what A and B still need. Before the first row and each row's first
    # place, zeros stand for hands that are too full.
    wide = row + 1
    after = table + 2 * cards * states + wide + 1
    here = after + (size_a + 2) * wide
    for at in range(after - wide - 1, here + (size_a + 1) * wide):
        odds[at] = 0.0
    odds[after] = 1.0
    for to_deal in range(1, cards + 1):  # backwards, from the last card on
        card = cards - to_deal
        chance_a, chance_b = odds[MAX_HOLDERS * card], odds[MAX_HOLDERS * card + 1]
        chance_c = odds[MAX_HOLDERS * card + 2]
        for a in range(max(0, to_deal - size_b - size_c), min(size_a, to_deal) + 1):
            at = table + 2 * (card * states + a * row)
            for b in range(max(0, to_deal - a - size_c), min(size_b, to_deal - a) + 1):
                state = a * wide + b
                to_a = chance_a * odds[after + state - wide]
                to_c = chance_c * odds[after + state]
                not_c = to_a + chance_b * odds[after + state - 1]
                total = not_c + to_c
                odds[here + state] = total
                share = 1.0 / total if total > 0.0 else 0.0
                odds[at + 2 * b] = to_a * share
                # What is certain must not be rounded to a little less.
                odds[at + 2 * b + 1] = not_c * share if to_c > 0.0 else 1.0
        after, here = here, after
    return odds[after + size_a * wide + size_b] > 0.0


@uncounted
def sample_weighted(plan: Any, odds: Any, rng: Any, hands: Any) -> None:
    """Put a world into `hands`, each as likely as the product of its weights."""
    state = rng[0]
    layer, row_less_b = np.int64(plan[_LAYER]), np.int64(plan[_ROW]) - 2
    at = np.int64(plan[_START])
    hand_a, not_c = ZERO, ZERO
    left = plan[FREE]
    while left != ZERO:
        bit = left & (~left + ONE)
        left ^= bit
        state = advance(state)
        chance = np.float64(mix(state) >> _S11) * _UNIT
        # Without branches, which a CPU could not predict: 1 if the card is A's, if it is not C's.
        to_a, to_ab = np.int64(chance < odds[at]), np.int64(chance < odds[at + 1])
        hand_a |= bit & np.uint64(-to_a)
        not_c |= bit & np.uint64(-to_ab)
        at += layer - to_a * row_less_b - 2 * to_ab
    rng[0] = state
    deal(plan, plan[SURE] | hand_a, plan[SURE + 1] | (not_c & ~hand_a), hands)


@uncounted
def sample_many_weighted(plan: Any, odds: Any, rng: Any, worlds: Any) -> None:
    """`sample_weighted` for each row of `worlds`."""
    for row in range(len(worlds)):
        sample_weighted(plan, odds, rng, worlds[row])


def bench_weighted(n: int, seed: int) -> Words:
    """`n` worlds at the opening lead of Klaverjas, by weights that are drawn first."""
    plan, odds, rng = weighted_plan(), weighted_odds(), Rng(seed)
    weights = np.array([[rng.random() for _ in range(64)] for _ in range(4)])
    plan_weighted(plan, odds, OPENING, np.full(4, OPENING), np.array([0, 8, 8, 8]), weights)
    worlds = np.zeros((n, 4), dtype=np.uint64)
    sample_many_weighted(plan, odds, rng_array(rng), worlds)
    return worlds

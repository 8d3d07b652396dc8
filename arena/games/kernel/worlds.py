"""Drawing the cards that nobody has seen: exact samplers, planned once and drawn from often.

A world gives every unseen card to a holder who may have it, and every holder as many
cards as they hold. Up to three hold unseen cards: the other players, and the stock if
cards are left undealt. `plan_*` is called once per decision, `sample_*` as often as a
search wants a world; neither rejects and starts over, so the time for a world is bounded.

    plan = uniform_plan()
    if plan_uniform(plan, unseen, may, sizes) == 0: ...   # no world agrees
    sample_uniform(plan, rng, hands)                      # fills hands of the holders

* `unseen`: mask of the cards to give out. Masks may be in any coordinates: the samplers
  never ask what a bit stands for.
* `may[h]` (uint64): the cards that holder `h` may have. `sizes[h]` (int64): how many they have.
  Both are as long as `hands`, or longer; whoever has size 0 takes no part, so they can be
  indexed by seat, with size 0 for the one who thinks.
* `rng[0]`: state of SplitMix64, as in `arena.seeds.Rng`. `hands[h]`: where the cards go;
  entries of those who take no part are left alone.

Uniform: every world is equally likely. Cards are of at most seven classes, by who may have
them. Let A be the holder outside the largest class that two share. How many cards A
takes from each class decides how many worlds there are for B and C, who share the rest
freely; so draw A's counts from a table, then their cards, then B's.

Weighted: a world is as likely as the product of `weights[h, bit]` over its cards. This is
what "draw each card by its own chances and start over if a hand has not its size" comes to.
A table gives, for each card in turn and each pair of hand sizes still to fill, the
chances of the three holders; it is made backwards, from the last card on.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from arena.cards import LANE, deck_of
from arena.games.kernel.bits import ctz, kth_bit, popcount
from arena.games.kernel.jit import compiled, inlined, warms
from arena.games.kernel.rng import advance, below_word, mix, rng_array
from arena.seeds import Rng

__all__ = [
    "MAX_HOLDERS",
    "MAX_UNSEEN",
    "bench_uniform",
    "bench_weighted",
    "plan_uniform",
    "plan_weighted",
    "sample_many_uniform",
    "sample_many_weighted",
    "sample_uniform",
    "sample_weighted",
    "uniform_plan",
    "weighted_odds",
    "weighted_plan",
]

Words: TypeAlias = np.ndarray[Any, np.dtype[np.uint64]]
Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

MAX_HOLDERS = 3
MAX_UNSEEN = 39
"""Three hands of 13, the most that any player of a 52-card game has not seen."""

ZERO, ONE = np.uint64(0), np.uint64(1)
_S8, _S11, _S16, _S24, _S32 = (np.uint64(shift) for shift in (8, 11, 16, 24, 32))
_LOW_BYTE, _LOW_HALF = np.uint64(0xFF), np.uint64(0xFFFFFFFF)
_UNIT = 2.0**-53

# A plan begins with these words.
_A, _B, _C = 0, 1, 2  # which holder is A, B and C; -1 if there is none
_SURE = 3  # cards that only A, only B, only C may have: three words
_FREE = 6  # all other cards

# A plan for uniform worlds goes on with these.
_AB, _AC, _BC, _ABC = 7, 8, 9, 10  # cards that two or all of them may have
_CELLS = 11  # how many splits there are, and how many worlds
_WORLDS = 12
_UPTO = 16  # for each split, the worlds of it and of those before
_MAX_CELLS = (MAX_UNSEEN // 3 + 1) ** 2  # largest when all three shared classes are equal
_SPLIT = _UPTO + _MAX_CELLS  # how many cards: A's of AB, AC and ABC, B's of the rest; one byte each

# A plan for weighted worlds goes on with these; its table has two floats per state.
_LAYER, _ROW, _START = 7, 8, 9
_MAX_STATES = (MAX_UNSEEN // 3 + 2) ** 2  # C has the largest hand; one more for zeros

_UNIFORM_WORDS = _SPLIT + _MAX_CELLS
_WEIGHTED_WORDS = 10
_WEIGHTED_FLOATS = MAX_HOLDERS * MAX_UNSEEN + 2 * (MAX_UNSEEN + 1) * _MAX_STATES
_BALANCING, _HUGE = 4, 1e300

_ABSENT = np.uint64(0xFFFFFFFFFFFFFFFF)

_CHOOSE = np.zeros((MAX_UNSEEN + 1, MAX_UNSEEN + 1), dtype=np.uint64)
_CHOOSE[:, 0] = 1
for _n in range(1, MAX_UNSEEN + 1):
    _CHOOSE[_n, 1:] = _CHOOSE[_n - 1, 1:] + _CHOOSE[_n - 1, :-1]


def uniform_plan() -> Words:
    """Room for a plan of uniform worlds."""
    return np.zeros(_UNIFORM_WORDS, dtype=np.uint64)


def weighted_plan() -> Words:
    """Room for a plan of weighted worlds; `weighted_odds` goes with it."""
    return np.zeros(_WEIGHTED_WORDS, dtype=np.uint64)


def weighted_odds() -> Floats:
    """Room for the table of a plan of weighted worlds."""
    return np.zeros(_WEIGHTED_FLOATS, dtype=np.float64)


# --- who holds cards ---------------------------------------------------------------------


@inlined
def _find_holders(plan: Any, unseen: Any, may: Any, sizes: Any) -> Any:
    """Enter the holders into the plan; whether the cards can be theirs at all."""
    plan[_A] = plan[_B] = plan[_C] = _ABSENT
    found, cards, anyones = 0, 0, ZERO
    for holder in range(len(sizes)):
        if sizes[holder] > 0:
            if found == MAX_HOLDERS:
                return False
            plan[_A + found] = np.uint64(holder)
            found += 1
            cards += sizes[holder]
            anyones |= may[holder]
    return (
        cards <= MAX_UNSEEN and np.uint64(cards) == popcount(unseen) and unseen & ~anyones == ZERO
    )


@inlined
def _mask(plan: Any, place: Any, unseen: Any, may: Any) -> Any:
    return may[plan[place]] & unseen if plan[place] != _ABSENT else ZERO


@inlined
def _size(plan: Any, place: Any, sizes: Any) -> Any:
    return sizes[plan[place]] if plan[place] != _ABSENT else 0


@inlined
def _count(mask: Any) -> Any:
    return np.int64(popcount(mask))


# --- uniform -----------------------------------------------------------------------------


@compiled
def plan_uniform(plan: Any, unseen: Any, may: Any, sizes: Any) -> Any:
    """Prepare `sample_uniform`; how many worlds there are, 0 if the facts contradict each other."""
    plan[_WORLDS] = plan[_CELLS] = ZERO
    if not _find_holders(plan, unseen, may, sizes):
        return ZERO
    m0, m1, m2 = (
        _mask(plan, _A, unseen, may),
        _mask(plan, _B, unseen, may),
        _mask(plan, _C, unseen, may),
    )
    # The two who share most are B and C: what they share needs no table.
    n01, n02, n12 = popcount(m0 & m1 & ~m2), popcount(m0 & m2 & ~m1), popcount(m1 & m2 & ~m0)
    if n02 > n12 and n02 >= n01:
        plan[_A], plan[_B] = plan[_B], plan[_A]
    elif n01 > n12:
        plan[_A], plan[_C] = plan[_C], plan[_A]
    m_a, m_b, m_c = (
        _mask(plan, _A, unseen, may),
        _mask(plan, _B, unseen, may),
        _mask(plan, _C, unseen, may),
    )
    plan[_SURE] = m_a & ~(m_b | m_c)
    plan[_SURE + 1] = m_b & ~(m_a | m_c)
    plan[_SURE + 2] = m_c & ~(m_a | m_b)
    plan[_AB], plan[_AC], plan[_BC] = m_a & m_b & ~m_c, m_a & m_c & ~m_b, m_b & m_c & ~m_a
    plan[_ABC] = m_a & m_b & m_c
    plan[_FREE] = plan[_AB] | plan[_AC] | plan[_BC] | plan[_ABC]
    n_ab, n_ac, n_bc, n_abc = (
        _count(plan[_AB]),
        _count(plan[_AC]),
        _count(plan[_BC]),
        _count(plan[_ABC]),
    )
    need_a = _size(plan, _A, sizes) - _count(plan[_SURE])
    need_b = _size(plan, _B, sizes) - _count(plan[_SURE + 1])

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


@compiled
def sample_uniform(plan: Any, rng: Any, hands: Any) -> None:
    """Put a world into `hands`, all worlds of the plan being equally likely."""
    split, state = _draw_split(plan, rng[0])
    ab, ac, abc = plan[_AB], plan[_AC], plan[_ABC]
    hand_a, rest = plan[_SURE], abc | plan[_BC]
    if ab | ac != ZERO:
        part, state = _subset(ab, split & _LOW_BYTE, state)
        hand_a |= part
        part, state = _subset(ac, (split >> _S8) & _LOW_BYTE, state)
        hand_a |= part
    part, state = _subset(abc, (split >> _S16) & _LOW_BYTE, state)
    hand_a |= part
    part, state = _subset(rest & ~part, split >> _S24, state)
    hand_b = plan[_SURE + 1] | (ab & ~hand_a) | part
    rng[0] = state
    _deal(plan, hand_a, hand_b, hands)


@inlined
def _deal(plan: Any, hand_a: Any, hand_b: Any, hands: Any) -> None:
    if plan[_A] != _ABSENT:
        hands[plan[_A]] = hand_a
    if plan[_B] != _ABSENT:
        hands[plan[_B]] = hand_b
    if plan[_C] != _ABSENT:
        hands[plan[_C]] = plan[_SURE + 2] | (plan[_FREE] & ~hand_a & ~hand_b)


# --- weighted ----------------------------------------------------------------------------


@inlined
def _weight(plan: Any, place: Any, card: Any, may: Any, weights: Any) -> Any:
    holder = plan[place]
    if holder == _ABSENT or (may[holder] >> card) & ONE == ZERO:
        return 0.0
    weight = weights[holder, card]
    return weight if weight > 0.0 else 0.0


@inlined
def _enter_weights(plan: Any, odds: Any, unseen: Any, may: Any, weights: Any) -> Any:
    """Enter who may have which card into the plan, and the weights of those that are not sure
    into the first rows of `odds`, three a card. Whether everything can be somebody's."""
    plan[_SURE] = plan[_SURE + 1] = plan[_SURE + 2] = plan[_FREE] = ZERO
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
            plan[_SURE + only] |= bit
        else:
            plan[_FREE] |= bit
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


@compiled
def plan_weighted(plan: Any, odds: Any, unseen: Any, may: Any, sizes: Any, weights: Any) -> Any:
    """Prepare `sample_weighted`; whether any world has a weight above 0."""
    if not _find_holders(plan, unseen, may, sizes):
        return False
    # The largest hand is C's: the table has a row and a column for the other two.
    if _size(plan, _A, sizes) > _size(plan, _C, sizes):
        plan[_A], plan[_C] = plan[_C], plan[_A]
    if _size(plan, _B, sizes) > _size(plan, _C, sizes):
        plan[_B], plan[_C] = plan[_C], plan[_B]
    if not _enter_weights(plan, odds, unseen, may, weights):
        return False
    size_a = _size(plan, _A, sizes) - _count(plan[_SURE])
    size_b = _size(plan, _B, sizes) - _count(plan[_SURE + 1])
    size_c = _size(plan, _C, sizes) - _count(plan[_SURE + 2])
    if size_a < 0 or size_b < 0 or size_c < 0:
        return False
    cards = _count(plan[_FREE])
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


@compiled
def sample_weighted(plan: Any, odds: Any, rng: Any, hands: Any) -> None:
    """Put a world into `hands`, each as likely as the product of its weights."""
    state = rng[0]
    layer, row_less_b = np.int64(plan[_LAYER]), np.int64(plan[_ROW]) - 2
    at = np.int64(plan[_START])
    hand_a, not_c = ZERO, ZERO
    left = plan[_FREE]
    while left != ZERO:
        bit = left & (~left + ONE)
        left ^= bit
        state = advance(state)
        chance = np.float64(mix(state) >> _S11) * _UNIT
        # Without branches, which nobody could predict: 1 if the card is A's, if it is not C's.
        to_a, to_ab = np.int64(chance < odds[at]), np.int64(chance < odds[at + 1])
        hand_a |= bit & np.uint64(-to_a)
        not_c |= bit & np.uint64(-to_ab)
        at += layer - to_a * row_less_b - 2 * to_ab
    rng[0] = state
    _deal(plan, plan[_SURE] | hand_a, plan[_SURE + 1] | (not_c & ~hand_a), hands)


# --- many at once ------------------------------------------------------------------------


@compiled
def sample_many_uniform(plan: Any, rng: Any, worlds: Any) -> None:
    """`sample_uniform` for each row of `worlds`."""
    for row in range(len(worlds)):
        sample_uniform(plan, rng, worlds[row])


@compiled
def sample_many_weighted(plan: Any, odds: Any, rng: Any, worlds: Any) -> None:
    """`sample_weighted` for each row of `worlds`."""
    for row in range(len(worlds)):
        sample_weighted(plan, odds, rng, worlds[row])


# --- benchmarks --------------------------------------------------------------------------

_OPENING = np.uint64(deck_of("789TJQKA") >> LANE << LANE)
"""What the first player of a Klaverjas round has not seen if they hold all clubs."""


def bench_uniform(n: int, seed: int) -> Words:
    """`n` uniform worlds at the opening lead of Klaverjas."""
    plan, rng, worlds = uniform_plan(), rng_array(Rng(seed)), np.zeros((n, 4), dtype=np.uint64)
    plan_uniform(plan, _OPENING, np.full(4, _OPENING), np.array([0, 8, 8, 8]))
    sample_many_uniform(plan, rng, worlds)
    return worlds


def bench_weighted(n: int, seed: int) -> Words:
    """`n` worlds at the opening lead of Klaverjas, by weights that are drawn first."""
    plan, odds, rng = weighted_plan(), weighted_odds(), Rng(seed)
    weights = np.array([[rng.random() for _ in range(64)] for _ in range(4)])
    plan_weighted(plan, odds, _OPENING, np.full(4, _OPENING), np.array([0, 8, 8, 8]), weights)
    worlds = np.zeros((n, 4), dtype=np.uint64)
    sample_many_weighted(plan, odds, rng_array(rng), worlds)
    return worlds


@warms
def _exercise() -> None:
    bench_uniform(1, 1)
    bench_weighted(1, 1)

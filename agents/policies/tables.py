"""Log-linear policies: a card is as likely as the product of its entries in a few tables.

The entries are kept as factors, the exponentials of what regression finds (`fit`), so that
nothing but look-ups and products is left to do for a card. A policy made sharper has all
factors raised to a power.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.policies.features import Deck, Entries, Scene, entries_of, hold, look
from arena.games.kernel.bits import ctz, kth_bit, popcount
from arena.games.kernel.jit import compiled, inlined
from arena.games.kernel.layout import ONE, ZERO, Int, Word, Words
from arena.games.kernel.rng import next64
from arena.games.kernel.step import legal, play
from arena.games.observation import watch

Factors: TypeAlias = NDArray[np.float32]
"""All tables one after the other, a row for each policy."""

SUMS = np.uint64(32)
"""No hand has more cards."""
_S11 = np.uint64(11)
_UNIT = 2.0**-53


@inlined
def _factor(factors: Factors, row: Word, entries: Entries) -> float:
    a, b, c, d, e, f = entries
    # Doubles: the product of six may be beyond what a float can hold.
    product = np.float64(factors[row, np.uint64(a)] * factors[row, np.uint64(b)])
    product *= np.float64(factors[row, np.uint64(c)] * factors[row, np.uint64(d)])
    return product * np.float64(factors[row, np.uint64(e)] * factors[row, np.uint64(f)])


@inlined
def chances_in(
    scene: Scene,
    deck: Deck,
    factors: Factors,
    row: Word,
    cards: Word,
    weights: NDArray[np.float64],
) -> float:
    """The weight of each of some cards in a scene, lowest first; and their sum.

    From `SUMS` on, `weights` has the sums up to each card.
    """
    total = 0.0
    count = ZERO
    # Suit by suit: what is the same for all cards of one then stays in registers.
    while cards != ZERO:
        holding = hold(scene, deck, cards & (~cards + ONE))
        in_suit = cards & holding.lane
        cards ^= in_suit
        while in_suit != ZERO:
            card = in_suit & (~in_suit + ONE)
            in_suit ^= card
            weight = _factor(factors, row, entries_of(scene, holding, deck, card))
            total += weight
            weights[count] = weight
            weights[SUMS + count] = total
            count += ONE
    return total


@inlined
def draw_in(
    scene: Scene,
    deck: Deck,
    factors: Factors,
    row: Word,
    cards: Word,
    weights: NDArray[np.float64],
    bits: Word,
) -> Word:
    """One of several cards, as likely as policy number `row` says; `bits` are random."""
    total = chances_in(scene, deck, factors, row, cards, weights)
    goal = total * (np.float64(bits >> _S11) * _UNIT)
    # Sums are counted, not looked through up to the card: where that would end the CPU cannot
    # foresee.
    passed = ZERO
    for i in range(np.int64(popcount(cards)) - 1):
        passed += ONE if weights[SUMS + np.uint64(i)] <= goal else ZERO
    return Word(kth_bit(cards, passed))


@inlined
def chances(
    state: Words,
    game: Words,
    voids: Words,
    deck: Deck,
    factors: Factors,
    row: Int,
    cards: Word,
    weights: NDArray[np.float64],
) -> float:
    """The weight of each of some cards, lowest first, for the seat in turn; and their sum."""
    scene = look(state, game, voids, deck)
    return chances_in(scene, deck, factors, np.uint64(row), cards, weights)


@compiled
def weigh(
    state: Words,
    game: Words,
    voids: Words,
    deck: Deck,
    factors: Factors,
    row: Int,
    cards: Word,
    weights: NDArray[np.float64],
) -> float:
    """`chances`, to be called from Python."""
    return chances(state, game, voids, deck, factors, row, cards, weights)


@inlined
def draw(
    state: Words,
    game: Words,
    voids: Words,
    deck: Deck,
    factors: Factors,
    row: Int,
    cards: Word,
    weights: NDArray[np.float64],
    rng: Words,
) -> Word:
    """One of several cards, as likely as policy number `row` says."""
    scene = look(state, game, voids, deck)
    return draw_in(scene, deck, factors, np.uint64(row), cards, weights, next64(rng))


@inlined
def chances_by_type(
    state: Words,
    game: Words,
    voids: Words,
    deck: Deck,
    factors: Factors,
    cards: Word,
    card: Word,
    chances: NDArray[np.float64],
) -> None:
    """How likely the seat in turn is to play `card`, one of the legal `cards`, by each policy.

    `chances` has two places for each: the second half is room for sums.
    """
    count = len(factors)
    scene = look(state, game, voids, deck)
    chances[count:] = 0.0
    while cards != ZERO:
        holding = hold(scene, deck, cards & (~cards + ONE))
        in_suit = cards & holding.lane
        cards ^= in_suit
        while in_suit != ZERO:
            one = in_suit & (~in_suit + ONE)
            in_suit ^= one
            entries = entries_of(scene, holding, deck, one)
            for t in range(count):
                weight = _factor(factors, np.uint64(t), entries)
                chances[count + t] += weight
                if one == card:
                    chances[t] = weight
    for t in range(count):
        chances[t] /= chances[count + t]


@inlined
def play_out(
    state: Words,
    voids: Words,
    game: Words,
    deck: Deck,
    factors: Factors,
    weights: NDArray[np.float64],
    rng: Words,
    bits: NDArray[np.uint8],
) -> None:
    """Play as many cards as `bits` has room for, all seats by the first policy."""
    for step in range(len(bits)):
        cards = legal(state, game)
        card = cards
        if cards & (cards - ONE) != ZERO:
            card = draw(state, game, voids, deck, factors, 0, cards, weights, rng)
        bits[step] = ctz(card)
        watch(state, voids, card)
        play(state, game, card)

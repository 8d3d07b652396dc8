"""The value of every card that a seat may play, by a network, in one pass of compiled code.

A value is by how many points the seat's side is expected to win the round with this card (in games
without partners: points fewer than the others have on average).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.networks.dense_network import Layers, Scratch, evaluate, scratch_for
from agents.policies.card_inputs import MOST_SEEN, Scheme, look_at, output_of, scheme_of
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import ONE, ZERO, Word, Words
from arena.games.kernel.spec import KernelGame


class Valuer(NamedTuple):
    """A network that values cards, with room of its own to work on."""

    scheme: Scheme
    layers: Layers
    scratch: Scratch
    inputs: NDArray[np.int32]
    """The inputs that are 1."""


def valuer_of(game: KernelGame, layers: Layers) -> Valuer:
    """A network for the cards of a game with its trump."""
    inputs = np.zeros(MOST_SEEN, np.int32)
    return Valuer(scheme_of(game), layers, scratch_for(layers), inputs)


@inlined
def value_cards(state: Words, game: Words, seen: Words, valuer: Valuer) -> Word:
    """Value all cards for the seat in turn, into `valuer.scratch.values`.

    `output_of` finds the value of a card, given the places that this returns.
    """
    count, places = look_at(state, game, seen, valuer.scheme, valuer.inputs)
    evaluate(valuer.layers, valuer.inputs, count, valuer.scratch)
    return places


@inlined
def best_by(state: Words, game: Words, seen: Words, valuer: Valuer, cards: Word) -> Word:
    """Of some cards, the one with the highest value; the lowest, if several have it."""
    places = value_cards(state, game, seen, valuer)
    best, most = ZERO, -np.inf
    while cards != ZERO:
        card = cards & (~cards + ONE)
        cards ^= card
        value = np.float64(valuer.scratch.values[output_of(places, card)])
        if value > most:
            best, most = card, value
    return best


@inlined
def weigh_by(
    state: Words,
    game: Words,
    seen: Words,
    valuer: Valuer,
    power: float,
    cards: Word,
    weights: NDArray[np.float64],
) -> float:
    """The weight of each of some cards, lowest first, exp(power * value); and their sum.

    All are divided by the largest, which is 1 then, so that none is too large for a number.
    """
    places = value_cards(state, game, seen, valuer)
    most = -np.inf
    left = cards
    while left != ZERO:
        card = left & (~left + ONE)
        left ^= card
        most = max(most, np.float64(valuer.scratch.values[output_of(places, card)]))
    total, count = 0.0, 0
    while cards != ZERO:
        card = cards & (~cards + ONE)
        cards ^= card
        value = np.float64(valuer.scratch.values[output_of(places, card)])
        weight = np.exp(power * (value - most))
        weights[count] = weight
        total += weight
        count += 1
    return total

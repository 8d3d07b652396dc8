"""The temperature at which the values of a network explain best how others play.

The chance of a card is proportional to exp(value / temperature). The temperature maximises the
likelihood of the cards that were played in some rounds, by a bounded search.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from agents.policies.card_inputs import output_of
from agents.policies.card_values import Valuer, value_cards
from agents.policies.network import CardNetwork
from agents.training.rounds import Rounds, deal_round
from arena.games.kernel.jit import compiled, uncounted
from arena.games.kernel.layout import ONE, STATE_WORDS, ZERO, Int, Words
from arena.games.kernel.step import legal, play
from arena.games.observation import SEEN_WORDS, new_seen, notice

_LEAST, _MOST = 0.01, 1000.0


class ValuedChoices(NamedTuple):
    """Choices between several cards with the network's values, one row each."""

    values: NDArray[np.float32]
    """In points, less the value of the card that was played; -inf where there is no card."""

    @property
    def uniform(self) -> float:
        """The mean log-likelihood if all legal cards were equally likely."""
        return -float(np.mean(np.log(np.isfinite(self.values).sum(axis=1))))


def valued_choices(model: CardNetwork, rounds: Rounds) -> ValuedChoices:
    """All choices in some rounds."""
    parts = []
    for game, _, cards, leaders, declarers in rounds.by_trump():
        values = np.full((cards.size, rounds.rules.hand_size), -np.inf, np.float32)
        count = _value(cards, leaders, declarers, game.words, model.valuer(game), values)
        parts.append(values[:count])
    return ValuedChoices(np.concatenate(parts))


def likelihood(choices: ValuedChoices, temperature: float) -> float:
    """The mean log-likelihood of the cards that were played; 0 is perfect."""
    return -float(np.mean(np.logaddexp.reduce(choices.values / temperature, axis=1)))


def temperature_of(choices: ValuedChoices) -> float:
    """The temperature of the highest likelihood."""
    found = minimize_scalar(
        lambda power: -likelihood(choices, float(np.exp(power))),
        bounds=(np.log(_LEAST), np.log(_MOST)),
        method="bounded",
    )
    return float(np.exp(found.x))


@compiled
def _value(
    cards: Words,
    leaders: Words,
    declarers: Words,
    game: Words,
    valuer: Valuer,
    values: NDArray[np.float32],
) -> Int:
    state, seen = np.empty(STATE_WORDS, np.uint64), np.empty(SEEN_WORDS, np.uint64)
    count = 0
    for i in range(len(cards)):
        deal_round(cards[i], leaders[i], declarers[i], game, state)
        count = _value_round(cards[i], game, valuer, values, count, state, seen)
    return count


@uncounted
def _value_round(
    cards: Words,
    game: Words,
    valuer: Valuer,
    values: NDArray[np.float32],
    count: Int,
    state: Words,
    seen: Words,
) -> Int:
    new_seen(game, seen)
    for number in cards:
        played = ONE << number
        allowed = legal(state, game)
        if allowed & (allowed - ONE) != ZERO:
            places = value_cards(state, game, seen, valuer)
            chosen = valuer.scratch.values[output_of(places, played)]
            row, at = values[count], 0
            while allowed != ZERO:
                card = allowed & (~allowed + ONE)
                allowed ^= card
                row[at] = valuer.scratch.values[output_of(places, card)] - chosen
                at += 1
            count += 1
        notice(state, game, seen, played)
        play(state, game, played)
    return count

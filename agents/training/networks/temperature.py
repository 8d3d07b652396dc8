"""At which temperature the values of a network explain best what others play.

The chance of a card is as exp(value / temperature). The temperature is the one under which what
was played in some rounds is likeliest: one number, found by searching between two others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from agents.policies.card_inputs import SEEN_WORDS, new_seen, notice, output_of
from agents.policies.card_values import Valuer, value_cards
from agents.policies.network import CardNetwork
from agents.training.rounds import Rounds
from agents.training.tables.fit import deal_round
from arena.games.kernel.jit import compiled, uncounted
from arena.games.kernel.layout import ONE, STATE_WORDS, ZERO, Int, Words
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.step import legal, play

_LEAST, _MOST = 0.01, 1000.0


class Choices(NamedTuple):
    """Decisions between several cards: what a network says of them, one row each."""

    values: NDArray[np.float32]
    """In points less those of the card that was played; -inf where there is none."""

    @property
    def uniform(self) -> float:
        """The mean logarithm of the chance of what was played, if all cards were alike."""
        return -float(np.mean(np.log(np.isfinite(self.values).sum(axis=1))))


def choices_of(model: CardNetwork, rounds: Rounds) -> Choices:
    """All choices in some rounds."""
    parts = []
    for trump in sorted(set(rounds.trump.tolist())):
        game = kernel_game(rounds.rules, None if trump < 0 else trump)
        rows = np.flatnonzero(rounds.trump == trump)
        cards = game.to_bits[rounds.cards[rows]].astype(np.uint64)
        values = np.full((cards.size, rounds.rules.hand_size), -np.inf, np.float32)
        count = _value(
            cards,
            rounds.leader[rows].astype(np.uint64),
            np.maximum(rounds.declarer[rows], 0).astype(np.uint64),
            game.words,
            model.valuer(game),
            values,
        )
        parts.append(values[:count])
    return Choices(np.concatenate(parts))


def likelihood(choices: Choices, temperature: float) -> float:
    """The mean logarithm of the chance of what was played: 0 is perfect."""
    return -float(np.mean(np.logaddexp.reduce(choices.values / temperature, axis=1)))


def temperature_of(choices: Choices) -> float:
    """The temperature at which what was played is likeliest."""
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

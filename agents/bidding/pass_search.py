"""The cards to pass on in Hearts, by playing rounds out with each choice."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.bidding.passing import pass_card
from agents.policies.features import Deck, deck_of
from agents.policies.model import policies_for
from agents.policies.tables import Factors, play_out
from agents.search.codes import DIFFERENCE, RANDOM, SHOOT
from agents.search.leaves import Leaves, values_of
from arena.core.cards import cards_of
from arena.core.rules import Action, View
from arena.core.seeds import Rng
from arena.games.hearts import Hearts
from arena.games.hearts.rule_player import burden
from arena.games.hearts.rulebook import pass_on
from arena.games.hearts.tables import PASSED_CARDS
from arena.games.kernel.jit import compiled
from arena.games.kernel.layout import (
    DECK,
    FIRST_LEAD,
    HANDS,
    LEFT,
    STATE_WORDS,
    TRICKS,
    TURN,
    ZERO,
    Int,
    Words,
)
from arena.games.kernel.spec import kernel_game
from arena.games.rulebook import blank_book

Passing: TypeAlias = Literal["rule", "search"]
PASSING_HELP = "Hearts: pass cards on as `rule` does, or those with which rounds end best"

_SEATS = 4
_CONSIDERED = 10
"""Choices are made of so many cards, those that the rule player would pass on first."""
_ROUNDS = ((12, 18), (60, 3), (200, 1))
"""Worlds in which each choice is played out, and how many of the best choices are kept."""
_SHARPNESS = 2.0
_LEAVES = Leaves(1, RANDOM, DIFFERENCE, SHOOT, 0, 0.0)


def pass_by_search(view: View, rng: Rng) -> Action:
    """One of the cards of `best_pass`; in other games as `pass_card`."""
    if not isinstance(view.rules, Hearts) or view.rules.players != _SEATS:
        return pass_card(view, rng)
    chosen = best_pass(view.rules, view.hand, view.passing)
    return next(card for card in chosen if card in view.legal)


@lru_cache(maxsize=256)
def best_pass(rules: Hearts, hand: int, steps: int) -> tuple[int, ...]:
    """The cards to pass on from a hand to the seat `steps` turns on.

    In random worlds the others pass cards on as the rule player does, and all play by the bundled
    policy. Choices are compared in the same worlds with the same luck; the best ones go on to more
    worlds (sequential halving; Karnin et al. 2013). The same hand always passes the same cards,
    so the three decisions of a round agree.
    """
    game = kernel_game(rules, None)
    cards = sorted(cards_of(hand), key=lambda card: (burden(card, hand), card), reverse=True)
    choices = list(combinations(cards[:_CONSIDERED], PASSED_CARDS))
    masks = game.masks([sum(1 << card for card in choice) for choice in choices])
    own, deck = game.mask(hand), game.words[int(DECK)]
    factors = policies_for(rules, None).factors(game, _SHARPNESS)
    random = np.random.default_rng([hand, steps])
    alive, totals = np.arange(len(choices)), np.zeros(len(choices))
    for worlds, kept in _ROUNDS:
        hands = _hands(int(own), int(deck), worlds, random)
        passed = np.zeros_like(hands)
        pass_on(blank_book(game, "rule"), hands.reshape(-1), passed.reshape(-1))
        passed[:, 0] = 0
        hands = (hands & ~passed) | np.roll(passed, steps, axis=1)
        seeds = random.integers(1 << 63, size=worlds, dtype=np.uint64)
        totals[alive] += _play_choices(
            hands, masks[alive], steps, game.words, deck_of(game), factors, seeds
        )
        alive = alive[np.argsort(-totals[alive], kind="stable")[:kept]]
    return choices[int(alive[0])]


def _hands(own: int, deck: int, worlds: int, random: np.random.Generator) -> Words:
    """The own hand for seat 0, and random ones for the others: a row for each world."""
    unseen = [1 << bit for bit in range(64) if (deck & ~own) >> bit & 1]
    dealt = random.permuted(np.tile(np.array(unseen, dtype=np.uint64), (worlds, 1)), axis=1)
    others = np.bitwise_or.reduce(dealt.reshape(worlds, _SEATS - 1, -1), axis=2)
    return np.column_stack([np.full(worlds, own, np.uint64), others])


@compiled
def _play_choices(
    hands: Words,
    choices: Words,
    steps: Int,
    game: Words,
    deck: Deck,
    factors: Factors,
    seeds: Words,
) -> NDArray[np.float64]:
    """What each choice comes to for seat 0, the sum over worlds."""
    totals = np.zeros(len(choices))
    state, voids, rng = (
        np.empty(STATE_WORDS, np.uint64),
        np.empty(4, np.uint64),
        np.empty(1, np.uint64),
    )
    weights, bits = np.empty(64, np.float64), np.empty(4 * np.int64(game[TRICKS]), np.uint8)
    values, scores = np.empty(4, np.float64), np.empty(4, np.int64)
    for world in range(len(hands)):
        for number in range(len(choices)):
            state[:] = ZERO
            voids[:] = ZERO
            for seat in range(4):
                state[HANDS + np.uint64(seat)] = hands[world, seat]
            state[HANDS] ^= choices[number]
            state[HANDS + np.uint64(steps)] |= choices[number]
            for seat in range(4):
                if state[HANDS + np.uint64(seat)] & game[FIRST_LEAD] != ZERO:
                    state[TURN] = np.uint64(seat)
            state[LEFT] = game[TRICKS]
            rng[0] = seeds[world]
            play_out(state, voids, game, deck, factors, weights, rng, bits)
            values_of(state, game, _LEAVES, scores, values)
            totals[number] += values[0]
    return totals

"""Rounds as positions to learn from, and positions as the inputs of networks.

Plain suits are interchangeable: in each epoch, the plain suits of every round change places at
random.
"""

from __future__ import annotations

from itertools import permutations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.networks.encodings import (
    CARD,
    LEGAL,
    MODES,
    SEAT,
    SIZE,
    WORLD,
    enter_places,
    enter_seat,
    enter_world,
    look_from,
    mode_of,
    places_of,
    rows_of,
)
from agents.policies.features import Deck, deck_of
from agents.policies.model import policies_for
from agents.policies.tables import Factors, draw
from agents.training.rounds import Rounds, deal_round
from arena.core.rules import Rules
from arena.core.seeds import rng_for
from arena.games.kernel.jit import compiled
from arena.games.kernel.layout import DECK, LEFT, ONE, STATE_WORDS, SUIT_WIDTH, TURN, Int, Words
from arena.games.kernel.layout import ZERO as NONE
from arena.games.kernel.spec import kernel_game
from arena.games.kernel.step import copy_state, final_scores, legal, play, side_of
from arena.games.observation import learn, watch

Encoding: TypeAlias = Literal["places", "world", "seat"]
_NUMBERS: dict[Encoding, int] = {"places": 0, "world": 1, "seat": 2}
_PLAIN = np.array(list(permutations(range(3))), dtype=np.uint8)
_LANE = np.uint64(SUIT_WIDTH)


class Positions(NamedTuple):
    """Positions to learn from, one row each."""

    inputs: NDArray[np.float32]
    words: Words
    """The positions as `agents.networks.encodings` lays them out."""
    margins: NDArray[np.float32]
    """The margin of the round in points, for the side of the seat that looks."""


def inputs_for(rules: Rules, encoding: Encoding) -> int:
    """How many inputs an encoding has in a game."""
    if encoding == "places":
        return places_of(kernel_game(rules, 0))
    return MODES + (WORLD if encoding == "world" else SEAT)


class PlayoutMargins(NamedTuple):
    """Margins as the mean of some playouts by the policy of the game."""

    number: int
    sharpness: float


def positions_of(
    rounds: Rounds,
    encoding: Encoding,
    everyone: bool,
    seed: int | None = None,
    playouts: PlayoutMargins | None = None,
) -> Positions:
    """All positions of some rounds, with the margin of the round or of playouts.

    For `everyone` they are seen by all seats, also at the end; else by the seat to move. With a
    seed, plain suits change places.
    """
    size = inputs_for(rounds.rules, encoding)
    per_round = rounds.cards.shape[1] * (4 if everyone else 1) + (4 if everyone else 0)
    count = len(rounds) * per_round
    found = Positions(
        np.empty((count, size), np.float32),
        np.empty((count, SIZE), np.uint64),
        np.empty(count, np.float32),
    )
    at = 0
    for game, rows, cards, leaders, declarers in rounds.by_trump():
        end = at + len(rows) * per_round
        if seed is not None:
            cards = _shuffled(cards, [seed, max(0, game.trump or 0)])
        if playouts is None:
            expected = np.empty((len(rows), cards.shape[1] + 1), np.float32)
            expected[:] = _margins(cards, leaders, declarers, game.words)[:, None]
        else:
            factors = policies_for(rounds.rules, None).factors(game, playouts.sharpness)
            trump = int(rounds.trump[rows[0]])
            rng = np.array([rng_for(seed or 0, "playouts", trump).next64()], dtype=np.uint64)
            expected = _play_out(
                cards, leaders, declarers, game.words, deck_of(game), factors, playouts.number, rng
            )
        _collect(
            cards,
            leaders,
            declarers,
            expected,
            game.words,
            np.uint64(mode_of(game)),
            rows_of(game),
            _NUMBERS[encoding],
            everyone,
            found.inputs[at:end],
            found.words[at:end],
            found.margins[at:end],
        )
        at = end
    return found


def _shuffled(cards: Words, seed: list[int]) -> Words:
    """The same rounds with the plain suits of each exchanged at random."""
    lanes = np.full((len(cards), 4), 3, dtype=np.uint64)
    lanes[:, :3] = _PLAIN[np.random.default_rng(seed).integers(len(_PLAIN), size=len(cards))]
    return np.take_along_axis(lanes, (cards // _LANE).astype(np.int64), 1) * _LANE + cards % _LANE


def never_active(positions: Positions) -> NDArray[np.bool_]:
    """The inputs that are 0 in all positions."""
    return np.asarray(~positions.inputs.any(axis=0))


def margins_of(rounds: Rounds) -> NDArray[np.float32]:
    """By how many points the side of seat 0 won each round."""
    margins = np.empty(len(rounds), np.float32)
    for game, rows, cards, leaders, declarers in rounds.by_trump():
        margins[rows] = _margins(cards, leaders, declarers, game.words)
    return margins


@compiled
def _margins(cards: Words, leaders: Words, declarers: Words, game: Words) -> NDArray[np.float32]:
    state, scores = np.empty(STATE_WORDS, np.uint64), np.empty(4, np.int64)
    margins = np.empty(len(cards), np.float32)
    for i in range(len(cards)):
        deal_round(cards[i], leaders[i], declarers[i], game, state)
        for number in cards[i]:
            play(state, game, ONE << number)
        final_scores(state, game, scores)
        side = side_of(game, np.uint64(0))
        margins[i] = np.float32(scores[side] - scores[side ^ ONE])
    return margins


@compiled
def _play_out(
    cards: Words,
    leaders: Words,
    declarers: Words,
    game: Words,
    deck: Deck,
    factors: Factors,
    count: Int,
    rng: Words,
) -> NDArray[np.float32]:
    """The mean margin of the side of seat 0 in playouts from before each card and at the end."""
    state, end = np.empty(STATE_WORDS, np.uint64), np.empty(STATE_WORDS, np.uint64)
    voids, seen = np.zeros(4, np.uint64), np.zeros(4, np.uint64)
    weights, scores = np.empty(64, np.float64), np.empty(4, np.int64)
    expected = np.empty((len(cards), cards.shape[1] + 1), np.float32)
    side = side_of(game, np.uint64(0))
    for i in range(len(cards)):
        deal_round(cards[i], leaders[i], declarers[i], game, state)
        voids[:] = NONE
        for step in range(cards.shape[1] + 1):
            total = 0.0
            for _ in range(count):
                copy_state(state, end)
                seen[:] = voids
                while end[LEFT] != NONE:
                    some = legal(end, game)
                    card = some
                    if some & (some - ONE) != NONE:
                        card = draw(end, game, seen, deck, factors, 0, some, weights, rng)
                    watch(end, seen, card)
                    play(end, game, card)
                final_scores(end, game, scores)
                total += np.float64(scores[side] - scores[side ^ ONE])
            expected[i, step] = np.float32(total / np.float64(count))
            if step < cards.shape[1]:
                card = ONE << cards[i, step]
                watch(state, voids, card)
                play(state, game, card)
    return expected


@compiled
def _collect(
    cards: Words,
    leaders: Words,
    declarers: Words,
    expected: NDArray[np.float32],
    game: Words,
    mode: Int,
    rows: NDArray[np.int64],
    encoding: Int,
    everyone: bool,
    inputs: NDArray[np.float32],
    positions: Words,
    margins: NDArray[np.float32],
) -> None:
    """Play rounds again and enter their positions."""
    state, may = np.empty(STATE_WORDS, np.uint64), np.empty(4, np.uint64)
    used = 0
    for i in range(len(cards)):
        deal_round(cards[i], leaders[i], declarers[i], game, state)
        for seat in range(4):
            may[seat] = game[DECK]
        for step in range(len(cards[i]) + 1):
            is_over = state[LEFT] == NONE
            card = NONE if is_over else ONE << cards[i, step]
            if everyone or not is_over:
                for seat in range(4):
                    viewer = np.uint64(seat)
                    to_move = viewer == state[TURN] and not is_over
                    if everyone or to_move:
                        position = positions[used]
                        look_from(viewer, state, game, may, leaders[i], mode, position)
                        position[LEGAL] = legal(state, game) if to_move else NONE
                        position[CARD] = card if to_move else NONE
                        if encoding == 0:
                            enter_places(position, rows, inputs[used])
                        elif encoding == 1:
                            enter_world(position, inputs[used])
                        else:
                            enter_seat(position, inputs[used])
                        is_ours = side_of(game, viewer) == side_of(game, np.uint64(0))
                        margins[used] = expected[i, step] if is_ours else -expected[i, step]
                        used += 1
            if not is_over:
                learn(state, game, may, card)
                play(state, game, card)

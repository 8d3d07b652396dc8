"""Rounds as positions to learn from, and positions as the inputs of networks.

Which plain suit is which means nothing, so each time a round is looked at, its plain suits
change places at random.
"""

from __future__ import annotations

from itertools import permutations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.encodings import (
    CARD,
    LEGAL,
    MODES,
    SEAT,
    SIZE,
    WORLD,
    enter_places,
    enter_seat,
    enter_world,
    learn,
    look_from,
    mode_of,
    places_of,
    rows_of,
)
from agents.policies.fit import deal_round
from agents.policies.rounds import Rounds
from arena.games.kernel.jit import compiled
from arena.games.kernel.layout import DECK, LANE_BITS, LEFT, ONE, STATE_WORDS, TURN, Int, Words
from arena.games.kernel.layout import ZERO as NONE
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.kernel.step import final_scores, legal, play, side_of
from arena.rules import Rules

__all__ = ["Encoding", "Examples", "examples_of", "inputs_for"]

Encoding: TypeAlias = Literal["places", "world", "seat"]
_NUMBERS: dict[Encoding, int] = {"places": 0, "world": 1, "seat": 2}
_PLAIN = np.array(list(permutations(range(3))), dtype=np.uint8)
_LANE = np.uint8(LANE_BITS)


class Examples(NamedTuple):
    """Positions, one row each."""

    inputs: NDArray[np.float32]
    positions: Words
    margins: NDArray[np.float32]
    """By how many points the side of the one who looks won the round."""


def inputs_for(rules: Rules, encoding: Encoding) -> int:
    """How many inputs an encoding has in a game."""
    if encoding == "places":
        return places_of(kernel_game(rules, 0))
    return MODES + (WORLD if encoding == "world" else SEAT)


def examples_of(
    rounds: Rounds, encoding: Encoding, everyone: bool, seed: int | None = None
) -> Examples:
    """All positions of some rounds.

    For `everyone` those of all seats, also of the end; else those of the seat to move. With a
    seed, plain suits change places.
    """
    size = inputs_for(rounds.rules, encoding)
    per_round = rounds.cards.shape[1] * (4 if everyone else 1) + (4 if everyone else 0)
    count = len(rounds) * per_round
    found = Examples(
        np.empty((count, size), np.float32),
        np.empty((count, SIZE), np.uint64),
        np.empty(count, np.float32),
    )
    at = 0
    for trump in sorted(set(rounds.trump.tolist())):
        game = kernel_game(rounds.rules, None if trump < 0 else trump)
        chosen = np.flatnonzero(rounds.trump == trump)
        end = at + len(chosen) * per_round
        _collect(
            _bits(game, rounds, chosen, seed),
            rounds.leader[chosen].astype(np.uint64),
            np.maximum(rounds.declarer[chosen], 0).astype(np.uint64),
            game.words,
            np.uint64(mode_of(game)),
            rows_of(game),
            _NUMBERS[encoding],
            everyone,
            found.inputs[at:end],
            found.positions[at:end],
            found.margins[at:end],
        )
        at = end
    return found


def _bits(game: KernelGame, rounds: Rounds, chosen: NDArray[np.int64], seed: int | None) -> Words:
    bits = game.to_bits[rounds.cards[chosen]]
    if seed is not None:
        rng = np.random.default_rng([seed, max(0, game.trump or 0)])
        lanes = np.full((len(chosen), 4), 3, dtype=np.uint8)
        lanes[:, :3] = _PLAIN[rng.integers(len(_PLAIN), size=len(chosen))]
        bits = np.take_along_axis(lanes, (bits // _LANE).astype(np.int64), 1) * _LANE + bits % _LANE
    return bits.astype(np.uint64)


@compiled
def _collect(
    cards: Words,
    leaders: Words,
    declarers: Words,
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
    scores = np.empty(4, np.int64)
    used = 0
    for i in range(len(cards)):
        deal_round(cards[i], leaders[i], declarers[i], game, state)
        for seat in range(4):
            may[seat] = game[DECK]
        first = used
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
                        # Whose side it is, until it is known what that is worth.
                        margins[used] = np.float32(side_of(game, viewer))
                        used += 1
            if not is_over:
                learn(state, game, may, card)
                play(state, game, card)
        final_scores(state, game, scores)
        for row in range(first, used):
            won = np.float32(scores[0] - scores[1])
            margins[row] = won if margins[row] == np.float32(0.0) else -won

"""Playouts of flat and tree searches: how a round is played on from a state, and what it took."""

from __future__ import annotations

import numpy as np

from agents.search.codes import RANDOM, RULE, SEMI_RANDOM
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import (
    LEFT,
    ONE,
    S16,
    S32,
    TAKEN,
    USUAL_FLAGS,
    ZERO,
    Int,
    Word,
    Words,
)
from arena.games.kernel.playout import playout_random, playout_semi
from arena.games.kernel.rng import next64
from arena.games.kernel.step import legal, play, semi_candidates
from arena.games.kernel.tricks import pick
from arena.games.rulebook import Book, play_by

_PART = np.uint64(0xFFFF)


@inlined
def roll_out(
    state: Words, game: Words, rollout: Int, stop: Word, book: Book | None, rng: Words
) -> None:
    """Play a round until `stop` tricks are left; 0 plays to the end."""
    if rollout == RULE:
        play_by(book, state, game, stop, rng)
    elif stop != ZERO:
        roll_out_until(state, game, rollout, stop, rng)
    elif rollout == RANDOM:
        playout_random(state, game, rng)
    else:
        playout_semi(state, game, rng, USUAL_FLAGS)


@uncounted
def roll_out_until(state: Words, game: Words, rollout: Int, stop: Word, rng: Words) -> None:
    """Play until `stop` tricks are left, card by card."""
    while state[LEFT] > stop:
        cards = legal(state, game)
        if cards & (cards - ONE) != ZERO and rollout == SEMI_RANDOM:
            cards = semi_candidates(state, game, cards, USUAL_FLAGS)
        if cards & (cards - ONE) != ZERO:
            cards = pick(cards, next64(rng) >> S32)
        play(state, game, cards)


@inlined
def points_taken(state: Words, side: Int) -> Int:
    """Points and bonus of a side so far."""
    taken = state[TAKEN + np.uint64(side)]
    return np.int64((taken & _PART) + ((taken >> S16) & _PART))

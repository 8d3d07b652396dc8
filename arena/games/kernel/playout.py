"""Playing a round to its end: at random, and semi-randomly.

Random play draws one word for two cards: cards 1 and 2 of a trick take the low and the
high half of a word, cards 3 and 4 those of the next. A playout that begins with card 2 or 4
draws the word and uses its high half. Semi-random play draws one word for each decision
between more than one candidate, as `Rng.below` does.

`playout_random` and `playout_semi` run unrolled loops for four players; what they must equal
are the same names with `_by_steps`.
"""

from __future__ import annotations

import numpy as np

from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import compiled, warms
from arena.games.kernel.layout import (
    LEFT,
    LOW_HALF,
    ONE,
    PLAYERS,
    S32,
    STATE_WORDS,
    TABLE,
    USUAL_HABITS,
    ZERO,
    Word,
    Words,
)
from arena.games.kernel.loops import random_tricks, semi_tricks
from arena.games.kernel.rng import advance, mix
from arena.games.kernel.step import example_game, legal, play, semi_candidates
from arena.games.kernel.tricks import choose, pick

__all__ = [
    "pick",
    "playout_random",
    "playout_random_by_steps",
    "playout_semi",
    "playout_semi_by_steps",
]

_FOUR = np.uint64(4)


# --- card by card ------------------------------------------------------------------------


@compiled
def playout_random_by_steps(state: Words, game: Words, rng: Words) -> None:
    """Play at random to the end of the round."""
    seed = rng[0]
    while state[LEFT] != ZERO:
        seed = _random_trick(state, game, seed)
    rng[0] = seed


@compiled
def playout_semi_by_steps(state: Words, game: Words, rng: Words, habits: Word) -> None:
    """Play semi-randomly to the end of the round."""
    seed = rng[0]
    while state[LEFT] != ZERO:
        seed = _semi_trick(state, game, seed, habits)
    rng[0] = seed


@compiled
def _random_trick(state: Words, game: Words, seed: Word) -> Word:
    """Play until the trick in progress, or a whole one, is complete; the new seed."""
    left = state[LEFT]
    place = popcount(state[TABLE])
    word = ZERO
    if place & ONE != ZERO:
        seed = advance(seed)
        word = mix(seed)
    while state[LEFT] == left:
        if place & ONE == ZERO:
            seed = advance(seed)
            word = mix(seed)
        half = word & LOW_HALF if place & ONE == ZERO else word >> S32
        play(state, game, pick(legal(state, game), half))
        place += ONE
    return seed


@compiled
def _semi_trick(state: Words, game: Words, seed: Word, habits: Word) -> Word:
    """Play until the trick in progress, or a whole one, is complete; the new seed."""
    left = state[LEFT]
    while state[LEFT] == left:
        cards = semi_candidates(state, game, legal(state, game), habits)
        card, seed = choose(cards, seed)
        play(state, game, card)
    return seed


# --- unrolled ----------------------------------------------------------------------------


@compiled
def playout_random(state: Words, game: Words, rng: Words) -> None:
    """Play at random to the end of the round.

    Afterwards only `TAKEN`, `OPENED`, `TURN`, `LEFT` and what was called before the first card
    are good, which is all that `final_scores` needs; the cards played are not recorded.
    """
    if game[PLAYERS] != _FOUR:
        playout_random_by_steps(state, game, rng)
        return
    seed = rng[0]
    if state[TABLE] != ZERO:
        seed = _random_trick(state, game, seed)
    rng[0] = random_tricks(state, game, seed)


@compiled
def playout_semi(state: Words, game: Words, rng: Words, habits: Word) -> None:
    """Play to the end of the round as each game's `semi_random` says, all seats alike.

    `habits` are `PROTECT_TENS | BETTER`. What is good afterwards: see `playout_random`.
    """
    if game[PLAYERS] != _FOUR:
        playout_semi_by_steps(state, game, rng, habits)
        return
    seed = rng[0]
    if state[TABLE] != ZERO:
        seed = _semi_trick(state, game, seed, habits)
    rng[0] = semi_tricks(state, game, seed, habits)


@warms
def _exercise() -> None:
    game = example_game().words
    rng = np.zeros(1, dtype=np.uint64)
    over = np.zeros(STATE_WORDS, dtype=np.uint64)
    playout_random(over, game, rng)
    playout_semi(over, game, rng, USUAL_HABITS)

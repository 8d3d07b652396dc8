"""Playing a round to its end card by card: what the unrolled loops of `playout` must equal."""

from __future__ import annotations

from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import uncounted
from arena.games.kernel.layout import LEFT, LOW_HALF, ONE, S32, TABLE, ZERO, Word, Words
from arena.games.kernel.rng import advance, mix
from arena.games.kernel.step import legal, play, semi_candidates
from arena.games.kernel.tricks import choose, pick


@uncounted
def playout_random_by_steps(state: Words, game: Words, rng: Words) -> None:
    """Play at random to the end of the round."""
    seed = rng[0]
    while state[LEFT] != ZERO:
        seed = random_trick(state, game, seed)
    rng[0] = seed


@uncounted
def playout_semi_by_steps(state: Words, game: Words, rng: Words, semi_random_flags: Word) -> None:
    """Play semi-randomly to the end of the round."""
    seed = rng[0]
    while state[LEFT] != ZERO:
        seed = semi_trick(state, game, seed, semi_random_flags)
    rng[0] = seed


@uncounted
def random_trick(state: Words, game: Words, seed: Word) -> Word:
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


@uncounted
def semi_trick(state: Words, game: Words, seed: Word, semi_random_flags: Word) -> Word:
    """Play until the trick in progress, or a whole one, is complete; the new seed."""
    left = state[LEFT]
    while state[LEFT] == left:
        cards = semi_candidates(state, game, legal(state, game), semi_random_flags)
        card, seed = choose(cards, seed)
        play(state, game, card)
    return seed

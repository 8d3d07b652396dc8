"""Playing a round to its end: at random, semi-randomly, and at random in many worlds at once.

Random play draws one word for two cards: cards 1 and 2 of a trick take the low and the
high half of a word, cards 3 and 4 those of the next. A playout that begins with card 2 or 4
draws the word and uses its high half. Semi-random play draws one word for each decision
between more than one candidate, as `Rng.below` does.

The loops are compiled for each game on their own (`generated.loops_of`), when `with_loops` first
asks for them, and called through their addresses. They run unrolled for four players; what they
must equal are the functions of `by_steps`.
"""

from __future__ import annotations

from numba import types

from arena.games.kernel.contract import kernel_of
from arena.games.kernel.generated import loops_of
from arena.games.kernel.jit import uncounted
from arena.games.kernel.layout import FUNCTIONS, ZERO, Numbers, Word, Words
from arena.games.kernel.pointers import GAME, WORDS, address_of, prototype
from arena.games.kernel.spec import KernelGame

_RANDOM, _SEMI, _BULK = FUNCTIONS + 13, FUNCTIONS + 14, FUNCTIONS + 15

_call_random = prototype(types.none, WORDS, GAME, WORDS)
_call_semi = prototype(types.none, WORDS, GAME, WORDS, types.uint64)
_call_bulk = prototype(
    types.none,
    *(WORDS, GAME, types.Array(types.uint64, 2, "C"), WORDS, types.Array(types.int64, 2, "C")),
)
_LOOPS = {
    "random": (_RANDOM, "playout_random", _call_random),
    "semi": (_SEMI, "playout_semi", _call_semi),
    "bulk": (_BULK, "playouts", _call_bulk),
}
_MISSING = "the loops of the game are not compiled: see with_loops"


def with_loops(game: KernelGame, *loops: str) -> KernelGame:
    """The same game, with the loops that playouts need: `random`, `semi`, `bulk`, or all."""
    for loop in loops or _LOOPS:
        slot, name, call = _LOOPS[loop]
        if not game.words[slot]:
            function = getattr(loops_of(kernel_of(game.rules)), name)
            game.set_function(slot, address_of(function, call))
    return game


@uncounted
def playout_random(state: Words, game: Words, rng: Words) -> None:
    """Play at random to the end of the round.

    Afterwards only `TAKEN`, `OPENED`, `TURN`, `LEFT` and what was called before the first card
    are good, which is all that `final_scores` needs; the cards played are not recorded.
    """
    if game[_RANDOM] == ZERO:
        raise ValueError(_MISSING)
    _call_random(game[_RANDOM], state, game, rng)


@uncounted
def playout_semi(state: Words, game: Words, rng: Words, semi_random_flags: Word) -> None:
    """Play to the end of the round as each game's `semi_random` says, all seats alike.

    `semi_random_flags` are `PROTECT_TENS | BETTER`. What is good afterwards: see `playout_random`.
    """
    if game[_SEMI] == ZERO:
        raise ValueError(_MISSING)
    _call_semi(game[_SEMI], state, game, rng, semi_random_flags)


@uncounted
def playouts(state: Words, game: Words, worlds: Words, seeds: Words, scores: Numbers) -> None:
    """Play each world at random to the end of the round; write what each side scores.

    `state` is the round in progress; its hands are not looked at. Row i of `worlds` has the hands
    of all seats, `seeds[i]` the state of its generator, and row i of `scores` (int64) takes the
    result. All arrays have as many rows as there are worlds; `seeds` advance. The worlds share
    all that is public: table, turn, what was taken. Row i is exactly what `playout_random` gives
    for world i and seed i.
    """
    if game[_BULK] == ZERO:
        raise ValueError(_MISSING)
    _call_bulk(game[_BULK], state, game, worlds, seeds, scores)

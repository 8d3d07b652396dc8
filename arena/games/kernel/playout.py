"""Playing a round to its end: at random, and semi-randomly.

Random play draws one word for two cards: cards 1 and 2 of a trick take the low and the
high half of a word, cards 3 and 4 those of the next. A playout that begins with card 2 or 4
draws the word and uses its high half. Semi-random play draws one word for each decision
between more than one candidate, as `Rng.below` does.

`playout_random` and `playout_semi` run unrolled loops for four players; what they must equal
are the same names with `_by_steps`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arena.games.kernel.contract import kernels
from arena.games.kernel.generated import for_each_game, import_generated
from arena.games.kernel.jit import warms
from arena.games.kernel.layout import STATE_WORDS, USUAL_HABITS, Word, Words
from arena.games.kernel.step import example_game

# A loop is compiled for each game from one: `tricks` is inlined with the constants of the game.
_SOURCE = f"""
from arena.games.kernel.by_steps import (
    playout_random_by_steps,
    playout_semi_by_steps,
    random_trick,
    semi_trick,
)
from arena.games.kernel.jit import uncounted
from arena.games.kernel.layout import BY_STEPS, KIND, RULE, TABLE, ZERO
from arena.games.kernel.tricks import tricks


@uncounted
def playout_random(state, game, rng):
    if game[BY_STEPS] != ZERO:
        playout_random_by_steps(state, game, rng)
        return
    seed = rng[0]
    if state[TABLE] != ZERO:
        seed = random_trick(state, game, seed)
    kind, rule = game[KIND], game[RULE]
{for_each_game("seed = tricks(KIND, RULE, False, state, game, seed, ZERO)", kernels(), rules=True)}
    rng[0] = seed


@uncounted
def playout_semi(state, game, rng, habits):
    if game[BY_STEPS] != ZERO:
        playout_semi_by_steps(state, game, rng, habits)
        return
    seed = rng[0]
    if state[TABLE] != ZERO:
        seed = semi_trick(state, game, seed, habits)
    kind, rule = game[KIND], game[RULE]
{for_each_game("seed = tricks(KIND, RULE, True, state, game, seed, habits)", kernels())}
    rng[0] = seed
"""

_generated = import_generated(__name__, _SOURCE)

playout_random: Callable[[Words, Words, Words], None] = _generated.playout_random
"""Play at random to the end of the round.

Afterwards only `TAKEN`, `OPENED`, `TURN`, `LEFT` and what was called before the first card
are good, which is all that `final_scores` needs; the cards played are not recorded.
"""

playout_semi: Callable[[Words, Words, Words, Word], None] = _generated.playout_semi
"""Play to the end of the round as each game's `semi_random` says, all seats alike.

The last argument are habits: `PROTECT_TENS | BETTER`. What is good afterwards: see
`playout_random`.
"""


@warms
def _exercise() -> None:
    game = example_game().words
    rng = np.zeros(1, dtype=np.uint64)
    over = np.zeros(STATE_WORDS, dtype=np.uint64)
    playout_random(over, game, rng)
    playout_semi(over, game, rng, USUAL_HABITS)

"""Many random playouts at once: 64 worlds side by side in lanes.

The worlds share all that is public: table, turn, what was taken. Lane i gives exactly what
`playout_random` gives for world i and seed i.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent

import numpy as np

from arena.games.kernel.contract import kernels
from arena.games.kernel.generated import for_each_game, import_generated
from arena.games.kernel.jit import warms
from arena.games.kernel.layout import STATE_WORDS, Numbers, Words
from arena.games.kernel.step import example_game

# As in `playout`, a loop is compiled for each game from one.
_LOOPS = for_each_game("lanes.tricks(KIND, RULE, side_by_side, state, game)", kernels(), rules=True)
_SOURCE = f"""
from arena.games.kernel import lanes
from arena.games.kernel.jit import compiled
from arena.games.kernel.layout import BY_STEPS, KIND, RULE, ZERO
from arena.games.kernel.playout import playout_random
from arena.games.kernel.step import final_scores


@compiled
def playouts(state, game, worlds, seeds, scores):
    end = state.copy()
    if game[BY_STEPS] != ZERO:
        for row in range(len(seeds)):
            lanes.enter(state, worlds[row], end)
            playout_random(end, game, seeds[row : row + 1])
            final_scores(end, game, scores[row])
        return
    kind, rule = game[KIND], game[RULE]
    side_by_side = np.empty(lanes.SIZE, dtype=np.uint64)
    for start in range(0, len(seeds), lanes.LANES):
        count = min(lanes.LANES, len(seeds) - start)
        lanes.fill(side_by_side, count, state, game, worlds[start:], seeds[start:], end)
{indent(_LOOPS, "    ")}
        for lane in range(count):
            seeds[start + lane] = lanes.read(side_by_side, lane, end)
            final_scores(end, game, scores[start + lane])
"""

_generated = import_generated(__name__, _SOURCE)

playouts: Callable[[Words, Words, Words, Words, Numbers], None] = _generated.playouts
"""Play each world at random to the end of the round; write what each side scores.

    playouts(state, game, worlds, seeds, scores)

`state` is the round in progress; its hands are not looked at. Row i of `worlds` has the hands
of all seats, `seeds[i]` the state of its generator, and row i of `scores` (int64) takes the
result. All arrays have as many rows as there are worlds; `seeds` advance.
"""


@warms
def _exercise() -> None:
    game = example_game().words
    over = np.zeros(STATE_WORDS, dtype=np.uint64)
    worlds, seeds = np.zeros((1, 4), dtype=np.uint64), np.zeros(1, dtype=np.uint64)
    playouts(over, game, worlds, seeds, np.zeros((1, 4), dtype=np.int64))

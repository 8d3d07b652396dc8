"""Many random playouts at once: 64 worlds side by side in lanes.

The worlds share all that is public: table, turn, what was taken. Lane i gives exactly what
`playout_random` gives for world i and seed i.
"""

from __future__ import annotations

import numpy as np

from arena.games.kernel import lanes
from arena.games.kernel.jit import compiled, warms
from arena.games.kernel.lanes import LANES
from arena.games.kernel.layout import PLAYERS, STATE_WORDS, Numbers, Words
from arena.games.kernel.loops import lane_tricks
from arena.games.kernel.playout import playout_random
from arena.games.kernel.step import example_game, final_scores

__all__ = ["LANES", "playouts"]

_FOUR = np.uint64(4)


@compiled
def playouts(state: Words, game: Words, worlds: Words, seeds: Words, scores: Numbers) -> None:
    """Play each world at random to the end of the round; write what each side scores.

    `state` is the round in progress; its hands are not looked at. Row i of `worlds` has the
    hands of all seats, `seeds[i]` the state of its generator, and row i of `scores` (int64)
    takes the result. All arrays have as many rows as there are worlds; `seeds` advance.
    """
    end = state.copy()
    if game[PLAYERS] != _FOUR:
        for row in range(len(seeds)):
            lanes.enter(state, worlds[row], end)
            playout_random(end, game, seeds[row : row + 1])
            final_scores(end, game, scores[row])
        return
    side_by_side = np.empty(lanes.SIZE, dtype=np.uint64)
    for start in range(0, len(seeds), LANES):
        count = min(LANES, len(seeds) - start)
        lanes.fill(side_by_side, count, state, game, worlds[start:], seeds[start:], end)
        lane_tricks(side_by_side, state, game)
        for lane in range(count):
            seeds[start + lane] = lanes.read(side_by_side, lane, end)
            final_scores(end, game, scores[start + lane])


@warms
def _exercise() -> None:
    game = example_game().words
    over = np.zeros(STATE_WORDS, dtype=np.uint64)
    worlds, seeds = np.zeros((1, 4), dtype=np.uint64), np.zeros(1, dtype=np.uint64)
    playouts(over, game, worlds, seeds, np.zeros((1, 4), dtype=np.int64))

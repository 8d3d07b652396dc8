"""Flat Monte Carlo, compiled: deal the hidden cards, play every candidate out, add up.

Nothing is known here of beliefs, parameters or views: see `agents.searchers.flat_search`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from agents.search.codes import BLOCK, CALLED, DIFFERENCE, OWN_POINTS, RANDOM, RULE, SHOOT
from agents.search.playouts import points_taken, roll_out
from agents.search.worlds import Worlds, deal_world
from arena.games.kernel.jit import compiled, inlined
from arena.games.kernel.layout import (
    HANDS,
    SIDES,
    STATE_WORDS,
    TURN,
    ZERO,
    Words,
)
from arena.games.kernel.playout import playouts as play_in_bulk
from arena.games.kernel.pointers import GAME, WORDS, prototype
from arena.games.kernel.rng import next64
from arena.games.kernel.step import copy_state, final_scores, play
from arena.games.rulebook import Book, note_in, open_book

_NO_LEAST = -(1 << 20)
"""Below every score."""
_BULK = 256
"""Playouts at a time; a few times as many as the kernel has lanes."""
_WORTH_BULK = 24
"""From so many playouts per candidate on, lanes are faster even if most of them idle."""


class Question(NamedTuple):
    """A decision to be judged, in kernel coordinates."""

    root: Words
    """The state before it; the hands of the others are filled in by `worlds`."""
    game: Words
    worlds: Worlds
    candidates: Words
    """The cards to compare, one bit each; 0 stands for the root as it is."""
    punishments: NDArray[np.float64]
    """For each candidate, what is subtracted from the own points of a playout."""
    side: int
    """For which side values are counted."""
    value: int
    """`OWN_POINTS`, `DIFFERENCE` or `SHARE`."""
    rollout: int
    """`RANDOM`, `SEMI_RANDOM`, `CALLED` or `RULE`."""
    stop: int
    """Playouts end when so many tricks are left; 0 plays to the end and scores the round."""
    book: Book | None = None
    """What `RULE` plays by."""
    player: int = 0
    """`CALLED`: the address of what plays on, as `call_player` takes it."""
    moon: int = SHOOT
    """What all points in one hand mean to the own side, as in `Leaves`: `BLOCK` or `SHOOT`."""


call_player = prototype(types.none, WORDS, GAME, types.uint64, WORDS)
"""Plays a state (first argument) until so many tricks (third argument) are left."""


def loops_for(rollout: int, stop: int) -> tuple[str, ...]:
    """Which of the kernel's loops playouts need."""
    if stop != 0 or rollout in (CALLED, RULE):
        return ()
    return ("random", "bulk") if rollout == RANDOM else ("semi",)


class Sums(NamedTuple):
    """What the playouts of each candidate came to."""

    values: NDArray[np.float64]
    squares: NDArray[np.float64]

    @classmethod
    def zeros(cls, candidates: int) -> Sums:
        """Nothing played yet."""
        return cls(np.zeros(candidates), np.zeros(candidates))


def judge(
    question: Question, worlds: int, playouts: int, shared_worlds: bool, rng: Words, sums: Sums
) -> None:
    """Play every candidate out `playouts` times in each of so many worlds.

    The candidates meet the same worlds, or each meets worlds of its own.
    """
    # Chosen out here, because what one compiled function calls is compiled again into it.
    plain = question.rollout == RANDOM and question.stop == 0 and question.moon != BLOCK
    way = _judge_in_bulk if plain and worlds * playouts >= _WORTH_BULK else _judge_one_by_one
    way(question, worlds, playouts, shared_worlds, rng, sums)


# --- many playouts at once ---------------------------------------------------------------


@compiled
def _judge_in_bulk(
    question: Question, worlds: int, playouts: int, shared_worlds: bool, rng: Words, sums: Sums
) -> None:
    candidates = len(question.candidates)
    starts = np.empty((candidates, STATE_WORDS), np.uint64)
    for i in range(candidates):
        copy_state(question.root, starts[i])
        if question.candidates[i] != ZERO:
            play(starts[i], question.game, question.candidates[i])
    hands, seeds = np.zeros((_BULK, 4), np.uint64), np.empty(_BULK, np.uint64)
    scores = np.zeros((_BULK, 4), np.int64)
    for row in range(_BULK):
        seeds[row] = next64(rng)
    world = question.root.copy()
    rows = worlds * playouts
    seat = question.root[TURN]
    for turn in range(1 if shared_worlds else candidates):
        first, last = (0, candidates) if shared_worlds else (turn, turn + 1)
        for start in range(0, rows, _BULK):
            count = min(_BULK, rows - start)
            for row in range(count):
                if (start + row) % playouts == 0:
                    deal_world(question.worlds, rng, world)
                for holder in range(4):
                    hands[row, holder] = world[HANDS + holder]
            for i in range(first, last):
                if question.candidates[i] != ZERO:
                    for row in range(count):
                        hands[row, seat] = starts[i, HANDS + seat]
                play_in_bulk(starts[i], question.game, hands[:count], seeds[:count], scores[:count])
                for row in range(count):
                    value = _worth(question, question.punishments[i], scores[row], _NO_LEAST)
                    sums.values[i] += value
                    sums.squares[i] += value * value


# --- one playout after the other ---------------------------------------------------------


@compiled
def _judge_one_by_one(
    question: Question, worlds: int, playouts: int, shared_worlds: bool, rng: Words, sums: Sums
) -> None:
    candidates = question.candidates
    world, state = np.empty(STATE_WORDS, np.uint64), np.empty(STATE_WORDS, np.uint64)
    scores = np.zeros(4, np.int64)
    copy_state(question.root, world)
    if shared_worlds:
        for _ in range(worlds):
            deal_world(question.worlds, rng, world)
            for i in range(len(candidates)):
                _judge_in_world(question, i, world, playouts, rng, state, scores, sums)
    else:
        for i in range(len(candidates)):
            for _ in range(worlds):
                deal_world(question.worlds, rng, world)
                _judge_in_world(question, i, world, playouts, rng, state, scores, sums)


@inlined
def _judge_in_world(
    question: Question,
    i: int,
    world: Words,
    playouts: int,
    rng: Words,
    state: Words,
    scores: NDArray[np.int64],
    sums: Sums,
) -> None:
    game = question.game
    for _ in range(playouts):
        copy_state(world, state)
        open_book(question.book)
        if question.candidates[i] != ZERO:
            note_in(question.book, question.candidates[i])
            play(state, game, question.candidates[i])
        stop = np.uint64(question.stop)
        if question.rollout == CALLED:
            call_player(np.uint64(question.player), state, game, stop, rng)
        else:
            roll_out(state, game, question.rollout, stop, question.book, rng)
        value = _value(question, question.punishments[i], state, scores)
        sums.values[i] += value
        sums.squares[i] += value * value


@inlined
def _value(question: Question, punishment: float, state: Words, scores: NDArray[np.int64]) -> float:
    """What the playout that ended in `state` is worth."""
    game = question.game
    if question.stop == 0:
        final_scores(state, game, scores)
    else:
        for side in range(np.int64(game[SIDES])):
            scores[side] = points_taken(state, side)
    least = points_taken(state, question.side) if question.moon == BLOCK else _NO_LEAST
    return _worth(question, punishment, scores, least)


@inlined
def _worth(question: Question, punishment: float, scores: NDArray[np.int64], least: int) -> float:
    """What these scores are worth: more is more points, whether they are good or bad."""
    side, sides = question.side, np.int64(question.game[SIDES])
    own = float(max(scores[side], least))
    if punishment > 0.0:
        own = max(0.0, own - punishment)
    if question.value == OWN_POINTS:
        return own
    total = 0.0
    for i in range(sides):
        total += float(scores[i])
    if question.value == DIFFERENCE:
        return own - (total - float(scores[side])) / float(sides - 1)
    return own / total if total > 0.0 else 1.0 / float(sides)

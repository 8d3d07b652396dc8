"""The hidden cards for a search: beliefs in, worlds out, planned once per decision.

worlds = plan_worlds(game, view, Probabilities())
deal_world(worlds, rng, state)      # in compiled code: fills the other seats' hands
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.beliefs import Believer, Guess
from agents.search.backtracking import backtracking_plan, sample_backtracking
from arena.errors import ArenaError
from arena.games.infoset import InfoSet
from arena.games.kernel.jit import compiled, inlined
from arena.games.kernel.layout import HANDS, Words
from arena.games.kernel.rng import next64
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.uniform_worlds import plan_uniform, sample_uniform, uniform_plan
from arena.games.kernel.weighted_worlds import (
    plan_weighted,
    sample_weighted,
    weighted_odds,
    weighted_plan,
)
from arena.games.world_sampler import holders_of
from arena.rules import View

__all__ = ["Worlds", "backtracked", "deal_world", "known_worlds", "plan_worlds", "uniform"]

_SEATS = 4
_S11 = np.uint64(11)
_UNIT = 2.0**-53

KNOWN, UNIFORM, MIXED, WEIGHTED, BACKTRACKED = 0, 1, 2, 3, 4


class Worlds(NamedTuple):
    """What compiled code draws worlds from."""

    kind: int
    """One of the numbers above."""
    first: Words
    second: Words
    """The plan, and for `MIXED` that of the other guess."""
    odds: NDArray[np.float64]
    """The table of a weighted plan."""
    share: float
    """`MIXED`: how often the first plan is used."""


_NO_ODDS = np.zeros(1, dtype=np.float64)
_NO_PLAN = uniform_plan()


def known_worlds() -> Worlds:
    """For a player who sees all cards: the hands stay as they are."""
    return Worlds(KNOWN, _NO_PLAN, _NO_PLAN, _NO_ODDS, 1.0)


def plan_worlds(game: KernelGame, view: View, beliefs: Believer) -> Worlds:
    """Worlds for the seat of a view, in the coordinates of `game`."""
    known = InfoSet.of(view)
    _, sizes = holders_of(known)
    unseen = np.uint64(game.mask(known.unseen))
    plans = []
    for guess in beliefs.of(view, known):
        may = game.masks([*guess.may, known.unseen])
        if guess.weights is not None:
            plan, odds = weighted_plan(), weighted_odds()
            if plan_weighted(plan, odds, unseen, may, sizes, _weights(game, guess)):
                return Worlds(WEIGHTED, plan, _NO_PLAN, odds, 1.0)
        else:
            plan = uniform_plan()
            if plan_uniform(plan, unseen, may, sizes):
                plans.append((guess.share, plan))
    if not plans:
        raise ArenaError("no cards of the other players agree with what was played")
    (share, first), (_, second) = plans[0], plans[-1]
    kind = UNIFORM if len(plans) == 1 else MIXED
    return Worlds(kind, first, second, _NO_ODDS, share)


def backtracked(game: KernelGame, view: View) -> Worlds:
    """Worlds as the program of Aaldering 2023 deals them, not all equally often."""
    known = InfoSet.of(view)
    may, sizes = holders_of(known)
    plan = backtracking_plan(np.uint64(game.mask(known.unseen)), game.masks(may.tolist()), sizes)
    return Worlds(BACKTRACKED, plan, _NO_PLAN, _NO_ODDS, 1.0)


def _weights(game: KernelGame, guess: Guess) -> NDArray[np.float64]:
    """What a guess says of each seat; a stock after the seats may have any card."""
    assert guess.weights is not None
    weights = np.zeros((_SEATS, 64), dtype=np.float64)
    weights[len(guess.weights) :] = 1.0
    for seat, row in enumerate(guess.weights):
        for card, weight in row.items():
            weights[seat, game.bits[card]] = weight
    return weights


@inlined
def uniform(rng: Words) -> float:
    """`Rng.random`: a number in [0, 1)."""
    return float(next64(rng) >> _S11) * _UNIT


@compiled
def deal_world(worlds: Worlds, rng: Words, state: Words) -> None:
    """Put a world into the hands of a state; the hand of the one who thinks is left alone."""
    hands = state[HANDS : HANDS + _SEATS]
    if worlds.kind == UNIFORM:
        sample_uniform(worlds.first, rng, hands)
    elif worlds.kind == WEIGHTED:
        sample_weighted(worlds.first, worlds.odds, rng, hands)
    elif worlds.kind == BACKTRACKED:
        sample_backtracking(worlds.first, rng, hands)
    elif worlds.kind == MIXED:
        if uniform(rng) < worlds.share:
            sample_uniform(worlds.first, rng, hands)
        else:
            sample_uniform(worlds.second, rng, hands)

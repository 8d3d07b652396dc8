"""The hidden cards for a search: beliefs in, worlds out, planned once per decision.

worlds = worlds_for(observe(game, view), Probabilities(), rng)
deal_world(worlds, rng, state)      # in compiled code: fills the other seats' hands
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from agents.beliefs import Beliefs, Believer, Guess, Infers
from agents.beliefs.hoogenboom import Certain
from agents.policies.inference import holders
from agents.policies.pool import NO_POOL, Pool, deal_from
from arena.core.agent import Belief
from arena.core.errors import ArenaError
from arena.core.rules import View
from arena.games.infoset import InfoSet
from arena.games.kernel.jit import compiled, inlined, uncounted
from arena.games.kernel.layout import HANDS, ZERO, Int, Word, Words
from arena.games.kernel.pointers import WORDS, address_of, prototype
from arena.games.kernel.rng import next64
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.kernel.uniform_worlds import plan_uniform, sample_uniform, uniform_plan
from arena.games.kernel.weighted_worlds import (
    plan_weighted,
    sample_weighted,
    weighted_odds,
    weighted_plan,
)
from arena.games.observation import MAY, SIZES, UNSEEN, Observation, observe
from arena.games.world_sampler import sizes_of

_SEATS = 4
_S11 = np.uint64(11)
_UNIT = 2.0**-53

KNOWN, UNIFORM, MIXED, SAMPLED, POOLED = 0, 1, 2, 3, 4


class Worlds(NamedTuple):
    """The source of worlds for compiled code."""

    kind: int
    """One of the numbers above."""
    sampler: int
    """`SAMPLED`: the address of what deals them, as `call_sampler` takes it."""
    first: Words
    second: Words
    """The plan, and for `MIXED` that of the other guess."""
    odds: NDArray[np.float64]
    """The table of a weighted plan."""
    share: float
    """`MIXED`: how often the first plan is used."""
    pool: Pool
    """`POOLED`: the worlds."""


_NO_WORLDS = "no cards of the other players agree with what was played"
_NO_ODDS = np.zeros(1, dtype=np.float64)
_NO_PLAN = uniform_plan()


def known_worlds() -> Worlds:
    """For a player who sees all cards: the hands stay as they are."""
    return Worlds(KNOWN, 0, _NO_PLAN, _NO_PLAN, _NO_ODDS, 1.0, NO_POOL)


def observe_for(beliefs: Beliefs, game: KernelGame, view: View) -> Observation:
    """Read a view as far as beliefs need it."""
    return observe(game, view, with_ledger=isinstance(beliefs, Infers))


def worlds_for(observed: Observation, beliefs: Beliefs, rng: Words) -> Worlds:
    """Worlds as a seat believes in them, from what `observe_for` these beliefs has read.

    Random numbers are used only where worlds are inferred.
    """
    if isinstance(beliefs, Certain):
        plan = uniform_plan()
        if not _plan_certain(observed.known, plan):
            raise ArenaError(_NO_WORLDS)
        return Worlds(UNIFORM, 0, plan, plan, _NO_ODDS, 1.0, NO_POOL)
    if isinstance(beliefs, Infers):
        pool = beliefs.infer(observed, rng).pool
        return Worlds(POOLED, 0, _NO_PLAN, _NO_PLAN, _NO_ODDS, 1.0, pool)
    return plan_worlds(observed.game, observed.view, beliefs)


@compiled
def _plan_certain(known: Words, plan: Words) -> Word:
    """What `plan_worlds` does for those who believe what is certain; how many worlds there are."""
    sizes = known[SIZES:UNSEEN].astype(np.int64)
    return Word(plan_uniform(plan, known[UNSEEN], known[MAY:SIZES], sizes))


def plan_worlds(game: KernelGame, view: View, beliefs: Believer) -> Worlds:
    """Worlds for the seat of a view, in the coordinates of `game`."""
    known = InfoSet.of(view)
    sizes = sizes_of(known)
    plans = []
    for guess in beliefs.of(view, known):
        masks = game.masks([*guess.may, known.may_be_undealt, known.unseen])
        may, unseen = masks[:-1], masks[-1]
        if guess.weights is not None:
            plan, odds = weighted_plan(), weighted_odds()
            if plan_weighted(plan, odds, unseen, may, sizes, _weights(game, guess)):
                return sampled_worlds(sample_weighted, plan, odds)
        else:
            plan = uniform_plan()
            if plan_uniform(plan, unseen, may, sizes):
                plans.append((guess.share, plan))
    if not plans:
        raise ArenaError(_NO_WORLDS)
    (share, first), (_, second) = plans[0], plans[-1]
    kind = UNIFORM if len(plans) == 1 else MIXED
    return Worlds(kind, 0, first, second, _NO_ODDS, share, NO_POOL)


def _weights(game: KernelGame, guess: Guess) -> NDArray[np.float64]:
    """What a guess says of each seat; a stock after the seats may have any card."""
    assert guess.weights is not None
    weights = np.zeros((_SEATS, 64), dtype=np.float64)
    weights[len(guess.weights) :] = 1.0
    for seat, row in enumerate(guess.weights):
        for card, weight in row.items():
            weights[seat, game.bits[card]] = weight
    return weights


call_sampler = prototype(types.none, WORDS, types.Array(types.float64, 1, "C"), WORDS, WORDS)


def sampled_worlds(sampler: Any, plan: Words, odds: NDArray[np.float64] = _NO_ODDS) -> Worlds:
    """Worlds that a compiled function `sampler(plan, odds, rng, hands)` deals."""
    address = address_of(sampler, call_sampler)
    return Worlds(SAMPLED, address, plan, _NO_PLAN, odds, 1.0, NO_POOL)


@inlined
def uniform(rng: Words) -> float:
    """`Rng.random`: a number in [0, 1)."""
    return float(next64(rng) >> _S11) * _UNIT


@uncounted
def deal_world(worlds: Worlds, rng: Words, state: Words) -> Int:
    """Put a world into the hands of a state; the hand of the searching seat does not change.

    The number of the world in the pool; 0 if there is no pool.
    """
    hands = state[HANDS : HANDS + _SEATS]
    if worlds.kind == UNIFORM:
        sample_uniform(worlds.first, rng, hands)
    elif worlds.kind == SAMPLED:
        call_sampler(np.uint64(worlds.sampler), worlds.first, worlds.odds, rng, hands)
    elif worlds.kind == MIXED:
        if uniform(rng) < worlds.share:
            sample_uniform(worlds.first, rng, hands)
        else:
            sample_uniform(worlds.second, rng, hands)
    elif worlds.kind == POOLED:
        number = deal_from(worlds.pool, rng)
        deal_number(worlds.pool, number, state)
        return number
    return 0


@inlined
def deal_number(pool: Pool, number: Int, state: Words) -> None:
    """Put a world of a pool into the hands of a state."""
    for seat in range(_SEATS):
        hand = pool.hands[number, seat]
        if hand != ZERO:
            state[HANDS + np.uint64(seat)] = hand


@uncounted
def deal_hands(worlds: Worlds, rng: Words, state: Words, hands: NDArray[np.uint64]) -> None:
    """Deal a world for each row of `hands`, by way of a state."""
    for number in range(len(hands)):
        deal_world(worlds, rng, state)
        for seat in range(_SEATS):
            hands[number, seat] = state[HANDS + np.uint64(seat)]


# --- for people to read ------------------------------------------------------------------

_TO_COUNT = 4000
"""Worlds that are drawn to see who holds what, where that is not known otherwise."""


def belief_of(view: View, beliefs: Beliefs, rng: Words) -> Belief:
    """The chance of each seat to hold each hidden card, with the random numbers of a search."""
    game = kernel_game(view.rules, view.trump)
    observed = observe_for(beliefs, game, view)
    if isinstance(beliefs, Infers):
        inferred = beliefs.infer(observed, rng)
        return Belief(inferred.holders(game), beliefs.summary(view, inferred))
    root, worlds = observed.state, worlds_for(observed, beliefs, rng)
    hands = np.zeros((_TO_COUNT, _SEATS), np.uint64)
    deal_hands(worlds, rng, root, hands)
    hands[:, view.seat] = 0
    shares = np.full(_TO_COUNT, 1.0 / _TO_COUNT)
    return Belief(holders(game, hands, shares), (f"counted in {_TO_COUNT:,} worlds",))

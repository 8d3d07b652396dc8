"""Inference of the hidden cards from the plays: from a view to a pool of worlds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.policies.bid_evidence import factors_by_seat
from agents.policies.evidence import Evidence, Types, new_memory, weigh_world
from agents.policies.features import deck_of
from agents.policies.kinds import Policy, Style
from agents.policies.pool import Pool, enumerate_worlds, fill, spread_out
from arena.core.errors import ArenaError
from arena.games.kernel.layout import Words
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.uniform_worlds import plan_uniform, uniform_plan
from arena.games.observation import Observation
from arena.games.view_bytes import leader_of


@dataclass(frozen=True)
class Past:
    """What a seat has seen of a round, with the ledger, and the worlds that agree with it."""

    observed: Observation
    plan: Words
    worlds: int
    """How many worlds are possible."""
    unseen: np.uint64
    may: Words
    sizes: NDArray[np.int64]


def past_of(observed: Observation) -> Past:
    """What an observation says about the hidden cards."""
    (unseen, may, sizes), plan = observed.hidden(), uniform_plan()
    worlds = int(plan_uniform(plan, unseen, may, sizes))
    if not worlds:
        raise ArenaError("no cards of the other players agree with what was played")
    return Past(observed, plan, worlds, unseen, may, sizes)


_NO_FACTORS = np.empty((0, 0), np.float32)
_NO_DEALT = np.empty((0, 0, 0), np.float32)


def _evidence(past: Past, types: Types, trust: float, style: Style | None) -> Evidence:
    observed = past.observed
    game, ledger, declarer = observed.game, observed.ledger, observed.view.declarer
    assert ledger is not None  # the caller observes with a ledger
    dealt = _NO_DEALT
    if len(types.dealt) and declarer is not None:
        dealt = factors_by_seat(game, types.dealt, declarer, leader_of(observed.encoded))
    return Evidence(ledger, observed.plays, game.words, types, trust, dealt, style)


@lru_cache(maxsize=256)
def types_for(model: Policy, game: KernelGame, priors: tuple[tuple[float, ...], ...]) -> Types:
    """The types of a model with the chances that each has before anything is played.

    `priors` has a row for each side, with a share for each type.
    """
    shares = np.array(priors)
    chosen = np.flatnonzero(shares.any(axis=0))
    chances = np.ascontiguousarray(shares[:, chosen])  # as other compiled code has it
    rules = game.rules
    dealt = model.dealt_factors(game)
    return Types(
        deck_of(game),
        np.ascontiguousarray(model.factors(game)[chosen]),
        chances / chances.sum(axis=1, keepdims=True),
        np.array([rules.side_of(seat) for seat in range(4)], dtype=np.int64),
        chosen.astype(np.int64),
        _NO_FACTORS if dealt is None else dealt[chosen],
    )


@dataclass(frozen=True)
class Inference:
    """A pool of weighted worlds and its diagnostics."""

    pool: Pool
    sample_size: float
    """The effective one, of the worlds as they were drawn; 0 if none explains what was played."""
    posterior: NDArray[np.float64]
    """`[side, type]`: how likely a side is of a type."""
    exact: bool
    """Whether all worlds are in the pool."""
    resampled: bool = False
    """Whether few worlds stood for all, so that they were drawn again and moved on."""

    def weights(self) -> NDArray[np.float64]:
        """The chance of each world in the pool."""
        upto = self.pool.upto
        chances: NDArray[np.float64] = np.diff(upto, prepend=0.0) / upto[-1]
        return chances

    def holders(self, game: KernelGame) -> dict[int, tuple[float, ...]]:
        """For each unseen card, how likely each seat is to hold it."""
        return holders(game, self.pool.hands, self.weights())


def holders(
    game: KernelGame, hands: NDArray[np.uint64], weights: NDArray[np.float64]
) -> dict[int, tuple[float, ...]]:
    """For each card that is held in some world, how likely each seat is to hold it.

    Each world is a row of `hands`.
    """
    chances = {}
    for bit, card in game.cards.items():
        held = (hands >> np.uint64(bit)) & np.uint64(1) != 0
        if held.any():
            chances[card] = tuple((weights @ held).tolist())
    return dict(sorted(chances.items()))


_EXACT = 4
"""All worlds are taken if there are at most so many times as many as are asked for: late in a
round they have few different hands, and weighing these is what takes time."""
_GROWTH = 4
"""A pool grows to so many times the worlds that are asked for."""
_WORTH = 0.1
"""The effective sample size that it should have, as a share of them."""


def infer(
    past: Past,
    types: Types,
    worlds: int,
    rng: Words,
    trust: float = 1.0,
    style: Style | None = None,
) -> Inference:
    """Worlds weighted by the likelihood of the past: all if there are few, else a sample.

    The others play by the tables of `types`, or in a `style`.

    The sample begins with `worlds` and grows while its effective size is small; see `pool`.
    """
    exact = past.worlds if past.worlds <= _EXACT * worlds else 0
    pool = Pool.empty(exact or _GROWTH * worlds)
    if exact:
        enumerate_worlds(past.unseen, past.may, past.sizes, pool.hands)
    posterior = np.empty(types.priors.shape)
    evidence = _evidence(past, types, trust, style)
    memory = new_memory(types)
    wanted = _WORTH * worlds
    count, size = fill(
        pool, worlds, wanted, past.plan, exact, evidence, memory, posterior, rng
    )  # fmt: skip
    if exact or size == 0.0 or size >= wanted:
        return Inference(pool.first(count), size, posterior, exact > 0)
    spread_out(pool, count, worlds, past.may, evidence, memory, posterior, rng)
    return Inference(pool.first(worlds), size, posterior, False, resampled=True)


def reweigh(
    past: Past, first: Inference, before: Types, types: Types, worlds: int, style: Style
) -> Inference:
    """Some worlds of an inference, as likely as they are by another model of the others.

    All if there are no more than `worlds`, else some at equal distances by their weights under
    `before`; each weighs as much as the other model finds it likelier.
    """
    count = len(first.pool.upto)
    chosen, drawn = np.arange(count), np.ones(count, np.int64)
    ratio = count > worlds and first.pool.upto[-1] > 0.0
    if ratio:
        shares = (np.arange(worlds) + 0.5) / worlds * first.pool.upto[-1]
        chosen, drawn = np.unique(np.searchsorted(first.pool.upto, shares), return_counts=True)
    elif count > worlds:
        chosen, drawn = chosen[:worlds], drawn[:worlds]
    weights = drawn * _weights_of(past, types, style, first.pool.hands[chosen])
    if ratio:
        weights /= _weights_of(past, before, None, first.pool.hands[chosen])
    pool = Pool.empty(len(chosen))
    pool.hands[:], pool.upto[:] = first.pool.hands[chosen], np.cumsum(weights)
    size = float(weights.sum() ** 2 / (weights**2).sum()) if weights.any() else 0.0
    return Inference(
        pool.first(len(chosen)), size, np.ones((len(types.priors), 1)), first.exact and not ratio
    )


def _weights_of(
    past: Past, types: Types, style: Style | None, worlds: NDArray[np.uint64]
) -> NDArray[np.float64]:
    """The likelihood of the past in each world."""
    evidence, memory = _evidence(past, types, 1.0, style), new_memory(types)
    products, room = np.empty(types.priors.shape), np.empty(2 * len(types.factors))
    return np.array([weigh_world(hands, evidence, memory, products, room) for hands in worlds])


def true_world_nats(
    past: Past,
    types: Types,
    hands: Words,
    worlds: int,
    rng: Words,
    style: Style | None = None,
) -> float:
    """By how much the true hands are likelier than a world drawn uniformly: ln(weight / mean).

    The mean is over `worlds`, or over all if there are no more.
    """
    exact = past.worlds if past.worlds <= worlds else 0
    pool = Pool.empty(worlds)
    if exact:
        enumerate_worlds(past.unseen, past.may, past.sizes, pool.hands)
    evidence = _evidence(past, types, 1.0, style)
    memory = new_memory(types)
    posterior = np.empty(types.priors.shape)
    count, _ = fill(
        pool, worlds, 0.0, past.plan, exact, evidence, memory, posterior, rng
    )  # fmt: skip
    room = np.empty(2 * len(types.factors))
    weight = weigh_world(hands, evidence, memory, posterior, room)
    return float(np.log(weight / (pool.upto[count - 1] / count)))

"""Inference of the hidden cards from the plays: from a view to a pool of worlds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.policies.bid_evidence import factors_by_seat
from agents.policies.card_inputs import SEEN_WORDS, past_cards, witness
from agents.policies.evidence import Evidence, Ledger, Types, new_memory, recall, weigh_world
from agents.policies.features import deck_of
from agents.policies.kinds import Policy, Style
from agents.policies.pool import Pool, enumerate_worlds, fill, spread_out
from arena.core.errors import ArenaError
from arena.core.rules import View
from arena.games.infoset import InfoSet
from arena.games.kernel.layout import Words
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.uniform_worlds import plan_uniform, uniform_plan
from arena.games.world_sampler import holders_of


@dataclass(frozen=True)
class Past:
    """What was played so far, as one seat sees it, and what is certain of the hidden cards."""

    ledger: Ledger
    plays: int
    """Plays of others in the ledger."""
    plan: Words
    worlds: int
    """How many worlds are possible."""
    unseen: np.uint64
    may: Words
    sizes: NDArray[np.int64]
    declarer: int | None
    leader: int
    cards: Words
    """All cards that were played, in their order."""


def past_of(game: KernelGame, view: View, root: Words) -> Past:
    """What a view tells of the past; `root` is its state in the kernel."""
    known = InfoSet.of(view)
    _, sizes = holders_of(known)
    unseen, may = np.uint64(game.mask(known.unseen)), game.masks([*known.may, known.may_be_undealt])
    plan = uniform_plan()
    worlds = int(plan_uniform(plan, unseen, may, sizes))
    if not worlds:
        raise ArenaError("no cards of the other players agree with what was played")
    cards, leader = past_cards(game, view)
    ledger = Ledger.empty(len(cards))
    plays = int(recall(cards, np.uint64(leader), root, game.words, np.uint64(view.seat), ledger))
    return Past(ledger, plays, plan, worlds, unseen, may, sizes, view.declarer, leader, cards)


_NO_FACTORS = np.empty((0, 0), np.float32)
_NO_DEALT = np.empty((0, 0, 0), np.float32)
_NOTHING_SEEN = np.empty((0, SEEN_WORDS), np.uint64)


def _evidence(
    past: Past, game: KernelGame, types: Types, trust: float, style: Style | None
) -> Evidence:
    dealt = _NO_DEALT
    if len(types.dealt) and past.declarer is not None:
        dealt = factors_by_seat(game, types.dealt, past.declarer, past.leader)
    seen = past.ledger.voids if style is None else _seen_before(past, game)
    return Evidence(past.ledger, past.plays, game.words, types, trust, dealt, style, seen)


def _seen_before(past: Past, game: KernelGame) -> NDArray[np.uint64]:
    """The observations before each play of the ledger."""
    if not past.plays:
        return _NOTHING_SEEN
    seen = np.empty((len(past.cards) + 1, SEEN_WORDS), np.uint64)
    witness(past.cards, np.uint64(past.leader), past.ledger.states[0], game.words, seen)
    rows = np.isin(past.cards, past.ledger.cards[: past.plays])
    before: NDArray[np.uint64] = seen[:-1][rows]
    return before


@lru_cache(maxsize=256)
def types_for(model: Policy, game: KernelGame, priors: tuple[tuple[float, ...], ...]) -> Types:
    """The types of a model with the chances that each has before anything is played.

    `priors` has a row for each side, with a share for each type.
    """
    shares = np.array(priors)
    chosen = np.flatnonzero(shares.any(axis=0))
    chances = np.ascontiguousarray(shares[:, chosen])  # as compiled code has it elsewhere
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
    game: KernelGame,
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
    evidence = _evidence(past, game, types, trust, style)
    memory = new_memory(types)
    wanted = _WORTH * worlds
    count, size = fill(
        pool, worlds, wanted, past.plan, exact, evidence, memory, posterior, rng
    )  # fmt: skip
    if exact or size == 0.0 or size >= wanted:
        return Inference(pool.first(count), size, posterior, exact > 0)
    spread_out(pool, count, worlds, past.may, evidence, memory, posterior, rng)
    return Inference(pool.first(worlds), size, posterior, False, resampled=True)


def true_world_nats(
    past: Past,
    game: KernelGame,
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
    evidence = _evidence(past, game, types, 1.0, style)
    memory = new_memory(types)
    posterior = np.empty(types.priors.shape)
    count, _ = fill(
        pool, worlds, 0.0, past.plan, exact, evidence, memory, posterior, rng
    )  # fmt: skip
    room = np.empty(2 * len(types.factors))
    weight = weigh_world(hands, evidence, memory, posterior, room)
    return float(np.log(weight / (pool.upto[count - 1] / count)))

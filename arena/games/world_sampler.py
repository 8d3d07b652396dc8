"""Exact sampling of the other hands: worlds that agree with all that a seat knows.

    known = InfoSet.of(view)
    hands = WorldSampler(known).sample(rng)

Compiled searches use the kernel's `uniform_worlds` and `weighted_worlds` directly; this is
the same for Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.core.cards import SEATS, CardSet
from arena.core.errors import ArenaError
from arena.core.seeds import Rng
from arena.games.infoset import InfoSet
from arena.games.kernel.holders import MAX_HOLDERS, MAX_UNSEEN
from arena.games.kernel.layout import Words
from arena.games.kernel.rng import rng_array, take_back
from arena.games.kernel.uniform_worlds import plan_uniform, sample_many_uniform, uniform_plan
from arena.games.kernel.weighted_worlds import (
    Floats,
    plan_weighted,
    sample_many_weighted,
    weighted_odds,
    weighted_plan,
)


class WorldsError(ArenaError):
    """Facts or weights that no world agrees with."""


def holders_of(known: InfoSet) -> tuple[Words, np.ndarray[Any, np.dtype[np.int64]]]:
    """`may` and `sizes` as the compiled samplers want them: by seat, and after the seats the stock.

    The seat that thinks has size 0: it takes no part.
    """
    return np.array([*known.may, known.may_be_undealt], dtype=np.uint64), sizes_of(known)


def sizes_of(known: InfoSet) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The number of cards of each holder in `holders_of`."""
    sizes = [*known.sizes, known.undealt]
    sizes[known.seat] = 0
    return np.array(sizes, dtype=np.int64)


class WorldSampler:
    """Samples worlds that agree with what a seat knows: all hands, as masks by seat.

    Without weights all worlds are equally likely. With `weights[seat][card]`, not negative, a
    world is as likely as the product of the weights of its cards; the weights of the seat
    that thinks are not used, and undealt cards have weight 1.
    """

    def __init__(
        self, known: InfoSet, weights: Sequence[Sequence[float]] | Floats | None = None
    ) -> None:
        self.known = known
        may, sizes = holders_of(known)
        unseen = np.uint64(known.unseen)
        self._uniform = uniform_plan()
        self.worlds = int(plan_uniform(self._uniform, unseen, may, sizes))
        """How many worlds agree."""
        if not self.worlds:
            raise WorldsError(f"no world agrees with what {_seat(known.seat)} knows: {_why(known)}")
        self._weighted: tuple[Words, Floats] | None = None
        if weights is not None:
            table = _checked(known, weights)
            self._weighted = weighted_plan(), weighted_odds()
            if not plan_weighted(*self._weighted, unseen, may, sizes, table):
                raise WorldsError(
                    f"the weights exclude all {self.worlds} worlds that agree with what "
                    f"{_seat(known.seat)} knows"
                )

    def sample(self, rng: Rng) -> tuple[int, ...]:
        """One world."""
        return tuple(int(hand) for hand in self.sample_many(1, rng)[0])

    def sample_many(self, n: int, rng: Rng) -> Words:
        """`n` worlds, one a row; the same as `n` calls of `sample`."""
        if n < 0:
            raise WorldsError(f"{n} worlds cannot be drawn")
        players = len(self.known.sizes)
        worlds = np.zeros((n, players + 1), dtype=np.uint64)
        worlds[:, self.known.seat] = self.known.hand
        state = rng_array(rng)
        if self._weighted is None:
            sample_many_uniform(self._uniform, state, worlds)
        else:
            sample_many_weighted(*self._weighted, state, worlds)
        take_back(rng, state)
        return np.ascontiguousarray(worlds[:, :players])


def _checked(known: InfoSet, weights: Sequence[Sequence[float]] | Floats) -> Floats:
    players, bits = len(known.sizes), known.rules.deck.bit_length()
    given = np.asarray(weights, dtype=np.float64)
    if given.ndim != 2 or given.shape[0] != players or given.shape[1] < bits:
        raise WorldsError(f"weights have shape {given.shape}, expected ({players}, {bits})")
    if not np.all(np.isfinite(given)) or np.any(given < 0):
        raise WorldsError("weights must be finite and not negative")
    return np.vstack([given, np.ones(given.shape[1])])


def _seat(seat: int) -> str:
    return f"seat {SEATS[seat]}"


def _why(known: InfoSet) -> str:
    """Describes the contradiction between facts, for an error message."""
    others = [seat for seat in range(len(known.sizes)) if seat != known.seat]
    holders = [seat for seat in others if known.sizes[seat]]
    cards = sum(known.sizes[seat] for seat in others) + known.undealt
    unseen = known.unseen.bit_count()
    if len(holders) + bool(known.undealt) > MAX_HOLDERS:
        return f"more than {MAX_HOLDERS} hold unseen cards"
    if unseen > MAX_UNSEEN:
        return f"{unseen} cards are unseen, at most {MAX_UNSEEN} are supported"
    if cards != unseen:
        return f"the others hold {cards} cards, but {unseen} are unseen"
    anyones = 0
    for seat in holders:
        anyones |= known.may[seat]
    if not known.undealt and known.unseen & ~anyones:
        return f"no seat can hold {CardSet(known.unseen & ~anyones)}"
    for seat in holders:
        if known.may[seat].bit_count() < known.sizes[seat]:
            return (
                f"{_seat(seat)} holds {known.sizes[seat]} cards, but only "
                f"{known.may[seat].bit_count()} can be theirs: {CardSet(known.may[seat])}"
            )
    return "together the others hold more cards than can be theirs"

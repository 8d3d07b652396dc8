"""Evidence of bids about the dealt hands.

Who named trump, or left it to another, did so with a hand in view. Given the trump, who declared
and who leads, the log-linear tables here say how likely a hand is: an entry for each of its cards
by its kind, and one for how many trumps it has. Hands are looked at by where their players sit
from the declarer, and everything depends on where the leader sits from there, which tells
how many had passed before, or that there was a push.

There is a table for each type and mode, as policies have them; `redeals` fits them.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agents.policies.features import deck_of, kinds_of
from arena.core.rules import Rules
from arena.core.seeds import Rng
from arena.games.kernel.bits import ctz, popcount
from arena.games.kernel.jit import inlined
from arena.games.kernel.layout import ONE, ZERO, Int, Word
from arena.games.kernel.spec import KernelGame

_SEATS = 4
_BITS = 64
COUNTS = 16
"""More than the trumps of any hand and one."""

DealtFactors = NDArray[np.float32]
"""`[type, seat, bit]`, and after the bits, by number of trumps."""


@lru_cache(maxsize=64)
def has_bids(rules: Rules) -> bool:
    """Whether these rules have bids, so that the declarer is evidence."""
    return bool(rules.start(rules.random_deal(Rng(0), 0)).phase == "bid")


def dealt_size(game: KernelGame) -> int:
    """How many entries the tables of a game have."""
    return _SEATS * _SEATS * part_size(game)


def part_size(game: KernelGame) -> int:
    """How many entries there are for one seat: kinds of cards, then numbers of trumps."""
    return int(kinds_of(deck_of(game)).max()) + 1 + COUNTS


def starts_of(game: KernelGame, declarer: int, leader: int) -> NDArray[np.int64]:
    """Where the part of each seat begins."""
    rules = game.rules
    turns = {rules.seat_after(declarer, turn): turn for turn in range(_SEATS)}
    seats = [turns[leader] * _SEATS + turns[seat] for seat in range(_SEATS)]
    return np.array(seats, dtype=np.int64) * part_size(game)


def factors_by_seat(
    game: KernelGame, factors: NDArray[np.float32], declarer: int, leader: int
) -> DealtFactors:
    """The tables (a row for each type) in the form that worlds are weighed by."""
    kinds = kinds_of(deck_of(game))
    places = np.concatenate([kinds, kinds.max() + 1 + np.arange(COUNTS)])
    starts = starts_of(game, declarer, leader)
    return np.ascontiguousarray(factors[:, starts[:, None] + places[None, :]])


@inlined
def chance_of_deal(factors: DealtFactors, kind: Int, seat: Int, dealt: Word, trumps: Word) -> float:
    """How likely bids make the cards that a seat was dealt, for a type."""
    product = np.float64(factors[kind, seat, np.int64(_BITS) + np.int64(popcount(dealt & trumps))])
    while dealt != ZERO:
        card = dealt & (~dealt + ONE)
        dealt ^= card
        product *= np.float64(factors[kind, seat, np.int64(ctz(card))])
    return product

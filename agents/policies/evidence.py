"""The plays of the others, and their likelihood given a world.

A ledger has every play of the others with what all could see before it; `weigh` goes
through it for a world, by the types that the sides may be of (the formula is in `pool`). Where
players bid, hands are also as likely as the bids make them (`dealt`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.policies.bid_evidence import DealtFactors, chance_of_deal
from agents.policies.features import Deck
from agents.policies.kinds import Style, chance_in
from agents.policies.tables import chances_by_type
from arena.games.kernel.jit import inlined, uncounted
from arena.games.kernel.layout import HANDS, ONE, TRUMPS, ZERO, Int, Word, Words
from arena.games.kernel.rng import mix
from arena.games.kernel.step import legal
from arena.games.observation import Ledger

_SEATS = 4
NO_HAND = np.uint64(0xFFFFFFFFFFFFFFFF)
_REMEMBERED = 1024
"""Number of hands with cached chances, for each seat: late in a round few are possible."""


class Types(NamedTuple):
    """The types of play that the others may have."""

    deck: Deck
    factors: NDArray[np.float32]
    """A row of tables for each type."""
    priors: NDArray[np.float64]
    """How likely each type is before anything was played: a row for each side."""
    sides: NDArray[np.int64]
    """The side of each seat."""
    numbers: NDArray[np.int64]
    """The numbers of the types in their model."""
    dealt: NDArray[np.float32]
    """Evidence of bids, a row for each type; no rows if there is none."""


class Evidence(NamedTuple):
    """The evidence that worlds are weighted by."""

    ledger: Ledger
    plays: int
    """How many plays of others there are in the ledger."""
    game: Words
    types: Types
    trust: float
    """The power to which weights are raised."""
    dealt: DealtFactors
    """Evidence of bids about the hand of each seat; no rows if there is none."""
    style: Style | None
    """How the others play; None if by tables."""


class Memory(NamedTuple):
    """Chances of hands that were met before, at one place of a table for each seat and hand."""

    hands: NDArray[np.uint64]
    chances: NDArray[np.float64]
    """`[seat, place, type]`."""


def new_memory(types: Types) -> Memory:
    """Nothing is remembered yet."""
    return Memory(
        np.full((_SEATS, _REMEMBERED), NO_HAND),
        np.zeros((_SEATS, _REMEMBERED, len(types.factors))),
    )


@inlined
def _played(ledger: Ledger, seat: Int, plays: Int) -> Word:
    """All that a seat has played."""
    cards = ZERO
    for i in range(plays):
        if ledger.seats[i] == seat:
            cards |= ledger.cards[i]
    return cards


# Tuples of arrays are dear to hand on, so what is called for each world is inlined.
@inlined
def _chances_of(
    seat: Int, hand: Word, evidence: Evidence, room: NDArray[np.float64], found: NDArray[np.float64]
) -> None:
    """The likelihood of a seat's plays for each type, given the hand that it has left."""
    ledger, game, types = evidence.ledger, evidence.game, evidence.types
    count = len(found)
    found[:] = 1.0
    if len(evidence.dealt) > 0:
        dealt = hand | _played(ledger, seat, evidence.plays)
        for t in range(count):
            found[t] = chance_of_deal(evidence.dealt, t, seat, dealt, game[TRUMPS])
    for i in range(evidence.plays):
        if ledger.seats[i] != seat:
            continue
        state, card = ledger.states[i], ledger.cards[i]
        state[HANDS + np.uint64(seat)] = hand | ledger.later[i]
        allowed = legal(state, game)
        if allowed & card == ZERO:
            found[:] = 0.0
            break
        if allowed & (allowed - ONE) == ZERO:
            continue
        in_style = chance_in(
            evidence.style, state, game, ledger.seen[i], ledger.voids[i], allowed, card
        )
        if in_style >= 0.0:
            found[0] *= in_style
            continue
        chances_by_type(
            state, game, ledger.voids[i], types.deck, types.factors, allowed, card, room
        )
        for t in range(count):
            found[t] *= room[t]


@inlined
def weigh(
    hands: Words,
    evidence: Evidence,
    memory: Memory,
    products: NDArray[np.float64],
    room: NDArray[np.float64],
) -> float:
    """The likelihood of the others' past plays, given the hands that are left.

    `products[side, type]` is what it would be for a side of a type, prior included; `room` has
    two places for each type.
    """
    types = evidence.types
    for side in range(len(products)):
        for t in range(len(types.factors)):
            products[side, t] = types.priors[side, t]
    last = np.uint64(_REMEMBERED - 1)
    for seat in range(_SEATS):
        hand = hands[seat]
        if hand == ZERO or (evidence.plays == 0 and len(evidence.dealt) == 0):
            continue  # nothing to explain, or the one who thinks
        place = np.int64(mix(hand) & last)
        if memory.hands[seat, place] != hand:
            _chances_of(seat, hand, evidence, room, memory.chances[seat, place])
            memory.hands[seat, place] = hand
        side = types.sides[seat]
        for t in range(len(types.factors)):
            products[side, t] *= memory.chances[seat, place, t]
    weight = 1.0
    for side in range(len(products)):
        total = 0.0
        for t in range(len(types.factors)):
            total += products[side, t]
        weight *= total
    return weight if evidence.trust == 1.0 else weight**evidence.trust


@uncounted
def weigh_world(
    hands: Words,
    evidence: Evidence,
    memory: Memory,
    products: NDArray[np.float64],
    room: NDArray[np.float64],
) -> float:
    """`weigh`, to be called from Python and where it is not called for every world."""
    return weigh(hands, evidence, memory, products, room)

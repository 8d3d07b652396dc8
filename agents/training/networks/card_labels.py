"""Labels for networks that value cards: the margin that playouts give each legal card.

A network plays rounds (`card_rounds`). At some of its decisions each legal card is played out, and
the margin of the seat's side is the label of the card. There are two ways:

* in the true deal, all seats going on by the network: one playout, of how the network plays
  itself; that all cards of a decision share the deal makes up for some of the noise;
* in worlds that the plays so far make likely (`agents.policies.pool`), all seats going on by the
  bundled tables, the same worlds for all cards. The mean of some worlds says far more, and takes
  hardly longer, since tables are that much faster. Networks begin this way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.policies.bid_evidence import DealtFactors
from agents.policies.card_inputs import input_count, look_at, output_count, output_of
from agents.policies.card_values import Valuer
from agents.policies.evidence import NO_HAND, Evidence, Memory, Types, new_memory
from agents.policies.inference import types_for
from agents.policies.model import policies_for
from agents.policies.pool import Pool, fill
from agents.search.leaves import values_of
from agents.training.networks.card_rounds import (
    LEAVES,
    SEATS,
    DealBatch,
    DecisionBatch,
    RoundWorkspace,
    TablePlayers,
    allowed,
    by_tables,
    collect_decisions,
    go_on,
    new_workspace,
    play_out,
    random,
)
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import compiled, inlined, uncounted
from arena.games.kernel.layout import (
    BEST,
    HANDS,
    HOLDER,
    LED,
    LEFT,
    ONE,
    OPENED,
    PLAYED,
    STATE_WORDS,
    TABLE,
    TAKEN,
    TRICKS,
    TURN,
    ZERO,
    Int,
    Word,
    Words,
)
from arena.games.kernel.rng import next64
from arena.games.kernel.spec import KernelGame
from arena.games.kernel.step import copy_state, play, side_of
from arena.games.kernel.uniform_worlds import plan_uniform, uniform_plan
from arena.games.observation import SEEN_WORDS, Ledger, enter_play, watch


class Labels(NamedTuple):
    """Decisions, one row each."""

    inputs: NDArray[np.uint8]
    """The inputs by `card_inputs`, eight to a byte, the first in the lowest bit."""
    values: NDArray[np.float32]
    """The margin in points by output; NaN where the card was not legal."""

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def join(cls, parts: list[Labels]) -> Labels:
        """Labels one after the other."""
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))


class LikelyWorlds(NamedTuple):
    """For compiled code that draws likely worlds: policies by type, and scratch buffers."""

    types: Types
    worlds: int
    """In how many each card is played out."""
    pool: Pool
    ledger: Ledger
    memory: Memory
    plan: Words
    may: Words
    sizes: NDArray[np.int64]
    posterior: NDArray[np.float64]
    dealt: DealtFactors
    """Empty: bids are not taken as evidence here."""
    sums: NDArray[np.float64]


def likely_worlds(game: KernelGame, worlds: int) -> LikelyWorlds:
    """A number of worlds, drawn from a pool of twice as many."""
    model = policies_for(game.rules, None)
    first = tuple(float(number == 0) for number in range(len(model.types)))
    types = types_for(model, game, (first,) * len(game.rules.sides))
    cards = SEATS * game.rules.hand_size
    return LikelyWorlds(
        types,
        worlds,
        Pool.empty(max(1, 2 * worlds)),
        Ledger.empty(cards),
        new_memory(types),
        uniform_plan(),
        np.zeros(SEATS + 1, np.uint64),
        np.zeros(SEATS + 1, np.int64),
        np.zeros(types.priors.shape),
        np.empty((0, 0, 0), np.float32),
        np.zeros(64),
    )


def label(
    deals: DealBatch,
    valuer: Valuer,
    tables: TablePlayers,
    worlds: int,
    share_of_tables: float,
    explore: float,
    share: float,
) -> Labels:
    """Play rounds and label a `share` of the network's decisions, in `worlds` or the true deal (0).

    A share `share_of_tables` of the deals have seats that play by the tables; if it is 1, all seats
    do, and their decisions are labelled. With chance `explore`, a seat plays a random legal card.
    """
    game = deals.game
    cards = SEATS * game.rules.hand_size
    most = len(deals.states) * cards
    found = DecisionBatch(
        np.empty((most, STATE_WORDS), np.uint64),
        np.empty((most, SEEN_WORDS), np.uint64),
        np.empty((most, SEATS), np.uint64),
        np.empty((most, cards), np.uint64),
        np.empty(most, np.uint64),
        np.empty(most, np.uint64),
        np.empty(most, np.uint64),
    )
    words = game.words
    count = collect_decisions(
        deals.states, deals.seeds, words, valuer, tables, share_of_tables, explore, share, found
    )
    found = DecisionBatch(*(column[:count] for column in found))
    inputs = np.zeros((count, -(-input_count(game) // 8)), np.uint8)
    values = np.full((count, output_count(game)), np.nan, np.float32)
    if worlds:
        _label_in_worlds(
            found, words, valuer, tables, likely_worlds(game, worlds), inputs, values
        )  # fmt: skip
    else:
        _label_in_deal(found, words, valuer, tables, inputs, values)
    return Labels(inputs, values)


# --- labels ------------------------------------------------------------------------------


@inlined
def _enter_inputs(
    state: Words, game: Words, seen: Words, valuer: Valuer, inputs: NDArray[np.uint8]
) -> Word:
    """Enter the inputs of a decision; where the cards of each suit begin."""
    active, places = look_at(state, game, seen, valuer.scheme, valuer.inputs)
    for i in range(active):
        inputs[valuer.inputs[i] >> 3] |= np.uint8(1 << (valuer.inputs[i] & 7))
    return Word(places)


@inlined
def _set_up(found: DecisionBatch, number: Int, space: RoundWorkspace) -> None:
    """Go back to a decision."""
    copy_state(found.states[number], space.state)
    for i in range(SEEN_WORDS):
        space.seen[i] = found.seen[number, i]
    for i in range(SEATS):
        space.voids[i] = found.voids[number, i]


@compiled
def _label_in_deal(
    found: DecisionBatch,
    game: Words,
    valuer: Valuer,
    tables: TablePlayers,
    inputs: NDArray[np.uint8],
    values: NDArray[np.float32],
) -> None:
    """Label each card by a playout of the network in the true deal."""
    space = new_workspace()
    for number in range(len(found.states)):
        state = found.states[number]
        places = _enter_inputs(state, game, found.seen[number], valuer, inputs[number])
        side = np.int64(side_of(game, state[TURN]))
        cards = allowed(state, game)
        space.rng[0] = found.seeds[number]
        while cards != ZERO:
            card = cards & (~cards + ONE)
            cards ^= card
            _set_up(found, number, space)
            go_on(space.state, game, space, card)
            play_out(game, valuer, tables, found.table_seats[number], space)
            values[number, output_of(places, card)] = np.float32(space.values[side])


@compiled
def _label_in_worlds(
    found: DecisionBatch,
    game: Words,
    valuer: Valuer,
    tables: TablePlayers,
    likely: LikelyWorlds,
    inputs: NDArray[np.uint8],
    values: NDArray[np.float32],
) -> None:
    """Label each card by the mean of playouts of the tables in likely worlds."""
    space = new_workspace()
    pool, ledger, may, sizes = likely.pool, likely.ledger, likely.may, likely.sizes
    for number in range(len(found.states)):
        state, seen = found.states[number], found.seen[number]
        turn, unseen = state[TURN], ZERO
        played: Int = 0
        for i in range(SEATS):
            seat = np.uint64(i)
            hand = state[HANDS + seat] if seat != turn else ZERO
            unseen |= hand
            may[i], sizes[i] = seen[i], np.int64(popcount(hand))
            played += np.int64(popcount(state[PLAYED + seat]))
        may[turn] = ZERO
        past = found.past[number, :played]
        plays = _fill_ledger(past, found.leaders[number], state, game, space, ledger)
        plan_uniform(likely.plan, unseen, may, sizes)
        likely.memory.hands[:] = NO_HAND
        evidence = Evidence(ledger, plays, game, likely.types, 1.0, likely.dealt, None)
        space.rng[0] = found.seeds[number]
        count, _ = fill(
            pool, len(pool.upto), 0.0, likely.plan, 0, evidence, likely.memory,
            likely.posterior, space.rng,
        )  # fmt: skip
        places = _enter_inputs(state, game, seen, valuer, inputs[number])
        _play_in_worlds(
            state, found.voids[number], game, tables, pool.hands, pool.upto[:count],
            likely.worlds, places, likely.sums, space,
        )  # fmt: skip
        cards = allowed(state, game)
        while cards != ZERO:
            output = output_of(places, cards & (~cards + ONE))
            cards &= cards - ONE
            values[number, output] = np.float32(likely.sums[output] / np.float64(likely.worlds))


@uncounted
def _fill_ledger(
    cards: Words, leader: Word, now: Words, game: Words, space: RoundWorkspace, ledger: Ledger
) -> Int:
    """Play the first `cards` of a round again, up to `now`; how many plays of others there are."""
    state, voids = space.state, space.voids
    copy_state(now, state)
    for i in range(SEATS):
        seat = np.uint64(i)
        state[HANDS + seat] = state[TAKEN + seat] = state[PLAYED + seat] = voids[i] = ZERO
    state[TABLE] = state[LED] = state[BEST] = state[HOLDER] = state[OPENED] = ZERO
    state[TURN], state[LEFT] = leader, game[TRICKS]
    plays = 0
    for card in cards:
        if state[TURN] != now[TURN]:
            enter_play(ledger, plays, state, voids, None, card)
            plays += 1
        watch(state, voids, card)
        state[HANDS + state[TURN]] = card
        play(state, game, card)
    return plays


@uncounted
def _play_in_worlds(
    first: Words,
    voids: Words,
    game: Words,
    tables: TablePlayers,
    hands: NDArray[np.uint64],
    upto: NDArray[np.float64],
    worlds: Int,
    places: Word,
    sums: NDArray[np.float64],
    space: RoundWorkspace,
) -> None:
    """Add up playouts of each card in worlds at equal distances in a pool, with common seeds."""
    state, rng = space.state, space.rng
    turn, cards = first[TURN], allowed(first, game)
    side = np.int64(side_of(game, turn))
    sums[:] = 0.0
    step = upto[len(upto) - 1] / np.float64(worlds)
    goal, world = step * random(rng), 0
    for _ in range(worlds):
        while world < len(upto) - 1 and upto[world] <= goal:
            world += 1
        goal += step
        luck = next64(rng)
        left = cards
        while left != ZERO:
            tried = left & (~left + ONE)
            left ^= tried
            card = tried
            copy_state(first, state)
            for i in range(SEATS):
                if np.uint64(i) != turn:
                    state[HANDS + np.uint64(i)] = hands[world, i]
                space.voids[i] = voids[i]
            rng[0] = luck
            while True:
                watch(state, space.voids, card)
                play(state, game, card)
                if state[LEFT] == ZERO:
                    break
                card = allowed(state, game)
                if card & (card - ONE) != ZERO:
                    card = by_tables(state, game, tables, card, space)
            values_of(state, game, LEAVES, space.scores, space.values)
            sums[output_of(places, tried)] += space.values[side]
        rng[0] = luck

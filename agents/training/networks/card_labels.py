"""What every card would have come to: labels for networks that value cards.

Rounds are played by a network (`card_rounds`). At some of its decisions each legal card
is played out, and what the side of the seat wins by is the label of the card. There are two ways:

* in the same true deal, everybody going on by the network: one playout, which says little, but
  of how the network plays itself; that it is the same deal for all cards of a decision helps;
* in some worlds that what was played makes likely (`agents.policies.pool`), everybody going on by
  the tables that come with the game, the same worlds for all cards: their mean says far more, and
  takes hardly longer, as tables are that much faster. It is how a network begins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.policies.card_inputs import SEEN_WORDS, input_count, look_at, output_count, output_of
from agents.policies.card_values import Valuer
from agents.policies.dealt import DealtFactors
from agents.policies.evidence import NO_HAND, Evidence, Ledger, Memory, Types, new_memory, recall
from agents.policies.features import watch
from agents.policies.inference import types_for
from agents.policies.model import policies_for
from agents.policies.pool import Pool, fill
from agents.search.leaves import values_of
from agents.training.networks.card_rounds import (
    LEAVES,
    SEATS,
    Company,
    Deals,
    Decisions,
    Room,
    allowed,
    by_tables,
    go_on,
    new_room,
    play_out,
    play_rounds,
    random,
)
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import compiled, inlined, uncounted
from arena.games.kernel.layout import (
    HANDS,
    LEFT,
    ONE,
    PLAYED,
    STATE_WORDS,
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


class Labels(NamedTuple):
    """Decisions, one row each."""

    inputs: NDArray[np.uint8]
    """What `card_inputs` shows, eight inputs to a byte, the first in the lowest bit."""
    values: NDArray[np.float32]
    """What each card came to in points, by output; NaN if it was not legal."""

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def join(cls, parts: list[Labels]) -> Labels:
        """Labels one after the other."""
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True)))


class Guesses(NamedTuple):
    """Worlds that the past makes likely, for compiled code; all but the types is room."""

    types: Types
    worlds: int
    """In how many each card is played out; 0: in the true deal."""
    pool: Pool
    ledger: Ledger
    memory: Memory
    plan: Words
    may: Words
    sizes: NDArray[np.int64]
    posterior: NDArray[np.float64]
    dealt: DealtFactors
    """Of bids nothing is learnt here."""
    sums: NDArray[np.float64]


def guesses_for(game: KernelGame, worlds: int) -> Guesses:
    """Of so many worlds, drawn from a pool of twice as many."""
    model = policies_for(game.rules, None)
    first = tuple(float(number == 0) for number in range(len(model.types)))
    types = types_for(model, game, (first,) * len(game.rules.sides))
    cards = SEATS * game.rules.hand_size
    return Guesses(
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
    deals: Deals,
    valuer: Valuer,
    company: Company,
    worlds: int,
    strangers: float,
    explore: float,
    share: float,
) -> Labels:
    """Play rounds and label a `share` of their decisions: in some `worlds`, or in the true deal.

    A share of `strangers` are those who sit with others; 1 is everybody, and then all decisions
    are labelled all the same. The network plays any legal card a share `explore` of the time.
    """
    game = deals.game
    cards = SEATS * game.rules.hand_size
    most = len(deals.states) * cards
    found = Decisions(
        np.empty((most, STATE_WORDS), np.uint64),
        np.empty((most, SEEN_WORDS), np.uint64),
        np.empty((most, SEATS), np.uint64),
        np.empty((most, cards), np.uint64),
        np.empty(most, np.uint64),
        np.empty(most, np.uint64),
        np.empty(most, np.uint64),
    )
    words = game.words
    count = play_rounds(
        deals.states, deals.seeds, words, valuer, company, strangers, explore, share, found
    )
    found = Decisions(*(column[:count] for column in found))
    inputs = np.zeros((count, -(-input_count(game) // 8)), np.uint8)
    values = np.full((count, output_count(game)), np.nan, np.float32)
    if worlds:
        _label_in_worlds(
            found, words, valuer, company, guesses_for(game, worlds), inputs, values
        )  # fmt: skip
    else:
        _label_in_deal(found, words, valuer, company, inputs, values)
    return Labels(inputs, values)


# --- labels ------------------------------------------------------------------------------


@inlined
def _enter_inputs(
    state: Words, game: Words, seen: Words, valuer: Valuer, inputs: NDArray[np.uint8]
) -> Word:
    """Enter the inputs of a decision; where the cards of each lane begin."""
    active, places = look_at(state, game, seen, valuer.scheme, valuer.inputs)
    for i in range(active):
        inputs[valuer.inputs[i] >> 3] |= np.uint8(1 << (valuer.inputs[i] & 7))
    return Word(places)


@inlined
def _set_up(found: Decisions, number: Int, room: Room) -> None:
    """Go back to a decision."""
    copy_state(found.states[number], room.state)
    for i in range(SEEN_WORDS):
        room.seen[i] = found.seen[number, i]
    for i in range(SEATS):
        room.voids[i] = found.voids[number, i]


@compiled
def _label_in_deal(
    found: Decisions,
    game: Words,
    valuer: Valuer,
    company: Company,
    inputs: NDArray[np.uint8],
    values: NDArray[np.float32],
) -> None:
    """What each card comes to in the true deal, if the network goes on."""
    room = new_room()
    for number in range(len(found.states)):
        state = found.states[number]
        places = _enter_inputs(state, game, found.seen[number], valuer, inputs[number])
        side = np.int64(side_of(game, state[TURN]))
        cards = allowed(state, game)
        room.rng[0] = found.seeds[number]
        while cards != ZERO:
            card = cards & (~cards + ONE)
            cards ^= card
            _set_up(found, number, room)
            go_on(room.state, game, room, card)
            play_out(game, valuer, company, found.others[number], room)
            values[number, output_of(places, card)] = np.float32(room.values[side])


@compiled
def _label_in_worlds(
    found: Decisions,
    game: Words,
    valuer: Valuer,
    company: Company,
    guesses: Guesses,
    inputs: NDArray[np.uint8],
    values: NDArray[np.float32],
) -> None:
    """What each card comes to on average in worlds that are likely, if the tables go on."""
    room = new_room()
    pool, ledger, may, sizes = guesses.pool, guesses.ledger, guesses.may, guesses.sizes
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
        plays = recall(past, found.leaders[number], state, game, turn, ledger)
        plan_uniform(guesses.plan, unseen, may, sizes)
        guesses.memory.hands[:] = NO_HAND
        evidence = Evidence(
            ledger, plays, game, guesses.types, 1.0, guesses.dealt, None, ledger.voids
        )
        room.rng[0] = found.seeds[number]
        count, _ = fill(
            pool, len(pool.upto), 0.0, guesses.plan, 0, evidence, guesses.memory,
            guesses.posterior, room.rng,
        )  # fmt: skip
        places = _enter_inputs(state, game, seen, valuer, inputs[number])
        _play_in_worlds(
            state, found.voids[number], game, company, pool.hands, pool.upto[:count],
            guesses.worlds, places, guesses.sums, room,
        )  # fmt: skip
        cards = allowed(state, game)
        while cards != ZERO:
            output = output_of(places, cards & (~cards + ONE))
            cards &= cards - ONE
            values[number, output] = np.float32(guesses.sums[output] / np.float64(guesses.worlds))


@uncounted
def _play_in_worlds(
    first: Words,
    voids: Words,
    game: Words,
    company: Company,
    hands: NDArray[np.uint64],
    upto: NDArray[np.float64],
    worlds: Int,
    places: Word,
    sums: NDArray[np.float64],
    room: Room,
) -> None:
    """Play each card out in worlds at equal distances in a pool, with the same luck; add up."""
    state, rng = room.state, room.rng
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
                room.voids[i] = voids[i]
            rng[0] = luck
            while True:
                watch(state, room.voids, card)
                play(state, game, card)
                if state[LEFT] == ZERO:
                    break
                card = allowed(state, game)
                if card & (card - ONE) != ZERO:
                    card = by_tables(state, game, company, card, room)
            values_of(state, game, LEAVES, room.scores, room.values)
            sums[output_of(places, tried)] += room.values[side]
        rng[0] = luck

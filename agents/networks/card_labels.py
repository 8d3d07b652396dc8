"""What every card would have come to: labels for networks that value cards.

Rounds are played by a network from every seat's own view. At some of its decisions each legal card
is played out, and what the side of the seat wins by is the label of the card. There are two ways:

* in the same true deal, everybody going on by the network: one playout, which says little, but
  of how the network plays itself; that it is the same deal for all cards of a decision helps;
* in some worlds that what was played makes likely (`agents.policies.pool`), everybody going on by
  the tables that come with the game, the same worlds for all cards: their mean says far more, and
  takes hardly longer, as tables are that much faster. It is how a network begins.

Some seats are *strangers*: they play as the tables do, drawn from chances made sharper. Without
any, a network would learn to play with and against itself alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.bidding.usual import usual_bid
from agents.passing import pass_card
from agents.policies.card_inputs import (
    SEEN_WORDS,
    input_count,
    look_at,
    new_seen,
    notice,
    output_count,
    output_of,
)
from agents.policies.card_values import Valuer, best_by
from agents.policies.dealt import DealtFactors
from agents.policies.evidence import NO_HAND, Evidence, Ledger, Memory, Types, new_memory, recall
from agents.policies.features import Deck, deck_of, watch
from agents.policies.inference import types_for
from agents.policies.kinds import BY_TABLES, Style
from agents.policies.model import policies_for
from agents.policies.pool import Pool, fill
from agents.policies.tables import Factors, draw
from agents.search.codes import DIFFERENCE, RANDOM, SHOOT
from agents.search.leaves import Leaves, values_of
from arena.games.kernel.bits import popcount
from arena.games.kernel.jit import compiled, inlined, uncounted
from arena.games.kernel.layout import HANDS, LEFT, ONE, STATE_WORDS, TURN, ZERO, Int, Word, Words
from arena.games.kernel.rng import next64
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.kernel.step import copy_state, legal, play, side_of
from arena.games.kernel.tricks import pick
from arena.games.kernel.uniform_worlds import plan_uniform, uniform_plan
from arena.registry import BIDDERS
from arena.rules import Rules
from arena.seeds import rng_for

__all__ = ["EVERYBODY", "Company", "Labels", "company_for", "deals_for", "label", "play_against"]

EVERYBODY = 15
"""All seats, a bit each."""
_SEATS = 4
_S11, _S32 = np.uint64(11), np.uint64(32)
_UNIT = 2.0**-53
_LEAVES = Leaves(1, RANDOM, DIFFERENCE, SHOOT, 0, 0.0)


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


class Company(NamedTuple):
    """How strangers play, for compiled code."""

    deck: Deck
    factors: Factors


def company_for(game: KernelGame, sharpness: float) -> Company:
    """Players by the tables that come with a game."""
    return Company(deck_of(game), policies_for(game.rules, None).factors(game, sharpness))


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
    style: Style
    seen: NDArray[np.uint64]
    past: Words
    """The cards that were played."""
    sums: NDArray[np.float64]


def guesses_for(game: KernelGame, worlds: int) -> Guesses:
    """Of so many worlds, drawn from a pool of twice as many."""
    model = policies_for(game.rules, None)
    first = tuple(float(number == 0) for number in range(len(model.types)))
    types = types_for(model, game, first)
    cards = _SEATS * game.rules.hand_size
    return Guesses(
        types,
        worlds,
        Pool.empty(max(1, 2 * worlds)),
        Ledger.empty(cards),
        new_memory(types),
        uniform_plan(),
        np.zeros(_SEATS + 1, np.uint64),
        np.zeros(_SEATS + 1, np.int64),
        np.zeros(types.priors.shape),
        np.empty((0, 0, 0), np.float32),
        BY_TABLES,
        np.empty((0, SEEN_WORDS), np.uint64),
        np.zeros(cards, np.uint64),
        np.zeros(64),
    )


class Deals(NamedTuple):
    """Rounds at their first card, those with the same trump."""

    game: KernelGame
    states: Words
    """A row for each."""
    seeds: Words


def deals_for(rules: Rules, seed: int, numbers: range, bidder: str = "") -> list[Deals]:
    """Random deals, bid and passed as is usual; one depends on the seed and its number alone."""
    bid = BIDDERS.get(bidder)().bid if bidder else usual_bid
    found: dict[int | None, tuple[list[Words], list[int]]] = {}
    for number in numbers:
        state = rules.start(rules.random_deal(rng_for(seed, "deal", number), number))
        rng = rng_for(seed, "before", number)
        while state.phase in ("bid", "pass"):
            assert state.turn is not None  # it is somebody's
            view = rules.view(state, state.turn)
            rules.apply(state, bid(view, rng) if state.phase == "bid" else pass_card(view, rng))
        assert state.turn is not None  # somebody leads
        states, seeds = found.setdefault(state.trump, ([], []))
        states.append(kernel_game(rules, state.trump).state(state, state.hands, state.turn))
        seeds.append(rng.next64())
    return [
        Deals(kernel_game(rules, trump), np.array(states), np.array(seeds, dtype=np.uint64))
        for trump, (states, seeds) in found.items()
    ]


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
    most = len(deals.states) * _SEATS * game.rules.hand_size
    inputs = np.zeros((most, -(-input_count(game) // 8)), np.uint8)
    values = np.full((most, output_count(game)), np.nan, np.float32)
    count = _label(
        deals.states, deals.seeds, game.words, valuer, company, guesses_for(game, worlds),
        strangers, explore, share, inputs, values,
    )  # fmt: skip
    return Labels(inputs[:count].copy(), values[:count].copy())


def play_against(deals: Deals, valuer: Valuer, company: Company) -> NDArray[np.float64]:
    """By how many points a network beats the tables in each deal, on average over two seatings.

    Where there are no partners, two of each sit opposite.
    """
    return _play_against(deals.states, deals.seeds, deals.game.words, valuer, company)


# --- compiled ----------------------------------------------------------------------------


class _Room(NamedTuple):
    """What rounds are played on."""

    state: Words
    end: Words
    seen: Words
    later: Words
    voids: Words
    later_voids: Words
    weights: NDArray[np.float64]
    values: NDArray[np.float64]
    scores: NDArray[np.int64]
    rng: Words


@compiled
def _label(
    states: Words,
    seeds: Words,
    game: Words,
    valuer: Valuer,
    company: Company,
    guesses: Guesses,
    strangers: float,
    explore: float,
    share: float,
    inputs: NDArray[np.uint8],
    values: NDArray[np.float32],
) -> Int:
    room = _Room(
        np.empty(STATE_WORDS, np.uint64),
        np.empty(STATE_WORDS, np.uint64),
        np.empty(SEEN_WORDS, np.uint64),
        np.empty(SEEN_WORDS, np.uint64),
        np.empty(_SEATS, np.uint64),
        np.empty(_SEATS, np.uint64),
        np.empty(64, np.float64),
        np.empty(_SEATS, np.float64),
        np.empty(_SEATS, np.int64),
        np.empty(1, np.uint64),
    )
    count = 0
    for i in range(len(states)):
        count = _label_round(
            states[i], seeds[i], game, valuer, company, guesses, strangers, explore, share,
            inputs, values, count, room,
        )  # fmt: skip
    return count


@inlined
def _random(rng: Words) -> float:
    return np.float64(next64(rng) >> _S11) * _UNIT


@uncounted
def _strangers(share: float, rng: Words) -> Word:
    """A bit for each seat that plays by the tables: never all, unless everybody does."""
    if share >= 1.0:
        return np.uint64(EVERYBODY)
    if _random(rng) >= share:
        return ZERO
    return Word(next64(rng) >> _S32 & np.uint64(EVERYBODY))


@uncounted
def _label_round(
    first: Words,
    seed: Word,
    game: Words,
    valuer: Valuer,
    company: Company,
    guesses: Guesses,
    strangers: float,
    explore: float,
    share: float,
    inputs: NDArray[np.uint8],
    values: NDArray[np.float32],
    count: Int,
    room: _Room,
) -> Int:
    state, seen, voids, rng = room.state, room.seen, room.voids, room.rng
    copy_state(first, state)
    rng[0] = seed
    others = _strangers(strangers, rng)
    everybody = strangers >= 1.0
    new_seen(game, seen)
    for seat in range(_SEATS):
        voids[seat] = ZERO
    leader, played = state[TURN], 0
    while state[LEFT] != ZERO:
        cards = legal(state, game)
        card = cards
        if cards & (cards - ONE) != ZERO:
            is_stranger = others >> state[TURN] & ONE != ZERO
            if (everybody or not is_stranger) and _random(rng) < share:
                if guesses.worlds > 0:
                    _label_in_worlds(
                        game, valuer, company, guesses, leader, played, cards, inputs[count],
                        values[count], room,
                    )  # fmt: skip
                else:
                    _label_in_deal(
                        game, valuer, company, others, cards, inputs[count], values[count], room
                    )
                count += 1
            if _random(rng) < explore:
                card = pick(cards, next64(rng) >> _S32)
            else:
                card = _chosen(state, game, seen, voids, valuer, company, is_stranger, cards, room)
        guesses.past[played] = card
        played += 1
        notice(state, game, seen, card)
        watch(state, voids, card)
        play(state, game, card)
    return count


@inlined
def _chosen(
    state: Words,
    game: Words,
    seen: Words,
    voids: Words,
    valuer: Valuer,
    company: Company,
    is_stranger: bool,
    cards: Word,
    room: _Room,
) -> Word:
    if is_stranger:
        deck, factors = company.deck, company.factors
        return Word(draw(state, game, voids, deck, factors, 0, cards, room.weights, room.rng))
    return Word(best_by(state, game, seen, valuer, cards))


@inlined
def _enter_inputs(game: Words, valuer: Valuer, inputs: NDArray[np.uint8], room: _Room) -> Word:
    """Enter the inputs of a decision; where the cards of each lane begin."""
    active, places = look_at(room.state, game, room.seen, valuer.scheme, valuer.inputs)
    for i in range(active):
        inputs[valuer.inputs[i] >> 3] |= np.uint8(1 << (valuer.inputs[i] & 7))
    return Word(places)


@uncounted
def _label_in_deal(
    game: Words,
    valuer: Valuer,
    company: Company,
    others: Word,
    cards: Word,
    inputs: NDArray[np.uint8],
    values: NDArray[np.float32],
    room: _Room,
) -> None:
    """What each card comes to in the true deal, if the network goes on."""
    state = room.state
    places = _enter_inputs(game, valuer, inputs, room)
    side = np.int64(side_of(game, state[TURN]))
    while cards != ZERO:
        card = cards & (~cards + ONE)
        cards ^= card
        copy_state(state, room.end)
        for i in range(SEEN_WORDS):
            room.later[i] = room.seen[i]
        for i in range(_SEATS):
            room.later_voids[i] = room.voids[i]
        notice(room.end, game, room.later, card)
        watch(room.end, room.later_voids, card)
        play(room.end, game, card)
        _play_out(game, valuer, company, others, room)
        values_of(room.end, game, _LEAVES, room.scores, room.values)
        values[output_of(places, card)] = np.float32(room.values[side])


@compiled
def _label_in_worlds(
    game: Words,
    valuer: Valuer,
    company: Company,
    guesses: Guesses,
    leader: Word,
    played: Int,
    cards: Word,
    inputs: NDArray[np.uint8],
    values: NDArray[np.float32],
    room: _Room,
) -> None:
    """What each card comes to on average in worlds that are likely, if the tables go on."""
    state, pool = room.state, guesses.pool
    turn = state[TURN]
    plays = recall(guesses.past[:played], leader, state, game, turn, guesses.ledger)
    unseen = ZERO
    for i in range(_SEATS):
        seat = np.uint64(i)
        hand = state[HANDS + seat] if seat != turn else ZERO
        unseen |= hand
        guesses.may[i], guesses.sizes[i] = room.seen[i], np.int64(popcount(hand))
    guesses.may[turn] = ZERO
    plan_uniform(guesses.plan, unseen, guesses.may, guesses.sizes)
    guesses.memory.hands[:] = NO_HAND
    evidence = Evidence(
        guesses.ledger, plays, game, guesses.types, 1.0, guesses.dealt, guesses.style, guesses.seen
    )
    count, _ = fill(
        pool, len(pool.upto), 0.0, guesses.plan, 0, evidence, guesses.memory, guesses.posterior,
        room.rng,
    )  # fmt: skip
    places = _enter_inputs(game, valuer, inputs, room)
    _play_in_worlds(game, company, guesses, places, cards, count, values, room)


@uncounted
def _play_in_worlds(
    game: Words,
    company: Company,
    guesses: Guesses,
    places: Word,
    cards: Word,
    count: Int,
    values: NDArray[np.float32],
    room: _Room,
) -> None:
    """Play each card out in worlds at equal distances in a pool, with the same luck."""
    state, end, pool, rng, sums = room.state, room.end, guesses.pool, room.rng, guesses.sums
    turn = state[TURN]
    side = np.int64(side_of(game, turn))
    sums[:] = 0.0
    step = pool.upto[count - 1] / np.float64(guesses.worlds)
    goal, world = step * _random(rng), 0
    for _ in range(guesses.worlds):
        while world < count - 1 and pool.upto[world] <= goal:
            world += 1
        goal += step
        luck = next64(rng)
        left = cards
        while left != ZERO:
            card = left & (~left + ONE)
            left ^= card
            copy_state(state, end)
            for i in range(_SEATS):
                if np.uint64(i) != turn:
                    end[HANDS + np.uint64(i)] = pool.hands[world, i]
                room.later_voids[i] = room.voids[i]
            watch(end, room.later_voids, card)
            play(end, game, card)
            rng[0] = luck
            _play_by_tables(game, company, room)
            values_of(end, game, _LEAVES, room.scores, room.values)
            sums[output_of(places, card)] += room.values[side]
        rng[0] = luck
    while cards != ZERO:
        card = cards & (~cards + ONE)
        cards ^= card
        output = output_of(places, card)
        values[output] = np.float32(sums[output] / np.float64(guesses.worlds))


@uncounted
def _play_by_tables(game: Words, company: Company, room: _Room) -> None:
    """Play `room.end` to its end by the tables alone."""
    state, voids = room.end, room.later_voids
    while state[LEFT] != ZERO:
        cards = legal(state, game)
        card = cards
        if cards & (cards - ONE) != ZERO:
            card = draw(
                state, game, voids, company.deck, company.factors, 0, cards, room.weights, room.rng
            )
        watch(state, voids, card)
        play(state, game, card)


@uncounted
def _play_out(game: Words, valuer: Valuer, company: Company, others: Word, room: _Room) -> None:
    """Play `room.end` to its end."""
    state = room.end
    while state[LEFT] != ZERO:
        cards = legal(state, game)
        card = cards
        if cards & (cards - ONE) != ZERO:
            is_stranger = others >> state[TURN] & ONE != ZERO
            card = _chosen(
                state, game, room.later, room.later_voids, valuer, company, is_stranger, cards, room
            )
        notice(state, game, room.later, card)
        watch(state, room.later_voids, card)
        play(state, game, card)


@compiled
def _play_against(
    states: Words, seeds: Words, game: Words, valuer: Valuer, company: Company
) -> NDArray[np.float64]:
    room = _Room(
        np.empty(STATE_WORDS, np.uint64),
        np.empty(STATE_WORDS, np.uint64),
        np.empty(SEEN_WORDS, np.uint64),
        np.empty(SEEN_WORDS, np.uint64),
        np.empty(_SEATS, np.uint64),
        np.empty(_SEATS, np.uint64),
        np.empty(64, np.float64),
        np.empty(_SEATS, np.float64),
        np.empty(_SEATS, np.int64),
        np.empty(1, np.uint64),
    )
    margins = np.zeros(len(states), np.float64)
    for i in range(len(states)):
        for seating in range(2):
            copy_state(states[i], room.end)
            new_seen(game, room.later)
            room.later_voids[:] = ZERO
            room.rng[0] = seeds[i]
            others = np.uint64(5 << (1 - seating))
            _play_out(game, valuer, company, others, room)
            values_of(room.end, game, _LEAVES, room.scores, room.values)
            for seat in range(_SEATS):
                if others >> np.uint64(seat) & ONE == ZERO:
                    margins[i] += room.values[np.int64(side_of(game, np.uint64(seat)))] / 4.0
    return margins

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
from agents.policies.model import policies_for
from agents.policies.pool import Pool, fill
from agents.policies.tables import Factors, draw
from agents.search.codes import DIFFERENCE, RANDOM, SHOOT
from agents.search.leaves import Leaves, values_of
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
    sums: NDArray[np.float64]


def guesses_for(game: KernelGame, worlds: int) -> Guesses:
    """Of so many worlds, drawn from a pool of twice as many."""
    model = policies_for(game.rules, None)
    first = tuple(float(number == 0) for number in range(len(model.types)))
    types = types_for(model, game, (first,) * len(game.rules.sides))
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


class Decisions(NamedTuple):
    """Decisions of rounds, one row each, before they are labelled."""

    states: Words
    seen: Words
    voids: Words
    past: NDArray[np.uint64]
    """The cards that were played before."""
    leaders: Words
    """Who led the first of them."""
    others: Words
    """A bit for each seat that is a stranger's."""
    seeds: Words


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
    cards = _SEATS * game.rules.hand_size
    most = len(deals.states) * cards
    found = Decisions(
        np.empty((most, STATE_WORDS), np.uint64),
        np.empty((most, SEEN_WORDS), np.uint64),
        np.empty((most, _SEATS), np.uint64),
        np.empty((most, cards), np.uint64),
        np.empty(most, np.uint64),
        np.empty(most, np.uint64),
        np.empty(most, np.uint64),
    )
    words = game.words
    count = _play(
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


def play_against(deals: Deals, valuer: Valuer, company: Company) -> NDArray[np.float64]:
    """By how many points a network beats the tables in each deal, on average over two seatings.

    Where there are no partners, two of each sit opposite.
    """
    return _play_against(deals.states, deals.seeds, deals.game.words, valuer, company)


# --- compiled ----------------------------------------------------------------------------


class _Room(NamedTuple):
    """What a round is played on."""

    state: Words
    seen: Words
    voids: Words
    past: Words
    """The cards that were played."""
    weights: NDArray[np.float64]
    values: NDArray[np.float64]
    scores: NDArray[np.int64]
    rng: Words


@compiled
def _new_room() -> _Room:
    return _Room(
        np.empty(STATE_WORDS, np.uint64),
        np.empty(SEEN_WORDS, np.uint64),
        np.empty(_SEATS, np.uint64),
        np.empty(64, np.uint64),
        np.empty(64, np.float64),
        np.empty(_SEATS, np.float64),
        np.empty(_SEATS, np.int64),
        np.empty(1, np.uint64),
    )


@inlined
def _random(rng: Words) -> float:
    return np.float64(next64(rng) >> _S11) * _UNIT


# Called, not inlined: to compile them once is what keeps compiling short.
@uncounted
def _by_network(state: Words, game: Words, seen: Words, valuer: Valuer, cards: Word) -> Word:
    return Word(best_by(state, game, seen, valuer, cards))


@uncounted
def _by_tables(state: Words, game: Words, company: Company, cards: Word, room: _Room) -> Word:
    deck, factors = company.deck, company.factors
    return Word(draw(state, game, room.voids, deck, factors, 0, cards, room.weights, room.rng))


@uncounted
def _allowed(state: Words, game: Words) -> Word:
    return Word(legal(state, game))


@uncounted
def _go_on(state: Words, game: Words, room: _Room, card: Word) -> None:
    notice(state, game, room.seen, card)
    watch(state, room.voids, card)
    play(state, game, card)


@uncounted
def _begin(first: Words, game: Words, seed: Word, room: _Room) -> None:
    copy_state(first, room.state)
    new_seen(game, room.seen)
    for seat in range(_SEATS):
        room.voids[seat] = ZERO
    room.rng[0] = seed


@uncounted
def _play_out(game: Words, valuer: Valuer, company: Company, others: Word, room: _Room) -> None:
    """Play a round to its end."""
    state = room.state
    while state[LEFT] != ZERO:
        cards = _allowed(state, game)
        card = cards
        if cards & (cards - ONE) != ZERO:
            if others >> state[TURN] & ONE != ZERO:
                card = _by_tables(state, game, company, cards, room)
            else:
                card = _by_network(state, game, room.seen, valuer, cards)
        _go_on(state, game, room, card)
    values_of(state, game, _LEAVES, room.scores, room.values)


# --- rounds, and the decisions in them ---------------------------------------------------


@compiled
def _play(
    states: Words,
    seeds: Words,
    game: Words,
    valuer: Valuer,
    company: Company,
    strangers: float,
    explore: float,
    share: float,
    found: Decisions,
) -> Int:
    """Play rounds and note their decisions; how many there are."""
    room = _new_room()
    count = 0
    for i in range(len(states)):
        _begin(states[i], game, seeds[i], room)
        count = _play_round(game, valuer, company, strangers, explore, share, found, count, room)
    return count


@uncounted
def _strangers(share: float, rng: Words) -> Word:
    """A bit for each seat that plays by the tables: those of everybody, of nobody, or any."""
    if share >= 1.0:
        return np.uint64(EVERYBODY)
    if _random(rng) >= share:
        return ZERO
    return Word(next64(rng) >> _S32 & np.uint64(EVERYBODY))


@uncounted
def _play_round(
    game: Words,
    valuer: Valuer,
    company: Company,
    strangers: float,
    explore: float,
    share: float,
    found: Decisions,
    count: Int,
    room: _Room,
) -> Int:
    state, rng = room.state, room.rng
    others, everybody = _strangers(strangers, rng), strangers >= 1.0
    leader, played = state[TURN], 0
    while state[LEFT] != ZERO:
        cards = _allowed(state, game)
        card = cards
        if cards & (cards - ONE) != ZERO:
            is_stranger = others >> state[TURN] & ONE != ZERO
            if (everybody or not is_stranger) and _random(rng) < share:
                copy_state(state, found.states[count])
                for i in range(played):
                    found.past[count, i] = room.past[i]
                for i in range(SEEN_WORDS):
                    found.seen[count, i] = room.seen[i]
                for i in range(_SEATS):
                    found.voids[count, i] = room.voids[i]
                found.leaders[count], found.others[count] = leader, others
                found.seeds[count] = next64(rng)
                count += 1
            if _random(rng) < explore:
                card = pick(cards, next64(rng) >> _S32)
            elif is_stranger:
                card = _by_tables(state, game, company, cards, room)
            else:
                card = _by_network(state, game, room.seen, valuer, cards)
        room.past[played] = card
        played += 1
        _go_on(state, game, room, card)
    return count


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
def _set_up(found: Decisions, number: Int, room: _Room) -> None:
    """Go back to a decision."""
    copy_state(found.states[number], room.state)
    for i in range(SEEN_WORDS):
        room.seen[i] = found.seen[number, i]
    for i in range(_SEATS):
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
    room = _new_room()
    for number in range(len(found.states)):
        state = found.states[number]
        places = _enter_inputs(state, game, found.seen[number], valuer, inputs[number])
        side = np.int64(side_of(game, state[TURN]))
        cards = _allowed(state, game)
        room.rng[0] = found.seeds[number]
        while cards != ZERO:
            card = cards & (~cards + ONE)
            cards ^= card
            _set_up(found, number, room)
            _go_on(room.state, game, room, card)
            _play_out(game, valuer, company, found.others[number], room)
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
    room = _new_room()
    pool, ledger, may, sizes = guesses.pool, guesses.ledger, guesses.may, guesses.sizes
    for number in range(len(found.states)):
        state, seen = found.states[number], found.seen[number]
        turn, unseen = state[TURN], ZERO
        played: Int = 0
        for i in range(_SEATS):
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
        cards = _allowed(state, game)
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
    room: _Room,
) -> None:
    """Play each card out in worlds at equal distances in a pool, with the same luck; add up."""
    state, rng = room.state, room.rng
    turn, cards = first[TURN], _allowed(first, game)
    side = np.int64(side_of(game, turn))
    sums[:] = 0.0
    step = upto[len(upto) - 1] / np.float64(worlds)
    goal, world = step * _random(rng), 0
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
            for i in range(_SEATS):
                if np.uint64(i) != turn:
                    state[HANDS + np.uint64(i)] = hands[world, i]
                room.voids[i] = voids[i]
            rng[0] = luck
            while True:
                watch(state, room.voids, card)
                play(state, game, card)
                if state[LEFT] == ZERO:
                    break
                card = _allowed(state, game)
                if card & (card - ONE) != ZERO:
                    card = _by_tables(state, game, company, card, room)
            values_of(state, game, _LEAVES, room.scores, room.values)
            sums[output_of(places, tried)] += room.values[side]
        rng[0] = luck


# --- how good it is ----------------------------------------------------------------------


@compiled
def _play_against(
    states: Words, seeds: Words, game: Words, valuer: Valuer, company: Company
) -> NDArray[np.float64]:
    room = _new_room()
    margins = np.zeros(len(states), np.float64)
    for i in range(len(states)):
        for seating in range(2):
            _begin(states[i], game, seeds[i], room)
            others = np.uint64(5 << (1 - seating))
            _play_out(game, valuer, company, others, room)
            for seat in range(_SEATS):
                if others >> np.uint64(seat) & ONE == ZERO:
                    margins[i] += room.values[np.int64(side_of(game, np.uint64(seat)))] / 4.0
    return margins

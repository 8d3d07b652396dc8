"""Rounds that a network plays from every seat's own view, and the decisions in them.

Some seats are *strangers*: they play as the tables do, drawn from chances made sharper. Without
any, a network would learn to play with and against itself alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.bidding.passing import pass_card
from agents.bidding.usual import usual_bid
from agents.policies.card_inputs import SEEN_WORDS, new_seen, notice
from agents.policies.card_values import Valuer, best_by
from agents.policies.features import Deck, deck_of, watch
from agents.policies.model import policies_for
from agents.policies.tables import Factors, draw
from agents.search.codes import DIFFERENCE, RANDOM, SHOOT
from agents.search.leaves import Leaves, values_of
from arena.core.registry import BIDDERS
from arena.core.rules import Rules
from arena.core.seeds import rng_for
from arena.games.kernel.jit import compiled, inlined, uncounted
from arena.games.kernel.layout import LEFT, ONE, STATE_WORDS, TURN, ZERO, Int, Word, Words
from arena.games.kernel.rng import next64
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.kernel.step import copy_state, legal, play, side_of
from arena.games.kernel.tricks import pick

EVERYBODY = 15
"""All seats, a bit each."""
SEATS = 4
_S11, _S32 = np.uint64(11), np.uint64(32)
_UNIT = 2.0**-53
LEAVES = Leaves(1, RANDOM, DIFFERENCE, SHOOT, 0, 0.0)
"""Rounds are worth the difference of the scores."""


class Company(NamedTuple):
    """How strangers play, for compiled code."""

    deck: Deck
    factors: Factors


def company_for(game: KernelGame, sharpness: float) -> Company:
    """Players by the tables that come with a game."""
    return Company(deck_of(game), policies_for(game.rules, None).factors(game, sharpness))


class Deals(NamedTuple):
    """Rounds at their first card, those with the same trump."""

    game: KernelGame
    states: Words
    """A row for each."""
    seeds: Words

    def parts(self, size: int) -> Iterator[Deals]:
        """The same deals, so many at a time."""
        for at in range(0, len(self.states), size):
            yield Deals(self.game, self.states[at : at + size], self.seeds[at : at + size])


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


class Room(NamedTuple):
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
def new_room() -> Room:
    return Room(
        np.empty(STATE_WORDS, np.uint64),
        np.empty(SEEN_WORDS, np.uint64),
        np.empty(SEATS, np.uint64),
        np.empty(64, np.uint64),
        np.empty(64, np.float64),
        np.empty(SEATS, np.float64),
        np.empty(SEATS, np.int64),
        np.empty(1, np.uint64),
    )


@inlined
def random(rng: Words) -> float:
    return np.float64(next64(rng) >> _S11) * _UNIT


# Called, not inlined: to compile them once is what keeps compiling short.
@uncounted
def _by_network(state: Words, game: Words, seen: Words, valuer: Valuer, cards: Word) -> Word:
    return Word(best_by(state, game, seen, valuer, cards))


@uncounted
def by_tables(state: Words, game: Words, company: Company, cards: Word, room: Room) -> Word:
    deck, factors = company.deck, company.factors
    return Word(draw(state, game, room.voids, deck, factors, 0, cards, room.weights, room.rng))


@uncounted
def allowed(state: Words, game: Words) -> Word:
    return Word(legal(state, game))


@uncounted
def go_on(state: Words, game: Words, room: Room, card: Word) -> None:
    notice(state, game, room.seen, card)
    watch(state, room.voids, card)
    play(state, game, card)


@uncounted
def _begin(first: Words, game: Words, seed: Word, room: Room) -> None:
    copy_state(first, room.state)
    new_seen(game, room.seen)
    for seat in range(SEATS):
        room.voids[seat] = ZERO
    room.rng[0] = seed


@uncounted
def play_out(game: Words, valuer: Valuer, company: Company, others: Word, room: Room) -> None:
    """Play a round to its end."""
    state = room.state
    while state[LEFT] != ZERO:
        cards = allowed(state, game)
        card = cards
        if cards & (cards - ONE) != ZERO:
            if others >> state[TURN] & ONE != ZERO:
                card = by_tables(state, game, company, cards, room)
            else:
                card = _by_network(state, game, room.seen, valuer, cards)
        go_on(state, game, room, card)
    values_of(state, game, LEAVES, room.scores, room.values)


@compiled
def play_rounds(
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
    room = new_room()
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
    if random(rng) >= share:
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
    room: Room,
) -> Int:
    state, rng = room.state, room.rng
    others, everybody = _strangers(strangers, rng), strangers >= 1.0
    leader, played = state[TURN], 0
    while state[LEFT] != ZERO:
        cards = allowed(state, game)
        card = cards
        if cards & (cards - ONE) != ZERO:
            is_stranger = others >> state[TURN] & ONE != ZERO
            if (everybody or not is_stranger) and random(rng) < share:
                copy_state(state, found.states[count])
                for i in range(played):
                    found.past[count, i] = room.past[i]
                for i in range(SEEN_WORDS):
                    found.seen[count, i] = room.seen[i]
                for i in range(SEATS):
                    found.voids[count, i] = room.voids[i]
                found.leaders[count], found.others[count] = leader, others
                found.seeds[count] = next64(rng)
                count += 1
            if random(rng) < explore:
                card = pick(cards, next64(rng) >> _S32)
            elif is_stranger:
                card = by_tables(state, game, company, cards, room)
            else:
                card = _by_network(state, game, room.seen, valuer, cards)
        room.past[played] = card
        played += 1
        go_on(state, game, room, card)
    return count


def play_against(deals: Deals, valuer: Valuer, company: Company) -> NDArray[np.float64]:
    """By how many points a network beats the tables in each deal, on average over two seatings.

    Where there are no partners, two of each sit opposite.
    """
    return _play_against(deals.states, deals.seeds, deals.game.words, valuer, company)


@compiled
def _play_against(
    states: Words, seeds: Words, game: Words, valuer: Valuer, company: Company
) -> NDArray[np.float64]:
    room = new_room()
    margins = np.zeros(len(states), np.float64)
    for i in range(len(states)):
        for seating in range(2):
            _begin(states[i], game, seeds[i], room)
            others = np.uint64(5 << (1 - seating))
            play_out(game, valuer, company, others, room)
            for seat in range(SEATS):
                if others >> np.uint64(seat) & ONE == ZERO:
                    margins[i] += room.values[np.int64(side_of(game, np.uint64(seat)))] / 4.0
    return margins

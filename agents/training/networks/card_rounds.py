"""Rounds that a network plays from every seat's own view, and the decisions in them.

In some deals, some seats play by the bundled tables of the game instead: they draw cards by
chances made sharper. Without them, a network would only meet itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.bidding.passing import pass_card
from agents.bidding.usual import usual_bid
from agents.policies.card_values import Valuer, best_by
from agents.policies.features import Deck, deck_of
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
from arena.games.observation import SEEN_WORDS, new_seen, notice, watch

_ALL_SEATS = 15
"""A bit for each seat."""
SEATS = 4
_S11, _S32 = np.uint64(11), np.uint64(32)
_UNIT = 2.0**-53
LEAVES = Leaves(1, RANDOM, DIFFERENCE, SHOOT, 0, 0.0)
"""Rounds are worth the difference of the scores."""


class TablePlayers(NamedTuple):
    """How seats play that go by tables, for compiled code."""

    deck: Deck
    factors: Factors


def table_players(game: KernelGame, sharpness: float) -> TablePlayers:
    """Players by the bundled tables of a game, with chances raised to a power."""
    return TablePlayers(deck_of(game), policies_for(game.rules, None).factors(game, sharpness))


class DealBatch(NamedTuple):
    """Deals with the same trump, at their first card."""

    game: KernelGame
    states: Words
    """A row for each."""
    seeds: Words

    def parts(self, size: int) -> Iterator[DealBatch]:
        """The same deals, `size` at a time."""
        for at in range(0, len(self.states), size):
            yield DealBatch(self.game, self.states[at : at + size], self.seeds[at : at + size])


def deals_for(rules: Rules, seed: int, numbers: range, bidder: str = "") -> list[DealBatch]:
    """Random deals after bidding and passing; each depends on the seed and its number alone."""
    bid = BIDDERS.get(bidder)().bid if bidder else usual_bid
    found: dict[int | None, tuple[list[Words], list[int]]] = {}
    for number in numbers:
        state = rules.start(rules.random_deal(rng_for(seed, "deal", number), number))
        rng = rng_for(seed, "before", number)
        while state.phase in ("bid", "pass"):
            assert state.turn is not None  # the round is not over
            view = rules.view(state, state.turn)
            rules.apply(state, bid(view, rng) if state.phase == "bid" else pass_card(view, rng))
        assert state.turn is not None  # nor has it begun
        states, seeds = found.setdefault(state.trump, ([], []))
        states.append(kernel_game(rules, state.trump).state(state, state.hands, state.turn))
        seeds.append(rng.next64())
    return [
        DealBatch(kernel_game(rules, trump), np.array(states), np.array(seeds, dtype=np.uint64))
        for trump, (states, seeds) in found.items()
    ]


class DecisionBatch(NamedTuple):
    """Decisions of rounds before they are labelled, one row each."""

    states: Words
    seen: Words
    voids: Words
    past: NDArray[np.uint64]
    """The cards that were played before."""
    leaders: Words
    """The seat that led the first of them."""
    table_seats: Words
    """A bit for each seat that plays by the tables."""
    seeds: Words


class RoundWorkspace(NamedTuple):
    """Scratch buffers for playing a round."""

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
def new_workspace() -> RoundWorkspace:
    return RoundWorkspace(
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


# Called, not inlined: compiling each of them once keeps compile times short.
@uncounted
def _by_network(state: Words, game: Words, seen: Words, valuer: Valuer, cards: Word) -> Word:
    return Word(best_by(state, game, seen, valuer, cards))


@uncounted
def by_tables(
    state: Words, game: Words, tables: TablePlayers, cards: Word, space: RoundWorkspace
) -> Word:
    deck, factors = tables.deck, tables.factors
    return Word(draw(state, game, space.voids, deck, factors, 0, cards, space.weights, space.rng))


@uncounted
def allowed(state: Words, game: Words) -> Word:
    return Word(legal(state, game))


@uncounted
def go_on(state: Words, game: Words, space: RoundWorkspace, card: Word) -> None:
    notice(state, game, space.seen, card)
    watch(state, space.voids, card)
    play(state, game, card)


@uncounted
def _begin(first: Words, game: Words, seed: Word, space: RoundWorkspace) -> None:
    copy_state(first, space.state)
    new_seen(game, space.seen)
    for seat in range(SEATS):
        space.voids[seat] = ZERO
    space.rng[0] = seed


@uncounted
def play_out(
    game: Words, valuer: Valuer, tables: TablePlayers, table_seats: Word, space: RoundWorkspace
) -> None:
    """Play a round to its end."""
    state = space.state
    while state[LEFT] != ZERO:
        cards = allowed(state, game)
        card = cards
        if cards & (cards - ONE) != ZERO:
            if table_seats >> state[TURN] & ONE != ZERO:
                card = by_tables(state, game, tables, cards, space)
            else:
                card = _by_network(state, game, space.seen, valuer, cards)
        go_on(state, game, space, card)
    values_of(state, game, LEAVES, space.scores, space.values)


@compiled
def collect_decisions(
    states: Words,
    seeds: Words,
    game: Words,
    valuer: Valuer,
    tables: TablePlayers,
    share_of_tables: float,
    explore: float,
    share: float,
    found: DecisionBatch,
) -> Int:
    """Play rounds and enter their decisions; how many there are."""
    space = new_workspace()
    count = 0
    for i in range(len(states)):
        _begin(states[i], game, seeds[i], space)
        count = _play_round(
            game, valuer, tables, share_of_tables, explore, share, found, count, space
        )
    return count


@uncounted
def _draw_table_seats(share: float, rng: Words) -> Word:
    """A bit for each seat that plays by the tables: all if the share is 1; else none, or any."""
    if share >= 1.0:
        return np.uint64(_ALL_SEATS)
    if random(rng) >= share:
        return ZERO
    return Word(next64(rng) >> _S32 & np.uint64(_ALL_SEATS))


@uncounted
def _play_round(
    game: Words,
    valuer: Valuer,
    tables: TablePlayers,
    share_of_tables: float,
    explore: float,
    share: float,
    found: DecisionBatch,
    count: Int,
    space: RoundWorkspace,
) -> Int:
    state, rng = space.state, space.rng
    table_seats, is_all = _draw_table_seats(share_of_tables, rng), share_of_tables >= 1.0
    leader, played = state[TURN], 0
    while state[LEFT] != ZERO:
        cards = allowed(state, game)
        card = cards
        if cards & (cards - ONE) != ZERO:
            by_table = table_seats >> state[TURN] & ONE != ZERO
            if (is_all or not by_table) and random(rng) < share:
                copy_state(state, found.states[count])
                for i in range(played):
                    found.past[count, i] = space.past[i]
                for i in range(SEEN_WORDS):
                    found.seen[count, i] = space.seen[i]
                for i in range(SEATS):
                    found.voids[count, i] = space.voids[i]
                found.leaders[count], found.table_seats[count] = leader, table_seats
                found.seeds[count] = next64(rng)
                count += 1
            if random(rng) < explore:
                card = pick(cards, next64(rng) >> _S32)
            elif by_table:
                card = by_tables(state, game, tables, cards, space)
            else:
                card = _by_network(state, game, space.seen, valuer, cards)
        space.past[played] = card
        played += 1
        go_on(state, game, space, card)
    return count


def play_against(deals: DealBatch, valuer: Valuer, tables: TablePlayers) -> NDArray[np.float64]:
    """The mean margin of a network against the tables in each deal, over two seatings.

    Where there are no partners, two seats of each sit opposite each other.
    """
    return _play_against(deals.states, deals.seeds, deals.game.words, valuer, tables)


@compiled
def _play_against(
    states: Words, seeds: Words, game: Words, valuer: Valuer, tables: TablePlayers
) -> NDArray[np.float64]:
    space = new_workspace()
    margins = np.zeros(len(states), np.float64)
    for i in range(len(states)):
        for seating in range(2):
            _begin(states[i], game, seeds[i], space)
            table_seats = np.uint64(5 << (1 - seating))
            play_out(game, valuer, tables, table_seats, space)
            for seat in range(SEATS):
                if table_seats >> np.uint64(seat) & ONE == ZERO:
                    margins[i] += space.values[np.int64(side_of(game, np.uint64(seat)))] / 4.0
    return margins

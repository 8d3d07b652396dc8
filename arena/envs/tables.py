"""Many tables at once, on the compiled kernel: numpy in, numpy out.

    tables = Tables("klaverjas", 1024, seed=1)
    step = tables.reset()
    while True:
        step = tables.step(choose(step.observation, step.action_mask))

At every table one seat is to act; `step` takes one action for each table. Observations and actions
are those of `arena.envs.encoding`. A round that ends is followed by a new one at once: `done` and
`rewards` say how the last one ended, the observation is the first of the new one.

Only cards are played here. What comes before the first card (the trump, the declarer, the calls)
is taken from auctions in which all calls were made at random, so it says nothing about the hands.
Table number i plays the same deals whatever the number of tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arena.api.rounds import rules_of
from arena.core.cards import cards_of
from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.rules import IllegalAction, Rules, RulesError
from arena.core.seeds import Rng, rng_for, seed_for
from arena.envs.compiled_round import (
    enter_cards,
    offsets_of,
    play_and_order,
    why_not_observed,
    write_observation,
)
from arena.envs.encoding import CARDS, Int8s, Record, encoding_of
from arena.games.kernel.deal import random_deal
from arena.games.kernel.jit import uncounted
from arena.games.kernel.layout import (
    DECLARER,
    FEW_ARE_GOOD,
    HANDS,
    LEFT,
    ONE,
    OWN_STATE,
    PLAYED,
    SIDES,
    STATE_WORDS,
    TURN,
    ZERO,
    Int,
    Numbers,
    Words,
)
from arena.games.kernel.rng import below
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.kernel.step import final_scores, legal, side_of

_CONTRACTS = 240
"""Random auctions that rounds begin with: a multiple of what rotates."""


class TablesStep(NamedTuple):
    """What is at each table after a step. The arrays are written to again by the next step."""

    observation: Int8s
    """A row for each table: what the seat to act knows."""
    action_mask: Int8s
    seat: NDArray[np.int64]
    """The seat to act."""
    done: NDArray[np.bool_]
    """Whether the last step ended a round."""
    rewards: NDArray[np.float32]
    """For each table and seat, the margin of its side if the last step ended a round; else 0."""


class _Contracts(NamedTuple):
    """How rounds begin; a row for each contract."""

    game: Numbers
    """The row of `games` that is played."""
    state: Words
    """State words: the leader, the declarer, and the game's own."""
    observation: NDArray[np.int8]
    """For each seat, all that the first card finds already there."""


class _Games(NamedTuple):
    """The kernel's games, one for each trump."""

    words: Words
    to_bits: NDArray[np.uint8]
    to_cards: NDArray[np.uint8]


class TableDeal(NamedTuple):
    """The round in progress at a table, for the referee: the deal, and the calls before cards."""

    deal: Deal
    calls: tuple[int, ...]


class _RoundsInProgress(NamedTuple):
    """The rounds in progress; a row for each table."""

    states: Words
    contracts: Numbers
    order: Int8s
    legal: Words
    leaders: Words
    """The seats that lead the first trick."""
    seeds: Words


class Tables:
    """`count` tables of one game."""

    def __init__(self, game: str | Mapping[str, Any] | Rules, count: int, *, seed: int = 0) -> None:
        self.rules = rules = rules_of(game)
        if count < 1:
            raise ArenaError(f"{count} tables; expected at least 1")
        encoding = encoding_of(rules)
        self._auctions = _auctions(rules, rng_for(seed, "contracts"))
        self._kernels, self._contracts = _contracts_of(self._auctions, rules)
        self._games = _Games(
            np.stack([game.words for game in self._kernels]),
            np.stack([game.to_bits for game in self._kernels]),
            np.stack([game.to_cards for game in self._kernels]),
        )
        for array in self._games:
            array.flags.writeable = False  # as those of a game: nothing is compiled twice
        seeds = [seed_for(seed, "table", number) for number in range(count)]
        self._rounds = _RoundsInProgress(
            np.zeros((count, STATE_WORDS), np.uint64),
            np.zeros(count, np.int64),
            np.zeros((count, CARDS), np.int8),
            np.zeros(count, np.uint64),
            np.zeros(count, np.uint64),
            np.array(seeds, np.uint64).reshape(count, 1),
        )
        self._offsets = offsets_of(encoding)
        self._scores = np.zeros(4, np.int64)
        self._now = TablesStep(
            np.zeros((count, encoding.size), np.int8),
            np.zeros((count, encoding.actions), np.int8),
            np.zeros(count, np.int64),
            np.zeros(count, np.bool_),
            np.zeros((count, rules.players), np.float32),
        )

    def reset(self) -> TablesStep:
        """Deal at all tables."""
        _deal_all(self._games, self._contracts, self._rounds)
        self._now.done[:] = False
        self._now.rewards[:] = 0
        return self._look()

    def step(self, actions: ArrayLike) -> TablesStep:
        """Play one card at each table; if one of them is illegal, none is played."""
        cards = np.ascontiguousarray(actions, np.int64)
        count = len(self._rounds.contracts)
        if cards.shape != (count,):
            raise ArenaError(f"actions have the shape {cards.shape}; expected ({count},)")
        wrong = _first_illegal(self._now.action_mask, cards)
        if wrong >= 0:
            seat, mask = int(self._now.seat[wrong]), self._now.action_mask[wrong]
            allowed = tuple(map(int, np.flatnonzero(mask)))
            raise IllegalAction(seat, int(cards[wrong]), allowed, f"at table {wrong}")
        _play_all(
            self._games, self._contracts, self._rounds, cards,
            self._now.done, self._now.rewards, self._scores,
        )  # fmt: skip
        return self._look()

    def deal(self, table: int) -> TableDeal:
        """The deal that is played at a table, all hands included."""
        contract = int(self._rounds.contracts[table])
        auction, state = self._auctions[contract], self._rounds.states[table]
        game = self._kernels[self._contracts.game[contract]]
        seats = [np.uint64(seat) for seat in range(self.rules.players)]
        hands = [game.card_mask(state[HANDS + seat] | state[PLAYED + seat]) for seat in seats]
        cards = tuple(tuple(cards_of(hand)) for hand in hands)
        return auction._replace(deal=replace(auction.deal, hands=cards))

    def _look(self) -> TablesStep:
        now = self._now
        _observe_all(
            self._games, self._contracts, self._rounds, self._offsets,
            now.observation, now.action_mask, now.seat,
        )  # fmt: skip
        return now


def _auctions(rules: Rules, rng: Rng) -> list[TableDeal]:
    """Deals, each with random calls that lead to play."""
    found: list[TableDeal] = []
    while len(found) < _CONTRACTS:
        table = rules.start(rules.random_deal(rng, len(found)))
        if (why := why_not_observed(rules, table.passing)) is not None:
            raise RulesError(f"{rules.name}: {why}")
        while table.phase == "bid":
            rules.apply(table, rng.choice(table.legal))
        if table.turn is not None:  # else thrown in
            found.append(TableDeal(table.deal, tuple(bid.action for bid in table.bids)))
    return found


def _contracts_of(auctions: list[TableDeal], rules: Rules) -> tuple[list[KernelGame], _Contracts]:
    """The kernel's games, and how the rounds after these auctions begin."""
    games: list[KernelGame] = []
    rows = []
    for auction in auctions:
        table = rules.start(auction.deal)
        for call in auction.calls:
            rules.apply(table, call)
        game = kernel_game(rules, table.trump)
        if game not in games:
            games.append(game)
        record = Record(rules)
        record.follow(table)
        seats = [record.observation(seat, 0) for seat in range(rules.players)]
        rows.append((games.index(game), game.state(table, table.hands, table.turn), seats))
    return games, _Contracts(
        np.array([row[0] for row in rows], np.int64),
        np.stack([row[1] for row in rows]),
        np.array([row[2] for row in rows], np.int8),
    )


# --- compiled ----------------------------------------------------------------------------


@uncounted
def _first_illegal(masks: Int8s, cards: Numbers) -> Int:
    for i in range(len(cards)):
        if cards[i] < 0 or cards[i] >= masks.shape[1] or masks[i, cards[i]] == 0:
            return i
    return -1


@uncounted
def _deal_all(games: _Games, contracts: _Contracts, rounds: _RoundsInProgress) -> None:
    for i in range(len(rounds.contracts)):
        _deal(games, contracts, rounds, i)


@uncounted
def _deal(games: _Games, contracts: _Contracts, rounds: _RoundsInProgress, i: Int) -> None:
    rng, state = rounds.seeds[i], rounds.states[i]
    number = np.int64(below(rng, np.uint64(len(contracts.game))))
    rounds.contracts[i] = number
    game = games.words[contracts.game[number]]
    begin = contracts.state[number]
    random_deal(state, game, rng, begin[TURN], begin[DECLARER])
    rounds.leaders[i] = state[TURN]
    for word in range(OWN_STATE, STATE_WORDS):
        state[word] = begin[word]
    rounds.order[i, :] = 0
    rounds.legal[i] = legal(state, game)


@uncounted
def _play_all(
    games: _Games,
    contracts: _Contracts,
    rounds: _RoundsInProgress,
    cards: Numbers,
    done: NDArray[np.bool_],
    rewards: NDArray[np.float32],
    scores: Numbers,
) -> None:
    for i in range(len(cards)):
        kind = contracts.game[rounds.contracts[i]]
        game, state, card = games.words[kind], rounds.states[i], cards[i]
        single = ONE << np.uint64(games.to_bits[kind, card])
        play_and_order(state, game, single, rounds.order[i], card)
        ended = state[LEFT] == ZERO
        if ended:
            _reward(state, game, scores, rewards[i])
            _deal(games, contracts, rounds, i)
        else:
            rounds.legal[i] = legal(state, game)
            if done[i]:
                rewards[i, :] = np.float32(0.0)
        done[i] = ended


@uncounted
def _reward(state: Words, game: Words, scores: Numbers, rewards: NDArray[np.float32]) -> None:
    final_scores(state, game, scores)
    sides = np.int64(game[SIDES])
    total = np.int64(0)
    for side in range(sides):
        total += scores[side]
    for seat in range(len(rewards)):
        own = scores[np.int64(side_of(game, np.uint64(seat)))]
        margin = np.float32(own) - np.float32(total - own) / np.float32(sides - 1)
        rewards[seat] = -margin if game[FEW_ARE_GOOD] != ZERO else margin


@uncounted
def _observe_all(
    games: _Games,
    contracts: _Contracts,
    rounds: _RoundsInProgress,
    offsets: Numbers,
    observations: Int8s,
    masks: Int8s,
    seats: Numbers,
) -> None:
    for i in range(len(seats)):
        contract = rounds.contracts[i]
        kind = contracts.game[contract]
        game, state, to_cards = games.words[kind], rounds.states[i], games.to_cards[kind]
        turn = state[TURN]
        seats[i] = np.int64(turn)
        out = observations[i]
        begin = contracts.observation[contract, np.int64(turn)]
        write_observation(
            state, game, to_cards, begin, rounds.order[i], rounds.leaders[i], offsets, turn, out
        )
        masks[i, :] = 0
        enter_cards(rounds.legal[i], to_cards, masks[i], 0)

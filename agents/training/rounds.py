"""Rounds to learn from, as plain arrays.

A round is its trump, its declarer, its first leader and the cards in the order of play. The rules
give the rest: the seat in turn, and so the hands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.core.agent import Agent, Remembers, Setup
from arena.core.cards import cards_of
from arena.core.rules import Rules, Standing, Trick, View
from arena.core.seeds import rng_for
from arena.games.kernel.jit import compiled
from arena.games.kernel.layout import (
    DECLARER,
    HANDS,
    LEFT,
    ONE,
    STATE_WORDS,
    TURN,
    ZERO,
    Int,
    Words,
)
from arena.games.kernel.spec import KernelGame, kernel_game
from arena.games.kernel.step import play

Numbers: TypeAlias = NDArray[np.int8]
NONE = -1
"""A trump or declarer that a game does not have."""


@dataclass(frozen=True)
class Rounds:
    """Complete rounds of one game; one row each."""

    rules: Rules
    trump: Numbers
    declarer: Numbers
    leader: Numbers
    cards: Numbers
    """All cards in the order of play."""

    def __len__(self) -> int:
        return len(self.cards)

    def __getitem__(self, rows: slice | NDArray[np.int64] | NDArray[np.bool_]) -> Rounds:
        """Some of the rounds: a slice, their numbers, or a mask."""
        return Rounds(self.rules, *(column[rows] for column in self.arrays().values()))

    def arrays(self) -> dict[str, Numbers]:
        """The columns by name, for files."""
        return {name: getattr(self, name) for name in ("trump", "declarer", "leader", "cards")}

    @classmethod
    def join(cls, parts: Sequence[Rounds]) -> Rounds:
        """Rounds of the same game one after the other."""
        columns = zip(*(part.arrays().values() for part in parts), strict=True)
        return cls(parts[0].rules, *(np.concatenate(column) for column in columns))

    def by_trump(self) -> Iterator[SameTrump]:
        """The rounds in the coordinates of the kernel, those with the same trump together."""
        for trump in np.unique(self.trump).tolist():
            game = kernel_game(self.rules, None if trump < 0 else trump)
            rows = np.flatnonzero(self.trump == trump)
            yield SameTrump(
                game,
                rows,
                game.to_bits[self.cards[rows]].astype(np.uint64),
                self.leader[rows].astype(np.uint64),
                np.maximum(self.declarer[rows], 0).astype(np.uint64),
            )

    def game(self, number: int) -> KernelGame:
        """The game of a round, with its trump."""
        trump = int(self.trump[number])
        return kernel_game(self.rules, None if trump < 0 else trump)

    def tricks(self, number: int) -> list[Trick]:
        """The tricks of a round, without their points."""
        rules, trump, cards = self.rules, self.game(number).trump, self.cards[number].tolist()
        leader = int(self.leader[number])
        tricks: list[Trick] = []
        for first in range(0, len(cards), rules.players):
            in_trick = tuple(cards[first : first + rules.players])
            winner = rules.seat_after(leader, rules.trick_winner(in_trick, trump))
            tricks.append(Trick(leader, in_trick, winner, 0, 0))
            leader = winner
        return tricks

    def leads(self, number: int) -> Iterator[tuple[View, tuple[int, ...]]]:
        """The view of the leader of each trick but the first and the last, with all hands."""
        rules, tricks, declarer = self.rules, self.tricks(number), int(self.declarer[number])
        for done in range(1, len(tricks) - 1):
            held = [0] * rules.players
            for trick in tricks[done:]:
                for place, card in enumerate(trick.cards):
                    held[rules.seat_after(trick.leader, place)] |= 1 << card
            seat = tricks[done].leader
            opened = any(rules.opens(trick.cards) for trick in tricks[:done])
            nothing = (0,) * len(rules.sides)
            yield (
                View(
                    rules=rules,
                    seat=seat,
                    phase="play",
                    legal=tuple(cards_of(held[seat])),
                    hand=held[seat],
                    leader=tricks[0].leader,
                    trump=self.game(number).trump,
                    declarer=None if declarer < 0 else declarer,
                    tricks=tuple(tricks[:done]),
                    opened=opened,
                    points=nothing,
                    bonus=nothing,
                    standing=Standing(0, nothing),
                ),
                tuple(held),
            )


class SameTrump(NamedTuple):
    """Rounds with the same trump, for compiled code."""

    game: KernelGame
    rows: NDArray[np.int64]
    """Their numbers among all rounds."""
    cards: Words
    """Bits of the cards, in the order of play."""
    leaders: Words
    declarers: Words


@compiled
def deal_round(cards: Words, leader: Int, declarer: Int, game: Words, state: Words) -> None:
    """Set `state` to the beginning of a round in which `cards` (numbers of bits) were played."""
    for i in range(STATE_WORDS):
        state[i] = ZERO
    tricks = len(cards) // 4
    # Playing the round once shows which seat played which card: turns do not depend on hands.
    state[TURN], state[DECLARER] = leader, declarer
    state[LEFT] = np.uint64(tricks)
    hands = np.zeros(4, np.uint64)
    for number in cards:
        card = ONE << number
        hands[state[TURN]] |= card
        state[HANDS + state[TURN]] |= card
        play(state, game, card)
    for i in range(STATE_WORDS):
        state[i] = ZERO
    for seat in range(4):
        state[HANDS + np.uint64(seat)] = hands[seat]
    state[TURN], state[DECLARER] = leader, declarer
    state[LEFT] = np.uint64(tricks)


def play_rounds(rules: Rules, agents: Sequence[Agent], seed: int, numbers: range) -> Rounds:
    """Play random deals, one for each of `numbers`; seat s is `agents[s % len(agents)]`.

    A round depends on the seed and its number alone.
    """
    rows = [_play(rules, agents, seed, number) for number in numbers]
    columns = [np.array(column, dtype=np.int8) for column in zip(*rows, strict=True)]
    return Rounds(rules, *columns)


def _play(
    rules: Rules, agents: Sequence[Agent], seed: int, number: int
) -> tuple[int, int, int, list[int]]:
    state = rules.start(rules.random_deal(rng_for(seed, "deal", number), number))
    seated = []
    for seat in range(rules.players):
        agent = agents[seat % len(agents)]
        if isinstance(agent, Remembers):
            agent = agent.take_seat(Setup(rules, seat))
        seated.append(agent)
    rngs = [rng_for(seed, "play", number, seat) for seat in range(rules.players)]
    while state.turn is not None:
        seat = state.turn
        rules.apply(state, seated[seat].act(rules.view(state, seat), rngs[seat]))
    cards = [card for trick in state.tricks for card in trick.cards]
    return number_of(state.trump), number_of(state.declarer), state.tricks[0].leader, cards


def number_of(value: int | None) -> int:
    """A trump or declarer as the columns of `Rounds` have it."""
    return NONE if value is None else value

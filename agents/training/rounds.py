"""Rounds to learn from: who played what, as plain arrays.

Of a round are kept the trump, who declared, who led first, and the cards in the order of
play. Everything else follows: a hand is what its seat played, and whose turn it was is what
the rules say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.core.agent import Agent, Remembers, Setup
from arena.core.cards import cards_of
from arena.core.rules import Rules, Standing, Trick, View
from arena.core.seeds import rng_for

Numbers: TypeAlias = NDArray[np.int8]
NOBODY = -1


@dataclass(frozen=True)
class Rounds:
    """Complete rounds of one game; one row each."""

    rules: Rules
    trump: Numbers
    """-1 if there is none."""
    declarer: Numbers
    leader: Numbers
    cards: Numbers
    """All cards in the order of play."""

    def __len__(self) -> int:
        return len(self.cards)

    def part(self, rows: slice) -> Rounds:
        """Some of the rounds."""
        return Rounds(
            self.rules, self.trump[rows], self.declarer[rows], self.leader[rows], self.cards[rows]
        )

    def where(self, chosen: NDArray[np.bool_]) -> Rounds:
        """The rounds that are chosen."""
        return self.rows(np.flatnonzero(chosen))

    def rows(self, chosen: NDArray[np.int64]) -> Rounds:
        """The rounds with these numbers."""
        return Rounds(
            self.rules,
            self.trump[chosen],
            self.declarer[chosen],
            self.leader[chosen],
            self.cards[chosen],
        )

    def save(self, path: Path) -> None:
        """Write the rounds, all or nothing."""
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            np.savez_compressed(
                file,
                trump=self.trump,
                declarer=self.declarer,
                leader=self.leader,
                cards=self.cards,
            )
        part.replace(path)

    @classmethod
    def load(cls, path: Path, rules: Rules) -> Rounds:
        """Read rounds of a game."""
        with np.load(path, allow_pickle=False) as file:
            return cls(rules, file["trump"], file["declarer"], file["leader"], file["cards"])

    def leads(self, number: int) -> Iterator[tuple[View, tuple[int, ...]]]:
        """What the leader of each trick but the first and the last sees, and all hands then."""
        rules, trump = self.rules, int(self.trump[number])
        declarer = int(self.declarer[number])
        cards = self.cards[number].tolist()
        players = rules.players
        tricks: list[Trick] = []
        leader = int(self.leader[number])
        for first in range(0, len(cards), players):
            in_trick = tuple(cards[first : first + players])
            won = rules.trick_winner(in_trick, None if trump < 0 else trump)
            tricks.append(Trick(leader, in_trick, rules.seat_after(leader, won), 0, 0))
            leader = tricks[-1].winner
        for done in range(1, len(tricks) - 1):
            held = [0] * players
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
                    dealt_hand=(),
                    dealer=None,
                    leader=tricks[0].leader,
                    trump=None if trump < 0 else trump,
                    declarer=None if declarer < 0 else declarer,
                    forced=False,
                    turn_ups=(),
                    bids=(),
                    tricks=tuple(tricks[:done]),
                    table=(),
                    table_leader=None,
                    opened=opened,
                    points=nothing,
                    bonus=nothing,
                    standing=Standing(0, nothing),
                    passed=(),
                    received=(),
                    shown=(),
                ),
                tuple(held),
            )

    @classmethod
    def join(cls, parts: Sequence[Rounds]) -> Rounds:
        """Rounds of the same game one after the other."""
        return cls(
            parts[0].rules,
            np.concatenate([part.trump for part in parts]),
            np.concatenate([part.declarer for part in parts]),
            np.concatenate([part.leader for part in parts]),
            np.concatenate([part.cards for part in parts]),
        )


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
    trump = NOBODY if state.trump is None else state.trump
    declarer = NOBODY if state.declarer is None else state.declarer
    return trump, declarer, state.tricks[0].leader, cards

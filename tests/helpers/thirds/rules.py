"""Thirds: three players, everybody for themselves, six tricks with the cards from nine up.

Clubs, diamonds and hearts only, so that three hands are the whole deck. Follow suit if you can;
the highest card of the suit led takes the trick. A trick is a point, the last one three.
Turns go against the clock, and who leads comes with the deal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from arena.core.cards import LANE, SEATS
from arena.core.deals import Deal
from arena.core.rules import MatchFormat, Outcome, Position, RulesError
from arena.core.seeds import Rng
from arena.games.base import TableRound, TrickGame

__all__ = ["DECK", "FOR_THE_LAST", "STRENGTH", "Thirds"]

_SUIT = (1 << LANE) - 1
_FROM_NINE_UP = 0b1_1111_1000_0000
DECK = sum(_FROM_NINE_UP << LANE * suit for suit in range(3))
STRENGTH = tuple(range(4 * LANE))
FOR_THE_LAST = 2


@dataclass(frozen=True)
class Thirds(TrickGame):
    """The game; it has no options."""

    name: ClassVar[str] = "thirds"
    deck: ClassVar[int] = DECK
    direction: ClassVar[int] = -1
    match: ClassVar[MatchFormat] = MatchFormat(rounds=3)
    stake: ClassVar[float | None] = 4.0

    @property
    def players(self) -> int:
        """Three."""
        return 3

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """Everybody plays for themselves."""
        return ((0,), (1,), (2,))

    @property
    def margin_bounds(self) -> tuple[float, float]:
        """Worst: another takes everything. Best: one takes everything."""
        return self.worst_margin(1), self.hand_size + FOR_THE_LAST

    def worst_margin(self, sides: int) -> float:
        """The others take everything."""
        return -(self.hand_size + FOR_THE_LAST) / (self.players - sides)

    def check_fields(self, deal: Deal) -> None:
        """Somebody must lead."""
        if deal.leader is None:
            raise RulesError(f"deal {deal.id}: the leader is missing")

    def open(self, state: TableRound) -> None:
        """Nothing comes before the first card."""
        assert state.deal.leader is not None  # see check_fields
        self.begin_play(state, state.deal.leader)

    def playable(self, hand: int, position: Position) -> int:
        """Follow suit if you can."""
        follow = hand & _SUIT << position.table[0] // LANE * LANE if position.table else hand
        return follow or hand

    def trick_winner(self, cards: tuple[int, ...], trump: int | None) -> int:
        """The highest card of the suit led."""
        followed = [card for card in cards if card // LANE == cards[0] // LANE]
        return cards.index(max(followed))

    def trick_value(self, cards: tuple[int, ...], trump: int | None, last: bool) -> tuple[int, int]:
        """A point, and more for the last trick."""
        return 1 + FOR_THE_LAST * last, 0

    def outcome(self, state: TableRound) -> Outcome:
        """The points taken."""
        won = tuple(sum(trick.winner == seat for trick in state.tricks) for seat in range(3))
        return Outcome(state.points, state.points, state.bonus, won)

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self | None:
        """The rules a recorded round was played under; None if it is of another game."""
        return cls() if record.get("game") == cls.name else None

    def facts(self, state: TableRound) -> dict[str, Any]:
        """Who took which trick, and the scores."""
        return {
            "tricks": [{"winner": SEATS[trick.winner]} for trick in state.tricks],
            "scores": dict(zip(SEATS[:3], self.outcome(state).scores, strict=True)),
        }

    def random_deal(self, rng: Rng, number: int) -> Deal:
        """Random hands; leaders take turns by `number`."""
        return Deal("", self.random_hands(rng), leader=self.seat_after(0, number))

"""What a search found: the values of cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from arena.core.cards import SEATS, pretty
from arena.core.tables import text_table


class Bounds(NamedTuple):
    """The least and the greatest margin that a card can be worth; the same if it is solved."""

    low: int
    high: int

    @property
    def solved(self) -> bool:
        """Whether the value is known exactly."""
        return self.low == self.high

    def __neg__(self) -> Bounds:
        return Bounds(-self.high, -self.low)

    def __str__(self) -> str:
        return f"{self.low:+d}" if self.solved else f"{self.low:+d} to {self.high:+d}"


@dataclass(frozen=True, repr=False)
class Solution:
    """The value of every legal card, as the margin of the side to move at the end of the round."""

    seat: int
    """The seat to move."""
    cards: Mapping[int, Bounds]
    nodes: int
    """Positions that the search visited."""
    remarks: tuple[str, ...] = ()
    """What else must be said of the values: that they are not exact, or depend on ties."""

    @property
    def value(self) -> Bounds:
        """The value of the position for the side to move."""
        return Bounds(
            max(each.low for each in self.cards.values()),
            max(each.high for each in self.cards.values()),
        )

    @property
    def best(self) -> tuple[int, ...]:
        """The cards of which none other is known to be better."""
        reached = self.value.low
        return tuple(card for card, bounds in self.cards.items() if bounds.high >= reached)

    def __repr__(self) -> str:
        rows = sorted(self.cards.items(), key=lambda item: (-item[1].low, -item[1].high, item[0]))
        best = self.value.low
        table = text_table(
            ("card", "value", "loses"),
            [
                (pretty(card), str(bounds), f"{best - bounds.low}" if bounds.solved else "?")
                for card, bounds in rows
            ],
        )
        searched = f"{self.nodes:,} positions searched"
        return "\n".join([f"{SEATS[self.seat]} to move", "", table, "", searched, *self.remarks])

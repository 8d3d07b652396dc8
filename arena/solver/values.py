"""The result of a search: the values of cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
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


class CardMean(NamedTuple):
    """The mean value of a card over lines of play, with its 95% interval; not exact."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:+.1f} ({self.low:+.1f} to {self.high:+.1f})"


@dataclass(frozen=True, repr=False)
class Solution:
    """The value of every legal card, as the margin of the side to move at the end of the round."""

    seat: int
    """The seat to move."""
    cards: Mapping[int, Bounds]
    nodes: int
    """Positions that the search visited."""
    remarks: tuple[str, ...] = ()
    """Remarks on the values: that they are not exact, or depend on ties."""
    means: Mapping[int, CardMean] | None = None
    """Where values are not exact: the means that `cards` has the intervals of, in whole points."""

    @property
    def value(self) -> Bounds:
        """The value of the position for the side to move."""
        return Bounds(
            max(each.low for each in self.cards.values()),
            max(each.high for each in self.cards.values()),
        )

    def worth(self, card: int) -> float:
        """The value of a card, or the mean that stands for it."""
        return self.cards[card].low if self.means is None else self.means[card].mean

    @property
    def best(self) -> tuple[int, ...]:
        """The cards of which none other is known to be better; of means, the largest."""
        if means := self.means:
            return (max(means, key=lambda card: means[card].mean),)
        reached = self.value.low
        return tuple(card for card, bounds in self.cards.items() if bounds.high >= reached)

    def narrowed(self, other: Solution) -> Solution:
        """The combined result of two searches of the same position."""
        cards = {
            card: Bounds(max(mine.low, its.low), min(mine.high, its.high))
            for (card, mine), its in zip(self.cards.items(), other.cards.values(), strict=True)
        }
        return replace(other, cards=cards, nodes=self.nodes + other.nodes)

    def __repr__(self) -> str:
        searched = f"{self.nodes:,} positions searched"
        table = text_table(("card", "value", "loses"), self._rows())
        return "\n".join([f"{SEATS[self.seat]} to move", "", table, "", searched, *self.remarks])

    def _rows(self) -> list[tuple[str, str, str]]:
        """The cards, the best first."""
        if self.means is not None:
            means = sorted(self.means.items(), key=lambda item: (-item[1].mean, item[0]))
            best = means[0][1].mean
            return [(pretty(card), str(x), f"{best - x.mean:.1f}") for card, x in means]
        rows = sorted(self.cards.items(), key=lambda item: (-item[1].low, -item[1].high, item[0]))
        reached = self.value.low
        return [
            (pretty(card), str(bounds), f"{reached - bounds.low}" if bounds.solved else "?")
            for card, bounds in rows
        ]

"""Who plays whom on which deals, in which order and seats: the balanced design of a study.

All participants meet the deals in the same order. Their opponents come in the order of a row of a
Williams square, another row in each cycle (a cycle is one round against each opponent). Rows and
seats go through all their combinations from participant to participant. So

* every participant plays each opponent equally often, and no deal twice;
* every opponent comes in every place of a cycle, and after every other opponent, equally often;
* every deal is met by all participants, against every opponent and in every seat equally often,
  once there are as many participants as rows times seats (a multiple of `full_size`).

Source: Williams 1949, Experimental designs balanced for the estimation of residual effects of
treatments, Australian Journal of Scientific Research A 2, 149-168.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm


def williams_square(treatments: int) -> tuple[tuple[int, ...], ...]:
    """Orders in which each treatment is in each place, and after each other one, equally often.

    As many rows as treatments if these are even, else twice as many.

    >>> williams_square(4)
    ((0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1))
    """
    first = [-(n // 2) if n % 2 == 0 else n // 2 + 1 for n in range(treatments)]
    rows = [tuple((place + row) % treatments for place in first) for row in range(treatments)]
    if treatments % 2 and treatments > 1:
        rows += [row[::-1] for row in rows]
    return tuple(rows)


@dataclass(frozen=True)
class Assignment:
    """One round of a participant, by numbers."""

    deal: int
    opponent: int


@dataclass(frozen=True)
class BalancedDesign:
    """The rounds of all participants."""

    opponents: int
    seats: int
    """In how many seats a participant may sit."""
    cycles: int
    """How often each participant plays each opponent."""

    @property
    def rounds(self) -> int:
        """Rounds of each participant, and deals."""
        return self.opponents * self.cycles

    @property
    def full_size(self) -> int:
        """As many participants, or a multiple of them, are balanced in all respects."""
        return len(williams_square(self.opponents)) * self.seats

    def seat(self, participant: int) -> int:
        """Where a participant sits in all rounds."""
        rows = len(williams_square(self.opponents))
        return (participant + participant // lcm(rows, self.seats)) % self.seats

    def rounds_of(self, participant: int) -> tuple[Assignment, ...]:
        """The rounds of a participant in their order."""
        rows = williams_square(self.opponents)
        return tuple(
            Assignment(cycle * self.opponents + place, opponent)
            for cycle in range(self.cycles)
            for place, opponent in enumerate(rows[(participant + cycle) % len(rows)])
        )

"""The schedule: pairings, deals and seats as plain data, known before the first card.

The unit of replication is the deal, or the match where whole matches are played.
Every pairing plays every unit in every seating, and one number per unit and
pairing, the mean over its seatings, goes into the statistics.

**Seatings.** In a seating each side of the game belongs to the first or to the
second entrant. With two sides (partnerships, or two players) there are two: the
entrants exchange seats while the cards, trump, leader, declarer and dealer stay.
Without partners, the two entrants share the seats equally in all
possible ways (six with four players), or alternate, or share them in every way in which
both sit somewhere (`mixed`: fourteen with four players, six with three). In all of them
each seat is taken equally often by both, so the cards favour neither.

**Seeds.** With `seeds_per_deal: k` every seating is played k times, each time with other
random numbers for all seats: the list of seatings is repeated k times.

**Matches.** Match number m owns the deals `m * rounds` to `(m + 1) * rounds - 1` of
the set; a match that only a target ends owns one deal, its first. Deals beyond
those it owns (more rounds to a target, or rounds thrown in) are made from the
run's seed and the match, so that all pairings and seatings meet the same ones in
the same order. A thrown-in round is dealt again by the same dealer and does not
count as a round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

from arena.config.experiment import ResolvedExperiment
from arena.core.deals import Deal
from arena.core.errors import ArenaError
from arena.core.rules import MatchFormat, Rules, RulesError, deals_per_unit
from arena.core.seeds import rng_for

Seating: TypeAlias = tuple[int, ...]
"""For each seat, whether the first (0) or the second entrant (1) of a pairing sits there."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit that one pairing plays at a time: a deal or a match, in all its seatings."""

    pairing: int
    """Index of the pairing in the experiment."""
    deals: tuple[Deal, ...]
    """The deal, or the deals that the match owns."""

    @property
    def id(self) -> str:
        """The name of the unit: that of its first deal."""
        return self.deals[0].id


class Part(NamedTuple):
    """One of several equal parts of a schedule, for as many jobs that know nothing of each other.

    The schedule goes deal by deal, so a part has some deals, or some pairings of one.
    """

    number: int
    """From 1."""
    of: int

    @classmethod
    def parse(cls, text: str) -> Part:
        """Read `3/100`.

        >>> Part.parse("3/100")
        Part(number=3, of=100)
        """
        number, slash, of = text.partition("/")
        if not (slash and number.strip().isdecimal() and of.strip().isdecimal()):
            raise ArenaError(f"expected a part such as 3/100, found {text!r}")
        part = cls(int(number), int(of))
        if not 1 <= part.number <= part.of:
            raise ArenaError(f"expected a part from 1/{part.of} to {part.of}/{part.of}")
        return part

    def of_units(self, count: int) -> range:
        """The units that are its own, of so many in the order of the schedule.

        >>> [len(Part(number, 4).of_units(10)) for number in (1, 2, 3, 4)]
        [2, 3, 2, 3]
        """
        return range(count * (self.number - 1) // self.of, count * self.number // self.of)

    def __str__(self) -> str:
        return f"{self.number} of {self.of}"


WHOLE = Part(1, 1)


@dataclass(frozen=True)
class Schedule:
    """All units of an experiment."""

    experiment: ResolvedExperiment

    def __post_init__(self) -> None:
        if not self.experiment.deals:
            raise ArenaError(f"{self.experiment.name}: no deals to play")
        if self.units_per_pairing == 0:
            raise ArenaError(
                f"{self.experiment.name}: {len(self.experiment.deals)} deals are too few for "
                f"a match of {self.deals_per_unit} rounds"
            )

    @property
    def deals_per_unit(self) -> int:
        """How many deals of the set a unit owns."""
        return deals_per_unit(self.experiment.match)

    @property
    def units_per_pairing(self) -> int:
        """How many deals or matches each pairing plays; deals left over are not played."""
        return len(self.experiment.deals) // self.deals_per_unit

    def __len__(self) -> int:
        return self.units_per_pairing * len(self.experiment.pairings)

    def unit(self, pairing: int, number: int) -> Unit:
        """Unit `number` of a pairing."""
        size = self.deals_per_unit
        return Unit(pairing, self.experiment.deals[size * number : size * (number + 1)])

    def unit_ids(self) -> list[str]:
        """The names of a pairing's units, in the order played."""
        size = self.deals_per_unit
        last = size * self.units_per_pairing
        return [deal.id for deal in self.experiment.deals[:last:size]]

    def __iter__(self) -> Iterator[Unit]:
        """Deal by deal, so that a run cut short has the same deals for every pairing."""
        for number in range(self.units_per_pairing):
            for pairing in range(len(self.experiment.pairings)):
                yield self.unit(pairing, number)


# --- seats -------------------------------------------------------------------------------


def seatings_of(experiment: ResolvedExperiment) -> tuple[Seating, ...]:
    """The seatings in which each unit of an experiment is played, once for each seed."""
    return seatings(experiment.rules, experiment.placements) * experiment.seeds_per_deal


def seed_number(seatings: Sequence[Seating], seating: int) -> int:
    """Which of a deal's seeds the game with this number is played with.

    >>> [seed_number([(0, 1), (1, 0), (0, 1), (1, 0)], game) for game in range(4)]
    [0, 0, 1, 1]
    """
    return seatings[:seating].count(seatings[seating])


@lru_cache(maxsize=64)
def seatings(
    rules: Rules, placements: Literal["all", "alternating", "mixed"] = "all"
) -> tuple[Seating, ...]:
    """The seatings in which two entrants play a deal; in the first one, side 0 is the first's.

    >>> from arena.games.klaverjas import Klaverjas
    >>> seatings(Klaverjas())
    ((0, 1, 0, 1), (1, 0, 1, 0))
    """
    sides = len(rules.sides)
    if sides % 2 and placements != "mixed":
        raise RulesError(
            f"{rules.name}: two entrants cannot share {sides} sides equally; say placements: mixed"
        )
    if placements == "alternating":
        owned = [tuple(range(0, sides, 2)), tuple(range(1, sides, 2))]
    elif placements == "mixed":
        owned = [mine for size in range(1, sides) for mine in combinations(range(sides), size)]
    else:
        owned = list(combinations(range(sides), sides // 2))
    return tuple(
        tuple(0 if rules.side_of(seat) in mine else 1 for seat in range(rules.players))
        for mine in owned
    )


def seat_members(seating: Seating, team_sizes: tuple[int, int]) -> tuple[int, ...]:
    """For each seat, which member of its entrant sits there.

    >>> seat_members((0, 1, 0, 1), (2, 1))
    (0, 0, 1, 0)
    """
    taken = [0, 0]
    members = []
    for entrant in seating:
        members.append(taken[entrant] % team_sizes[entrant])
        taken[entrant] += 1
    return tuple(members)


# --- matches -----------------------------------------------------------------------------


def rounds_left(match: MatchFormat, played: int) -> int:
    """Rounds that a match still has, the one in progress included; 1 if only a target ends it."""
    return 1 if match.rounds is None else match.rounds - played


def match_deal(rules: Rules, unit: Unit, seed: int, dealt: int) -> Deal:
    """The deal that a match turns to after `dealt` others, before the dealer is set."""
    if dealt < len(unit.deals):
        return unit.deals[dealt]
    extra = rules.random_deal(rng_for(seed, "match", unit.id, dealt), dealt)
    return replace(extra, id=f"{unit.id}+{dealt}")

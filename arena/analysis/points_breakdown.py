"""How the points were made: by role, by trick, and how often a round ended in nat, pit, ...

Observations are sides: in a game of partners a round gives an agent one, in a game of each for
themselves one for every seat it has. Rounds that were thrown in or forfeited are left out. Means
and rates are over deals (or matches), so that their intervals know that the rounds of a deal
belong together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from arena.analysis.estimates import Estimate, mean_of, rate_of
from arena.core.scoring import side_owners
from arena.store import Pairing, Run
from arena.store.records import BY_SIDE

FloatArray = NDArray[np.float64]
REPLAYED_ROUNDS = 2_400
"""Rounds that are played again to see who took what in which trick."""


@dataclass(frozen=True)
class AgentBreakdown:
    """The parts of one agent's scores."""

    name: str
    rounds: int
    """Observations: rounds, times the sides that the agent had in each."""
    measures: dict[str, Estimate]
    """Means per round, in points or tricks: `score`, `card_points`, `score_as_declarer`, ..."""
    rates: dict[str, Estimate]
    """By flag of the game: how often, of the rounds in which it could have happened."""
    tricks: tuple[Estimate, ...]
    """Points taken in the first, second, ... trick, bonus included."""


@dataclass(frozen=True)
class PointsBreakdown:
    """All agents, and of how many rounds the tricks were looked at."""

    agents: tuple[AgentBreakdown, ...]
    replayed: int


@dataclass
class _Sums:
    """Totals by unit: what is averaged, and over how many observations."""

    total: FloatArray
    count: FloatArray

    def add(self, units: NDArray[np.int64], values: FloatArray, counted: FloatArray) -> None:
        size = len(self.total)
        self.total += np.bincount(units, values, size)
        self.count += np.bincount(units, counted, size)


@dataclass
class _Ledger:
    """The sums of one agent, by what they are of."""

    size: int
    means: dict[str, _Sums] = field(default_factory=dict)
    rates: dict[str, _Sums] = field(default_factory=dict)
    rounds: int = 0

    def book(self, kind: str, name: str) -> _Sums:
        book = self.means if kind == "mean" else self.rates
        return book.setdefault(name, _Sums(np.zeros(self.size), np.zeros(self.size)))


def break_down_points(run: Run) -> PointsBreakdown:
    """How every agent of a run made its points."""
    places = _places(run)
    ledgers = {name: _Ledger(len(places)) for name in run.entrants}
    for pairing in run.pairings:
        rounds = _Rounds.read(run, pairing, places)
        for entrant, name in enumerate((pairing.first, pairing.second)):
            rounds.enter(ledgers[name], entrant)
    tricks, replayed = _by_trick(run)
    agents = tuple(
        AgentBreakdown(
            name,
            ledger.rounds,
            _estimates(mean_of, ledger.means),
            _estimates(rate_of, ledger.rates),
            tricks.get(name, ()),
        )
        for name, ledger in ledgers.items()
    )
    return PointsBreakdown(agents, replayed)


def _estimates(
    of: Callable[[FloatArray, FloatArray], Estimate], sums: Mapping[str, _Sums]
) -> dict[str, Estimate]:
    """Those that rest on any observation."""
    return {what: of(s.total, s.count) for what, s in sums.items() if s.count.any()}


def _places(run: Run) -> dict[str, int]:
    rows = run.database.query("SELECT DISTINCT unit FROM units")
    return {unit: place for place, (unit,) in enumerate(rows)}


@dataclass(frozen=True, eq=False)
class _Rounds:
    """The rounds of a pairing as arrays; those by side have a column per side."""

    units: NDArray[np.int64]
    owners: NDArray[np.int64]
    scores: FloatArray
    points: FloatArray
    bonus: FloatArray
    tricks: FloatArray
    declaring: NDArray[np.int64]
    """The side that declared; -1 if the game has no declarer."""
    leading: NDArray[np.int64]
    flagged: Mapping[str, NDArray[np.bool_]]
    """By flag: in which rounds, for which side it happened."""
    chances: Mapping[str, NDArray[np.bool_]]
    """By flag: in which rounds, for which side it could have happened."""

    @classmethod
    def read(cls, run: Run, pairing: Pairing, places: Mapping[str, int]) -> _Rounds:
        rules = run.rules
        owned = np.array(side_owners(rules, run.seatings))
        side_of = np.array([*(rules.side_of(seat) for seat in range(rules.players)), -1])
        columns = run.columns(pairing)
        counted = (columns.numbers["counts"] == 1) & (columns.numbers["forfeit"] == 0)
        numbers = columns.numbers[counted]
        place_of = np.fromiter((places[unit] for unit in columns.units), np.int64)
        scores, points, bonus, tricks = (numbers[name].astype(np.float64) for name in BY_SIDE)
        declared = side_of[numbers["declarer"]]
        owners = {
            "declarer": declared,
            "points": points.argmax(axis=1),
            "tricks": tricks.argmax(axis=1),
        }
        sides = np.arange(len(rules.sides))
        flagged, chances = {}, {}
        for flag, owner in getattr(rules, "flag_owners", {}).items():
            side = sides == owners[owner][:, None]
            flagged[flag] = side & columns.flagged(flag)[counted][:, None]
            chances[flag] = side if owner == "declarer" else np.ones_like(side)
        return cls(
            place_of[columns.unit[counted]],
            owned[numbers["seating"]],
            scores,
            points,
            bonus,
            tricks,
            declared,
            side_of[numbers["leader"]],
            flagged,
            chances,
        )

    def enter(self, ledger: _Ledger, entrant: int) -> None:
        """Add the observations of one of the two agents to its sums."""
        mine = self.owners == entrant
        ledger.rounds += int(mine.sum())
        sides = np.arange(self.owners.shape[1])
        declared = mine & (sides == self.declaring[:, None])
        defended = mine & (self.declaring[:, None] >= 0) & ~declared
        led = mine & (sides == self.leading[:, None])
        parts = {
            "score": (self.scores, mine),
            "card_points": (self.points, mine),
            "bonus": (self.bonus, mine),
            "tricks": (self.tricks, mine),
            "score_as_declarer": (self.scores, declared),
            "score_as_defender": (self.scores, defended),
            "score_as_leader": (self.scores, led),
            "score_not_leading": (self.scores, mine & ~led),
        }
        for name, (values, where) in parts.items():
            self._add(ledger.book("mean", name), values, where)
        for name, happened in self.flagged.items():
            self._add(ledger.book("rate", name), happened, mine & self.chances[name])

    def _add(
        self, sums: _Sums, values: FloatArray | NDArray[np.bool_], where: NDArray[np.bool_]
    ) -> None:
        sums.add(self.units, (values * where).sum(axis=1), where.sum(axis=1).astype(np.float64))


# --- trick by trick ----------------------------------------------------------------------


def _by_trick(run: Run) -> tuple[dict[str, tuple[Estimate, ...]], int]:
    """Points taken by trick number, from rounds spread evenly over the run."""
    rules, size = run.rules, run.rules.hand_size
    share = max(1, REPLAYED_ROUNDS // max(1, len(run.pairings) * len(run.seatings)))
    taken: dict[str, dict[str, list[FloatArray]]] = defaultdict(lambda: defaultdict(list))
    owners = side_owners(rules, run.seatings)
    replayed = 0
    for pairing in run.pairings:
        names = (pairing.first, pairing.second)
        for replay in run.replays(pairing, _spread(run, pairing, share)):
            if replay.record.forfeit or not replay.record.counts:
                continue
            state = rules.start(replay.deal, replay.standing)
            for action in replay.record.actions:
                rules.apply(state, action)
            by_side = np.zeros((len(rules.sides), size))
            for number, trick in enumerate(state.tricks):
                by_side[rules.side_of(trick.winner), number] = trick.points + trick.bonus
            replayed += 1
            for owner, points in zip(owners[replay.record.seating], by_side, strict=True):
                taken[names[owner]][replay.record.unit].append(points)
    found = {}
    for name, by_unit in taken.items():
        means = np.array([np.mean(rows, axis=0) for rows in by_unit.values()])
        ones = np.ones(len(means))
        found[name] = tuple(mean_of(means[:, number], ones) for number in range(size))
    return found, replayed


def _spread(run: Run, pairing: Pairing, count: int) -> list[str]:
    """About `count` units of a pairing, evenly spread over all it has."""
    units = run.database.unit_names(pairing.id)
    return units[:: max(1, -(-len(units) // count))]

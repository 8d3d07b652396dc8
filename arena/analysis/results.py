"""The results of each pair of agents in one run, or in several of one experiment.

The deal (or the match) is the unit: `margins` has one value for each, the mean over its
seatings. Runs are pooled deal by deal: a deal that was played in several runs is still one
deal, with the mean over them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.config.parameters import plain
from arena.core.errors import ArenaError, did_you_mean
from arena.core.scoring import side_owners
from arena.stats import PairResults
from arena.stats.compact import compact, kept_compact
from arena.store import Pairing, Run
from arena.store.columns import RoundColumns

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@kept_compact("margins", "games", "scores", "wins", "draws")
@dataclass(frozen=True, eq=False)
class Meeting:
    """Two agents on the deals that they played against each other, seen from the first."""

    first: str
    second: str
    units: tuple[str, ...]
    margins: FloatArray
    """One per unit: the mean over its seatings, or over those that were forfeited."""
    games: FloatArray
    """A row per unit, a column per seating, and that for each seed of a deal."""
    scores: FloatArray
    """A row per unit: mean score of the first and of the second; NaN where one forfeited."""
    wins: FloatArray
    """One per unit: the share of its games that the first won; a forfeited unit is lost."""
    draws: FloatArray
    forfeits: tuple[int, int]
    """Units that the first and the second forfeited."""
    forfeited: frozenset[str] = frozenset()
    """Whether each unit was forfeited, by either agent."""
    best_side: FloatArray | None = None
    """One per unit, where entrants have several sides each: the share of its games in which the
    side with the best score of all is the first's (published by Kiele 2024, where ties go to the
    lowest seat)."""
    runs: tuple[Meeting, ...] = ()
    """The same pair run by run, if several are pooled here."""

    @property
    def each_run(self) -> tuple[Meeting, ...]:
        """Run by run: what was won and lost is counted there, not on means over runs."""
        return self.runs or (self,)

    @property
    def won(self) -> FloatArray:
        """One per unit: the share of its games that the first won, a draw as half."""
        won: FloatArray = self.wins + self.draws / 2
        return won

    def reversed(self) -> Meeting:
        """The same, seen from the second."""
        return Meeting(
            self.second,
            self.first,
            self.units,
            -self.margins,
            -self.games,
            self.scores[:, ::-1],
            1 - self.wins - self.draws,
            self.draws,
            (self.forfeits[1], self.forfeits[0]),
            self.forfeited,
            None if self.best_side is None else 1 - self.best_side,
            tuple(run.reversed() for run in self.runs),
        )

    def over_seeds(self, columns: int) -> Meeting:
        """The same with as many columns of games, each the mean over some of the seeds."""
        if self.games.shape[1] == columns:
            return self
        by_seeds = self.games.reshape(len(self.units), -1, columns)
        return replace(self, games=by_seeds.mean(axis=1))

    def without_forfeits(self) -> Meeting:
        """The meeting without forfeited units."""
        if not self.forfeited:
            return self
        kept = np.array([unit not in self.forfeited for unit in self.units], dtype=np.bool_)
        return Meeting(
            self.first,
            self.second,
            tuple(unit for unit in self.units if unit not in self.forfeited),
            self.margins[kept],
            self.games[kept],
            self.scores[kept],
            self.wins[kept],
            self.draws[kept],
            (0, 0),
            best_side=None if self.best_side is None else self.best_side[kept],
            runs=tuple(run.without_forfeits() for run in self.runs),
        )


@dataclass(frozen=True, eq=False)
class Results:
    """All pairs, and what the numbers mean."""

    agents: tuple[str, ...]
    pairs: tuple[Meeting, ...]
    unit: str
    """The unit of replication: `deal` or `match`."""
    game: str
    seed: int
    """The run's seed; where the statistics resample, they start from it."""
    runs: tuple[str, ...]

    def pair(self, first: str, second: str) -> Meeting:
        """The results of two agents, seen from `first`."""
        for name in (first, second):
            self.check_agent(name)
        for pair in self.pairs:
            if (pair.first, pair.second) == (first, second):
                return pair
            if (pair.second, pair.first) == (first, second):
                return pair.reversed()
        raise ArenaError(f"{', '.join(self.runs)}: {first} and {second} did not play each other")

    def check_agent(self, name: str) -> None:
        """Raise `ArenaError` with the closest match if no agent has this name."""
        if name not in self.agents:
            where = ", ".join(self.runs)
            raise ArenaError(f"{where}: no agent {name!r}; {did_you_mean(name, self.agents)}")

    def of(self, agent: str) -> Iterator[Meeting]:
        """All pairs that an agent is in, seen from it."""
        for pair in self.pairs:
            if pair.first == agent:
                yield pair
            elif pair.second == agent:
                yield pair.reversed()

    @cached_property
    def units(self) -> tuple[str, ...]:
        """All units, in order."""
        return tuple(sorted({unit for pair in self.pairs for unit in pair.units}))

    def without_forfeits(self) -> Results | None:
        """The results without forfeited units, and the agents that still have any; None if none."""
        if not any(pair.forfeited for pair in self.pairs):
            return self
        pairs = [pair.without_forfeits() for pair in self.pairs]
        pairs = [pair for pair in pairs if pair.units]
        playing = {name for pair in pairs for name in (pair.first, pair.second)}
        if not pairs:
            return None
        agents = tuple(name for name in self.agents if name in playing)
        return replace(self, agents=agents, pairs=tuple(pairs))

    @cached_property
    def _places(self) -> tuple[IntArray, ...]:
        """For every pair, the number of each of its units."""
        place = {unit: i for i, unit in enumerate(self.units)}
        found: dict[tuple[str, ...], IntArray] = {}  # most pairs have the same units
        for pair in self.pairs:
            if pair.units not in found:
                numbers = (place[unit] for unit in pair.units)
                found[pair.units] = np.fromiter(numbers, np.int64, len(pair.units))
        return tuple(found[pair.units] for pair in self.pairs)

    @cached_property
    def for_statistics(self) -> PairResults:
        """A row per pair and unit, as the statistics of many agents take them.

        Agents are in the order of their names: that of a file has no influence on any number.
        """
        agents = tuple(sorted(self.agents))
        agent = {name: i for i, name in enumerate(agents)}

        def joined(values: Callable[[Meeting], Any]) -> Any:
            return np.concatenate([compact(values(pair)) for pair in self.pairs])

        return PairResults(
            agents,
            joined(lambda pair: np.full(len(pair.units), agent[pair.first])),
            joined(lambda pair: np.full(len(pair.units), agent[pair.second])),
            compact(np.concatenate(self._places)),
            joined(lambda pair: pair.margins),
            joined(lambda pair: pair.wins),
            joined(lambda pair: pair.draws),
            joined(lambda pair: np.maximum(1 - pair.wins - pair.draws, 0.0)),
        )

    def by_unit(self, agent: str, values: Callable[[Meeting], FloatArray]) -> FloatArray:
        """For each unit that an agent played, the mean of a value over its opponents."""
        total, count = np.zeros(len(self.units)), np.zeros(len(self.units))
        for pair, places in zip(self.pairs, self._places, strict=True):
            if agent in (pair.first, pair.second):
                total[places] += values(pair if pair.first == agent else pair.reversed())
                count[places] += 1
        result: FloatArray = total[count > 0] / count[count > 0]
        return result


def read(runs: Sequence[Run], agents: Sequence[str] | None = None) -> Results:
    """The results of one run, or of several that can be pooled; else raises the difference.

    With `agents`, only these and the pairs among them are looked at, and only they must match.
    """
    if agents is not None:
        for name in agents:
            for run in runs:
                if name not in run.entrants:
                    near = did_you_mean(name, run.entrants)
                    raise ArenaError(f"{run.path}: no agent {name!r}; {near}")
    for other in runs[1:]:
        _check_same(runs[0], other, agents)
    playing = {name for pairing in runs[0].pairings for name in pairing[:2]}
    wanted = playing if agents is None else set(agents)
    names = [name for name in runs[0].entrants if name in wanted]
    parts: dict[frozenset[str], list[Meeting]] = {}
    units: dict[Any, Any] = {}
    for run in runs:
        for pairing in run.pairings:
            if pairing.first in names and pairing.second in names:
                pair = frozenset((pairing.first, pairing.second))
                with run.sensible():
                    parts.setdefault(pair, []).append(_read_pair(run, pairing, units))
    return Results(
        agents=tuple(names),
        pairs=tuple(map(_pooled, parts.values())),
        unit=runs[0].unit,
        game=runs[0].manifest.rules.game,
        seed=runs[0].manifest.seed,
        runs=tuple(str(run.path) for run in runs),
    )


def check_not_stopped(runs: Sequence[Run], what: str) -> None:
    """Refuse races and runs with a `stop` section for what would use plain means and intervals.

    Such a run ends on lucky streaks: plain t intervals miss the truth in 9.5% instead of 5%.
    """
    for run in runs:
        if run.manifest.stop is not None:
            raise ArenaError(
                f"{run.path}: its pairings stopped when a sequential test decided, which {what} "
                "would ignore; see its report, or 'arena compare' for two of its agents"
            )
        check_no_race(run, what)


def check_no_race(run: Run, what: str) -> None:
    """Refuse a race for what would use plain means and intervals."""
    if run.manifest.race is not None:
        raise ArenaError(
            f"{run.path}: beaten agents left this race on the way, which {what} would ignore; "
            "see its report, or play the agents that are left on other deals"
        )


def read_as(runs: Sequence[Run], called: Callable[[Run, str], str]) -> Results:
    """Pool runs with one setup but different agents; `called` gives each agent its name.

    Agents with the same name count as one agent; its games against itself are left out.
    """
    for other in runs[1:]:
        if found := list(setup_differences(runs[0], other)):
            raise ArenaError(f"{runs[0].path} and {other.path} differ: {'; '.join(found)}")
    parts: dict[frozenset[str], list[Meeting]] = {}
    units: dict[Any, Any] = {}
    for run in runs:
        for pairing in run.pairings:
            first, second = called(run, pairing.first), called(run, pairing.second)
            if first != second:
                with run.sensible():
                    read = _read_pair(run, pairing, units)
                met = replace(read, first=first, second=second)
                parts.setdefault(frozenset((first, second)), []).append(met)
    pairs = tuple(pair for pair in map(_pooled, parts.values()) if pair.units)
    return Results(
        agents=tuple(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second))),
        pairs=pairs,
        unit=runs[0].unit,
        game=runs[0].manifest.rules.game,
        seed=runs[0].manifest.seed,
        runs=tuple(str(run.path) for run in runs),
    )


# --- may these be pooled? ----------------------------------------------------------------


def setup_differences(a: Run, b: Run) -> Iterator[str]:
    """Why two runs cannot be set side by side deal by deal, a line each."""
    one, other = a.manifest, b.manifest
    if one.rules != other.rules:
        yield from _shown("rules", one.rules.model_dump(), other.rules.model_dump())
    if one.match != other.match:
        yield from _shown("match", plain(one.match), plain(other.match))
    if one.placements != other.placements:
        yield from _shown("placements", one.placements, other.placements)
    if one.deals_sha256 != other.deals_sha256:
        yield f"deals: {_deals(a)} and {_deals(b)}"


def agent_differences(a: Run, b: Run, agents: Sequence[str] | None = None) -> Iterator[str]:
    """How the agents of two runs (or those named) differ, a line each."""
    mine, others = set(a.entrants), set(b.entrants)
    if agents is None and mine != others:
        only = ", ".join(sorted(mine ^ others))
        yield f"agents: {only} took part in one of them only"
    for name in sorted(mine & others if agents is None else set(agents)):
        first, second = (run.manifest.entrants[name] for run in (a, b))
        if first.members != second.members:
            yield from _shown(f"agent {name}", plain(first.members), plain(second.members))
        elif first.fingerprint != second.fingerprint:
            yield (
                f"agent {name}: it plays differently (fingerprints "
                f"{first.fingerprint[:12]} and {second.fingerprint[:12]})"
            )


def _check_same(a: Run, b: Run, agents: Sequence[str] | None) -> None:
    found = [*setup_differences(a, b), *agent_differences(a, b, agents)]
    if found:
        raise ArenaError(f"{a.path} and {b.path} cannot be pooled: {'; '.join(found)}")


def _deals(run: Run) -> str:
    return f"{run.manifest.deal_set} ({run.manifest.deals_sha256[:12]})"


def _shown(place: str, a: Any, b: Any) -> Iterator[str]:
    if isinstance(a, dict) and isinstance(b, dict):
        for key in [*a, *(key for key in b if key not in a)]:
            if a.get(key) != b.get(key):
                yield from _shown(f"{place}.{key}", a.get(key), b.get(key))
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            if x != y:
                yield from _shown(place if len(a) == 1 else f"{place}.{i}", x, y)
    else:
        yield f"{place}: {a!r} and {b!r}"


# --- reading -----------------------------------------------------------------------------


def _read_pair(run: Run, pairing: Pairing, names: dict[Any, Any]) -> Meeting:
    """All games of a pair.

    `names` holds the units of all pairs, so that each name is in memory once, and each tuple.
    """
    columns = run.columns(pairing)
    games, found = columns.games, columns.games.scored
    units: tuple[str, ...] = tuple(names.setdefault(unit, unit) for unit in columns.units)
    units = names.setdefault(units, units)
    by_seating = np.full((len(units), len(run.seatings)), nan)
    by_seating[games.unit, games.seating] = games.margin
    is_person = not {pairing.first, pairing.second}.isdisjoint(run.people)
    # A person plays a deal in one seating only: the next time its cards are known.
    if not is_person and np.isnan(by_seating[~found.forfeited]).any():
        raise ValueError("a deal that lacks a seating")
    forfeits = [int((games.count(games.forfeit == entrant) > 0).sum()) for entrant in (1, 2)]
    return Meeting(
        pairing.first,
        pairing.second,
        units,
        found.margin,
        by_seating,
        np.column_stack((games.mean(games.score_first), games.mean(games.score_second))),
        found.won,
        found.drawn,
        (forfeits[0], forfeits[1]),
        frozenset(units[place] for place in np.flatnonzero(found.forfeited)),
        _best_sides(run, columns) if len(run.rules.sides) > 2 else None,
    )


def _best_sides(run: Run, columns: RoundColumns) -> FloatArray:
    """`Meeting.best_side`; a forfeited unit is won or lost as the margins say, equal sides are won
    by the first of them."""
    games, found = columns.games, columns.games.scored
    owners = np.array(side_owners(run.rules, run.seatings))
    if not columns.units:
        return found.won
    scores = np.add.reduceat(columns.numbers["scores"].astype(np.int64), games.starts)
    best = scores.argmax(axis=1) if run.rules.higher_wins else scores.argmin(axis=1)
    shares = games.mean(owners[games.seating, best] == 0)
    return np.where(found.forfeited, found.won, shares)


def _best_side_of(pair: Meeting) -> FloatArray:
    assert pair.best_side is not None  # runs of one game have it all or none
    return pair.best_side


def _pooled(parts: Sequence[Meeting]) -> Meeting:
    """Each unit's mean over the runs that have it."""
    if len(parts) == 1:
        return parts[0]
    columns = gcd(*(part.games.shape[1] for part in parts))  # runs differ in seeds per deal
    same_way = [
        (part if part.first == parts[0].first else part.reversed()).over_seeds(columns)
        for part in parts
    ]
    units = tuple(sorted({unit for part in same_way for unit in part.units}))
    place = {unit: i for i, unit in enumerate(units)}
    at = [[place[unit] for unit in part.units] for part in same_way]

    def mean(values: Callable[[Meeting], FloatArray]) -> FloatArray:
        shape = (len(units), *values(same_way[0]).shape[1:])
        total, count = np.zeros(shape), np.zeros(shape)
        for part, rows in zip(same_way, at, strict=True):
            total[rows] += values(part)
            count[rows] += 1
        result: FloatArray = total / count
        return result

    return Meeting(
        same_way[0].first,
        same_way[0].second,
        units,
        mean(lambda part: part.margins),
        mean(lambda part: part.games),
        mean(lambda part: part.scores),
        mean(lambda part: part.wins),
        mean(lambda part: part.draws),
        (sum(part.forfeits[0] for part in same_way), sum(part.forfeits[1] for part in same_way)),
        frozenset().union(*(part.forfeited for part in same_way)),
        None if same_way[0].best_side is None else mean(_best_side_of),
        tuple(same_way),
    )

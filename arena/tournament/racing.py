"""A race as a stopping rule: which pairings go on, and who has left.

The race is run again from its first deal at every look, on games in the order of the schedule.
So it depends on results only, and goes on where it was after a kill.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from arena.config.models import Race
from arena.core.files import write_atomically
from arena.core.scoring import Game, unit_margin
from arena.stats.race import Departure, RaceDesign, RacePair, RaceState, race_state
from arena.tournament.stopping import Played, read_kept

_RACE = "race.json"


@dataclass(frozen=True)
class RaceOutcome:
    """A race that is over."""

    left: tuple[Departure[str], ...]
    racing: tuple[str, ...]
    """The agents that were left in the end, in the order of the experiment."""
    deals: int
    """Deals until the end."""
    pair_deals: int
    """Deals of all pairs together."""
    most_pair_deals: int
    """Deals of a round-robin (or of all against the reference) without racing."""


class RaceRule:
    """All pairings of agents that are left, until the race is over."""

    def __init__(self, race: Race, pairings: Sequence[tuple[str, str]], most: int) -> None:
        self._race, self._pairings, self._most = race, pairings, most
        self.agents = list(dict.fromkeys(name for pair in pairings for name in pair))
        reference = None if race.reference is None else self.agents.index(race.reference)
        self._design = RaceDesign(len(self.agents), race.keep, reference, race.alpha)
        self._state: RaceState | None = None

    def wanted(self, played: Played) -> Sequence[int]:
        """Units of each pairing up to the next look; no more where an agent has left."""
        pairs = {}
        for names, units in zip(self._pairings, played, strict=True):
            key, sign = self._key(names)
            margins = sign * np.array([unit_margin(games) for games in units], dtype=np.float64)
            largest = np.array([_largest(games) for games in units], dtype=np.float64)
            pairs[key] = RacePair(margins, largest)
        self._state = race_state(pairs, self._design, self._most)
        return [self._state.wanted[self._key(names)[0]] for names in self._pairings]

    def _key(self, names: tuple[str, str]) -> tuple[tuple[int, int], int]:
        """The numbers of both agents, the smaller one first, and whether they are as written."""
        first, second = map(self.agents.index, names)
        return ((first, second), 1) if first < second else ((second, first), -1)

    def words(self) -> Sequence[str]:
        """The agents in the race, and those that have left."""
        if self._state is None:
            return []
        state = self._state
        names = ", ".join(self.agents[agent] for agent in state.racing)
        left = [f"{self.agents[each.agent]} after {each.deals:,}" for each in state.left]
        return [f"in the race: {names or 'none'}", *([f"left: {', '.join(left)}"] if left else [])]

    @property
    def outcome(self) -> RaceOutcome | None:
        """How it ended; None while it goes on."""
        state, names = self._state, self.agents
        if state is None or not state.over:
            return None
        return RaceOutcome(
            tuple(
                Departure(names[each.agent], each.deals, names[each.rival], each.low, each.high)
                for each in state.left
            ),
            tuple(names[agent] for agent in state.racing),
            state.deals,
            sum(state.wanted.values()),
            self._most * len(self._pairings),
        )


def _largest(games: Sequence[Game]) -> float:
    return max((abs(game.margin) for game in games if not game.forfeit), default=0.0)


def write_race(folder: Path, outcome: RaceOutcome) -> None:
    """Keep how a race ended in its folder."""
    write_atomically(folder / _RACE, json.dumps(asdict(outcome), allow_nan=False) + "\n")


def read_race(folder: Path) -> RaceOutcome | None:
    """How the race of a run ended; None if it goes on."""
    return read_kept(folder / _RACE, RaceOutcome)

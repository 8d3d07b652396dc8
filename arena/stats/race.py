"""Races: a field plays until its best agents are known, and beaten agents leave on the way."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

import numpy as np

from arena.stats.errors import StatsError
from arena.stats.sample import FloatArray
from arena.stats.sequential.anytime_t import anytime_t_limit

FIRST_LOOK = 16
_GROWTH = 1.25


@dataclass(frozen=True, eq=False)
class RacePair:
    """The results of two agents, in the order of the deals."""

    margins: FloatArray
    """One per deal, of the agent with the smaller number."""
    largest: FloatArray
    """One per deal: the largest margin of its single games, whoever won it."""


RacePairs = Mapping[tuple[int, int], RacePair]
"""By the numbers of two agents, the smaller one first."""


@dataclass(frozen=True)
class RaceDesign:
    """The goal of a race, and its error rate."""

    agents: int
    keep: int = 1
    """The race ends when so many agents are left."""
    reference: int | None = None
    """Instead: every other agent plays this one only, until it is known better or worse."""
    alpha: float = 0.05
    """How often anything that the race says may be wrong, over all agents and looks."""

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise StatsError(f"alpha must lie between 0 and 1, got {self.alpha}")
        if not 1 <= self.keep < self.agents:
            raise StatsError(f"keep must lie from 1 to {self.agents - 1}, got {self.keep}")

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs that play while no agent has left."""
        if self.reference is None:
            return list(combinations(range(self.agents), 2))
        others = (agent for agent in range(self.agents) if agent != self.reference)
        return [(min(agent, self.reference), max(agent, self.reference)) for agent in others]


Agent = TypeVar("Agent", int, str)


@dataclass(frozen=True)
class Departure(Generic[Agent]):
    """An agent that left, by number or name, and how far it is behind (or ahead of) another one."""

    agent: Agent
    deals: int
    """After how many deals of the race."""
    rival: Agent
    """The agent it was compared with: the one that it is behind by most, or the reference."""
    low: float
    """Limits of its margin against the rival, in points per deal."""
    high: float


@dataclass(frozen=True)
class RaceState:
    """Where a race stands."""

    racing: tuple[int, ...]
    """The agents that are left, in their order."""
    left: tuple[Departure[int], ...]
    """The agents that have left, in that order."""
    deals: int
    """Deals of the last look."""
    over: bool
    """Whether nothing more need be played."""
    wanted: Mapping[tuple[int, int], int]
    """Deals wanted of each pair."""


def look_sizes(most: int) -> Iterator[int]:
    """After how many deals a race is looked at: a quarter more each time, and at the end."""
    size = FIRST_LOOK
    while size < most:
        yield size
        size = math.ceil(size * _GROWTH)
    yield most


def race_state(played: RacePairs, design: RaceDesign, most: int) -> RaceState:
    """Run a race on what has been played; `most` is how many deals each pair may play.

    At each look the agents left are compared on all deals so far, by ratings: an agent's rating on
    a deal is its mean margin against all agents left, itself included as 0, so that the difference
    of two ratings is their margin in points. An agent leaves if `keep` others are ahead of it by
    an anytime-valid t interval at level alpha / number of pairs (Bonferroni); with a reference, if
    that interval of its margin excludes 0. The variance has L²/n added, where L is the largest
    margin of a single game so far: one deal that has not been seen yet may differ as much. So with
    probability 1 - alpha no agent leaves that is not worse than one that stays, however long the
    race goes on and whoever looks.
    Unit: the deal. Assumes independent deals; without transitivity the statement is about mean
    margins against the agents that were left. Sources: Maron & Moore 1994, Hoeffding races;
    Even-Dar, Mannor & Mansour 2006, JMLR 7 (successive elimination); see `anytime_t_limit`.
    """
    pairs = design.pairs
    level = design.alpha / len(pairs)
    racing = [agent for agent in range(design.agents) if agent != design.reference]
    left: list[Departure[int]] = []
    wanted = dict.fromkeys(pairs, 0)
    deals = 0
    for size in look_sizes(most):
        playing = [
            pair
            for pair in pairs
            if all(each in racing or each == design.reference for each in pair)
        ]
        wanted.update(dict.fromkeys(playing, size))
        if any(len(played[pair].margins) < size for pair in playing):
            return RaceState(tuple(racing), tuple(left), deals, over=False, wanted=wanted)
        deals = size
        found = list(_leaving(played, design, racing, size, level))
        left += found
        racing = [agent for agent in racing if agent not in {each.agent for each in found}]
        if len(racing) <= (0 if design.reference is not None else design.keep):
            break
    return RaceState(tuple(racing), tuple(left), deals, over=True, wanted=wanted)


def _leaving(
    played: RacePairs, design: RaceDesign, racing: list[int], size: int, level: float
) -> Iterator[Departure[int]]:
    """The agents that leave at a look."""
    if design.reference is None:
        ratings = _ratings(played, racing, size)
        values = ratings[:, None, :] - ratings[None, :, :]
        rivals = racing
    else:
        values = np.array([[_of(played, agent, design.reference)[:size]] for agent in racing])
        rivals = [design.reference]
    mean = values.mean(axis=2)
    largest = max(float(pair.largest[:size].max(initial=0.0)) for pair in played.values())
    variance = values.var(axis=2, ddof=1) + largest**2 / size
    limit = anytime_t_limit(size, level)
    if not math.isfinite(limit):
        return
    reach = limit * np.sqrt(variance / size)
    low, high = mean - reach, mean + reach
    for row, agent in enumerate(racing):
        beaten_by = np.flatnonzero(
            (high[row] < 0) if design.reference is None else (high[row] < 0) | (low[row] > 0)
        )
        if len(beaten_by) >= (1 if design.reference is not None else design.keep):
            most = beaten_by[int(np.argmin(high[row][beaten_by]))]
            limits = float(low[row, most]), float(high[row, most])
            yield Departure(agent, size, rivals[most], *limits)


def _ratings(played: RacePairs, racing: list[int], size: int) -> FloatArray:
    """A row per agent, a column per deal."""
    total = np.zeros((len(racing), size))
    for (i, a), (j, b) in combinations(enumerate(racing), 2):
        values = played[a, b].margins[:size]
        total[i] += values
        total[j] -= values
    return total / len(racing)


def _of(played: RacePairs, agent: int, other: int) -> FloatArray:
    """Margins of an agent against another one."""
    return played[agent, other].margins if agent < other else -played[other, agent].margins

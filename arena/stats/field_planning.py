"""How many deals a whole experiment needs, by the comparisons that its report will make."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from arena.stats.joint import comparable, comparisons_share
from arena.stats.least_squares import additive_fit
from arena.stats.pair_results import PairResults
from arena.stats.power import (
    POWER,
    DealsNeeded,
    PilotSd,
    SequentialPlan,
    deals_for_t_test,
    pilot_sd,
    sequential_plan,
    t_test_power,
)
from arena.stats.sequential.sprt import SprtDesign
from arena.stats.simultaneous import family

ASSURANCE = 0.8
"""Share of pilots with which the promised power is kept."""
_LIMIT = 0.85
"""Confidence of the limit that does it: it covers less with heavy tails."""


@dataclass(frozen=True)
class ContrastPlan:
    """Deals that find a difference between two agents, and the spread that they follow from.

    `needed` is the plan: it uses an upper limit of the spread, so that the promised power is kept
    in ASSURANCE of all pilots. `least` would do if the spread were as measured, which in half of
    all pilots it is not. None without variance in the pilot.
    """

    a: str
    b: str
    sd: PilotSd
    needed: DealsNeeded | None
    least: DealsNeeded | None


@dataclass(frozen=True)
class FieldPlan:
    """Deals for the comparisons of a field, two-sided and adjusted for their number.

    `level` is that of each single test which makes all `tests` hold together at `alpha`.
    """

    contrasts: tuple[ContrastPlan, ...]
    tests: int
    level: float
    alpha: float
    power: float
    detect: float

    @property
    def widest(self) -> ContrastPlan | None:
        """The comparison with the largest spread."""
        known = [c for c in self.contrasts if c.sd.sd]
        return max(known, key=lambda c: c.sd.sd or 0.0, default=None)

    def chance(self, contrast: ContrastPlan, deals: int, points: float) -> float:
        """Probability that `deals` deals find a difference of `points`."""
        assert contrast.sd.sd
        return t_test_power(deals, points, contrast.sd.sd, self.level)


def pilot_sequence(margins: ArrayLike, design: SprtDesign) -> SequentialPlan | None:
    """The length of a sequential test from the margins of a pilot; None without variance.

    As `field_plan` it uses the upper limit of the spread with confidence ASSURANCE, and for
    `extreme` the largest margin of the pilot. With the spread as measured, lengths were 2 to 13%
    too short on average, because a run goes on to meet larger margins than its pilot; so planned
    they are 6 to 50% too long (pilots of 60 and 20 deals). Unit: the deal.
    Source: `sequential_plan`.
    """
    spread = pilot_sd(margins, 2 * ASSURANCE - 1)
    if not spread.sd:
        return None
    largest = float(np.nanmax(np.abs(np.asarray(margins, dtype=np.float64))))
    return sequential_plan(spread.high or spread.sd, replace(design, extreme=largest))


def field_plan(
    pilot: PairResults, detect: float, power: float = POWER, alpha: float = 0.05
) -> FieldPlan:
    """Plan the comparisons of `joint_comparison` from the spread in a pilot.

    Formula: a deal's value for two agents is the difference of their ratings plus n times the
    deal's influence on it; its standard deviation and the level of a single test in the family
    go into `deals_for_t_test`. Each pair that differs by `detect` is found with probability
    `power`, which is not the probability of finding all such pairs. The pilot knows the spread
    only roughly, so the plan uses a one-sided upper limit of it: with ASSURANCE the power is kept.
    Unit: the deal; points. Source: as `joint_comparison`, `deals_for_t_test` and `pilot_sd`;
    Browne 1995, Stat. Med. 14 (planning with an upper limit of the pilot's spread).
    """
    table = pilot.table()
    fit = additive_fit(table)
    pairs, weights = comparable(table)
    reduced = weights @ fit.basis
    values = table.deals * (fit.scores @ fit.bread @ reduced.T)  # deal × contrast
    found = [pilot_sd(column) for column in values.T]
    limits = [pilot_sd(column, 2 * _LIMIT - 1) for column in values.T]
    known = np.array([bool(sd.sd) for sd in found])
    level = alpha
    if known.any():
        # The run will be long: its degrees of freedom are large, whatever the pilot's are.
        together = family(
            fit.covariance.covariance, reduced[known], np.full(known.sum(), 1e4), table.deals
        )
        level = together.level(comparisons_share(table) * alpha)

    def deals(sd: float | None) -> DealsNeeded | None:
        return deals_for_t_test(detect, sd, power, level) if sd and math.isfinite(sd) else None

    plans = tuple(
        ContrastPlan(table.agents[i], table.agents[j], sd, deals(limit.high), deals(sd.sd))
        for (i, j), sd, limit in zip(pairs, found, limits, strict=True)
    )
    return FieldPlan(plans, len(pairs), level, alpha, power, detect)

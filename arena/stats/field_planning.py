"""How many deals a whole experiment needs, by the comparisons that its report will make."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from arena.stats.joint import comparable
from arena.stats.least_squares import additive_fit
from arena.stats.pair_results import PairResults
from arena.stats.power import POWER, DealsNeeded, PilotSd, deals_for_t_test, pilot_sd, t_test_power
from arena.stats.simultaneous import family


@dataclass(frozen=True)
class ContrastPlan:
    """What it takes to tell two agents apart: spread of a deal, deals, and deals to be safe.

    `cautious` plans with the upper limit of the spread; None without variance in the pilot.
    """

    a: str
    b: str
    sd: PilotSd
    needed: DealsNeeded | None
    cautious: DealsNeeded | None


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
        """Probability that so many deals tell two agents apart that differ by so much."""
        assert contrast.sd.sd
        return t_test_power(deals, points, contrast.sd.sd, self.level)


def field_plan(
    pilot: PairResults, detect: float, power: float = POWER, alpha: float = 0.05
) -> FieldPlan:
    """Plan the comparisons of `joint_comparison` from the spread in a pilot.

    Formula: a deal's value for two agents is the difference of their ratings plus n times the
    deal's influence on it; its standard deviation and the level of a single test in the family
    go into `deals_for_t_test`. Each pair that differs by `detect` is found with probability
    `power`, which is not the probability of finding all such pairs. The pilot knows the spread
    only up to `PilotSd.low` and `high`: plan with `cautious` to be safe. Unit: the deal; points.
    Source: as `joint_comparison`, `deals_for_t_test` and `pilot_sd`.
    """
    table = pilot.table()
    fit = additive_fit(table)
    pairs, weights = comparable(table)
    reduced = weights @ fit.basis
    values = table.deals * (fit.scores @ fit.bread @ reduced.T)  # deal × contrast
    found = [pilot_sd(column) for column in values.T]
    known = np.array([bool(sd.sd) for sd in found])
    level = alpha
    if known.any():
        # The run will be long: its degrees of freedom are large, whatever the pilot's are.
        together = family(
            fit.covariance().covariance, reduced[known], np.full(known.sum(), 1e4), table.deals
        )
        level = together.level(alpha)

    def needed(sd: float | None) -> DealsNeeded | None:
        return deals_for_t_test(detect, sd, power, level) if sd and math.isfinite(sd) else None

    plans = tuple(
        ContrastPlan(table.agents[i], table.agents[j], sd, needed(sd.sd), needed(sd.high))
        for (i, j), sd in zip(pairs, found, strict=True)
    )
    return FieldPlan(plans, len(pairs), level, alpha, power, detect)

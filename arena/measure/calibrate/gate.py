"""Does the gate keep its error rates? Over fresh baselines of real play."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from arena.gate.config import TestFile
from arena.gate.tests import measure
from arena.measure.calibrate.statistics import Rate, measured_rate

FloatArray = NDArray[np.float64]

REPLICATES = 3
"""Seeds of a baseline."""
CANDIDATES = 10
"""Candidates that meet each baseline, so that baselines can be told apart."""


@dataclass(frozen=True)
class GateRates:
    """Error rates of the no-regression gate, and its length beside that of a fixed test."""

    unchanged_fails: Rate
    worse_passes: Rate
    undecided: Rate
    """Gates of both kinds that had no answer when the deals were used up."""
    mean_deals: float
    fixed_deals: int
    worst_decile: float
    """How often an unchanged agent fails among the tenth of baselines where it fails most."""

    @property
    def saved(self) -> float:
        """Share of the deals of a fixed-size test that were not needed."""
        return 1 - self.mean_deals / self.fixed_deals


def gate_rates(
    baselines: Sequence[FloatArray],
    candidates: Sequence[FloatArray],
    worse_by: float,
    alpha: float = 0.05,
) -> GateRates:
    """Judge an unchanged agent and one with `worse_by` points less against fresh baselines.

    `baselines[i]` is a table of seed × deal, `candidates[i]` one of candidate × deal: what the same
    agent did on the same deals with other seeds, none of them used twice. Values that were drawn
    again from a small table would differ in their means, and the gate would be right to say so.
    """
    test = TestFile(worse_by=worse_by, alpha=alpha, beta=alpha)
    failed: list[list[bool]] = []
    passed, undecided, lengths, spreads = [], [], [], []
    for baseline, played in zip(baselines, candidates, strict=True):
        mean = baseline.mean(axis=0)
        failed.append([])
        for values in played:
            difference = values - mean
            spreads.append(float(difference.std(ddof=1)))
            same = measure(difference, test, complete=True)
            worse = measure(difference - worse_by, test, complete=True)
            failed[-1].append(same.answer == "regression")
            passed.append(worse.answer == "pass")
            undecided += [found.answer == "continue" for found in (same, worse)]
            lengths += [same.deals, worse.deals]
    z = 2 * float(special.ndtri(1 - alpha))
    table = np.array(failed)
    by_baseline = np.sort(table.mean(axis=1))[::-1]
    return GateRates(
        measured_rate("unchanged fails", int(table.sum()), table.size),
        measured_rate("worse passes", sum(passed), len(passed)),
        measured_rate("undecided", sum(undecided), len(undecided)),
        float(np.mean(lengths)),
        math.ceil((z * float(np.mean(spreads)) / worse_by) ** 2),
        float(by_baseline[: max(1, len(by_baseline) // 10)].mean()),
    )

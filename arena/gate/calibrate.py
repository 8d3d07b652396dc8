"""Does the gate keep its error rates? Over fresh baselines of real play."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from arena.gate.config import TestFile
from arena.gate.tests import measure
from arena.stats.calibrate import Rate, measured_rate

__all__ = ["GateRates", "gate_rates"]

REPLICATES = 3
CANDIDATES = 10
"""Candidates that meet each baseline, so that baselines can be told apart."""


@dataclass(frozen=True)
class GateRates:
    """Error rates of the no-regression gate, and its length beside that of a fixed test."""

    unchanged_fails: Rate
    worse_passes: Rate
    mean_deals: float
    fixed_deals: int
    worst_decile: float
    """How often an unchanged agent fails among the tenth of baselines where it fails most."""


def gate_rates(
    values: NDArray[np.float64], worse_by: float, seed: int, reps: int, alpha: float = 0.05
) -> GateRates:
    """Judge candidates against baselines, all drawn from a table of seed × deal values.

    Each baseline is the mean over other seeds, deal by deal; the deals are resampled with each
    repetition, so that it is a gate on other deals. A worse candidate has `worse_by` points less.
    """
    test = TestFile(worse_by=worse_by, alpha=alpha, beta=alpha)
    rng = np.random.default_rng(seed)
    seeds, deals = values.shape
    baselines = math.ceil(reps / CANDIDATES)
    failed = np.zeros((baselines, CANDIDATES), dtype=bool)
    passed = np.zeros((baselines, CANDIDATES), dtype=bool)
    lengths, spreads = [], []
    for i in range(baselines):
        order = rng.permutation(seeds)
        on = rng.integers(0, deals, deals)
        baseline = values[order[:REPLICATES]][:, on].mean(axis=0)
        for j in range(CANDIDATES):
            candidate = values[rng.choice(order[REPLICATES:])][on]
            difference = candidate - baseline
            spreads.append(difference.std(ddof=1))
            same = measure(difference, test, complete=True)
            worse = measure(difference - worse_by, test, complete=True)
            failed[i, j] = same.answer != "pass"
            passed[i, j] = worse.answer != "regression"
            lengths += [same.deals, worse.deals]
    z = 2 * float(special.ndtri(1 - alpha))
    by_baseline = np.sort(failed.mean(axis=1))[::-1]
    return GateRates(
        measured_rate("unchanged fails", int(failed.sum()), failed.size),
        measured_rate("worse passes", int(passed.sum()), passed.size),
        float(np.mean(lengths)),
        math.ceil((z * float(np.mean(spreads)) / worse_by) ** 2),
        float(by_baseline[: max(1, baselines // 10)].mean()),
    )

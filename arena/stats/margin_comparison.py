"""Everything about two agents on the same deals, in one result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from arena.stats.bootstrap import BootstrapInterval, bca_mean
from arena.stats.paired import (
    EffectSize,
    MeanDifference,
    TestResult,
    effect_size,
    mean_difference,
    paired_t,
    sign_flip,
    wilcoxon_signed_rank,
)
from arena.stats.sample import generator
from arena.stats.shares import DealOutcomes, deal_outcomes


@dataclass(frozen=True)
class MarginComparison:
    """A against B: the mean margin first, then every other view of the same deals."""

    difference: MeanDifference
    t: TestResult
    wilcoxon: TestResult
    sign_flip: TestResult
    bootstrap: BootstrapInterval
    effect: EffectSize
    outcomes: DealOutcomes

    @property
    def mean(self) -> float | None:
        return self.difference.mean

    @property
    def low(self) -> float | None:
        return self.difference.low

    @property
    def high(self) -> float | None:
        return self.difference.high

    @property
    def p(self) -> float | None:
        return self.t.p

    @property
    def n(self) -> int:
        return self.difference.n

    @property
    def note(self) -> str:
        return self.difference.note


def compare_margins(
    margins: ArrayLike,
    seed: int | np.random.Generator,
    confidence: float = 0.95,
    resamples: int = 9_999,
) -> MarginComparison:
    """Compare two agents on the same deals, one margin per deal (seatings averaged).

    The headline is `mean_difference` with the paired t-test; the rest are checks that ask less of
    the margins' shape. They are views of one question, not seven tests to choose from.
    """
    rng = generator(seed)
    return MarginComparison(
        mean_difference(margins, confidence),
        paired_t(margins),
        wilcoxon_signed_rank(margins),
        sign_flip(margins, rng, resamples),
        bca_mean(margins, rng, confidence, resamples),
        effect_size(margins, confidence),
        deal_outcomes(margins, confidence),
    )

"""Statistics for tournaments on duplicate deals: arrays in, small frozen results out.

The deal is the unit of replication. Input comes in three shapes:

- margins: a 1-D array with one value per deal, the mean over its seatings of (points of A minus
  points of B); NaN marks a forfeited deal, which is left out and counted;
- counts: [L, D, W] over games or [LL, LD, LW+DD, DW, WW] over the two seatings of a deal;
- `PairResults`: one row per pair of agents and deal, for ratings and all pairs.

A value that does not exist (no variance, too few deals, a perfect score) is None, and `note` says
why in a sentence. Impossible requests raise `StatsError`. Everything random takes an explicit
seed or generator. Nothing here knows the rest of the package. Measured error rates and coverages
are in docs/statistics.md; `calibrate` measures them again.
"""

from arena.stats.bootstrap import BootstrapInterval, bca, bca_mean
from arena.stats.bradley_terry import StrengthFit, bradley_terry, plackett_luce
from arena.stats.calibrate import (
    FieldModel,
    MarginModel,
    PageRates,
    Rate,
    SprtRates,
    coverage,
    false_positives,
    familywise_error,
    page_errors,
    rating_coverage,
    resampler,
    sequence_misses,
    sprt_rates,
    stopped_coverage,
)
from arena.stats.elo import (
    EloEstimate,
    bayeselo_of_probabilities,
    bayeselo_probabilities,
    bayeselo_to_elo,
    elo_from_counts,
    elo_of_score,
    expected_score,
)
from arena.stats.errors import StatsError
from arena.stats.field_plan import ContrastPlan, FieldPlan, field_plan
from arena.stats.joint import (
    AdditiveFit,
    Contrast,
    JointComparison,
    RankRange,
    joint_comparison,
)
from arena.stats.letters import compact_letters
from arena.stats.margin_comparison import MarginComparison, compare_margins
from arena.stats.multiple import (
    AllPairs,
    FriedmanNemenyi,
    PairComparison,
    adjust_p,
    all_pairs,
    friedman_nemenyi,
)
from arena.stats.pair_results import PairResults
from arena.stats.paired import (
    EffectSize,
    Equivalence,
    MeanDifference,
    TestResult,
    effect_size,
    equivalence,
    mean_difference,
    paired_t,
    sign_flip,
    wilcoxon_signed_rank,
)
from arena.stats.power import (
    DealsNeeded,
    EloPlan,
    PilotSd,
    PowerCurve,
    SequentialPlan,
    SequentialPoint,
    deals_for_t_test,
    detectable,
    elo_plan,
    pilot_sd,
    power_curve,
    sequential_plan,
    sequential_point,
    t_test_power,
)
from arena.stats.published import GamesOfRounds, Unpaired, games_of_rounds, unpaired
from arena.stats.ratings import Anchor, Bootstrap, Rating, Ratings, elo_rating, score_rating
from arena.stats.saving import DuplicateSaving, duplicate_saving, pairing_saving
from arena.stats.sequential.confidence_sequence import ConfidenceSequence, confidence_sequence
from arena.stats.sequential.likelihood import (
    llr_bayeselo,
    llr_counts,
    llr_points,
    llr_tvalue,
    llr_tvalue_exact,
)
from arena.stats.sequential.sprt import (
    SprtDesign,
    SprtResult,
    sprt_counts,
    sprt_points,
    sprt_tvalue,
)
from arena.stats.sequential.stopping import (
    StoppedEstimate,
    elo_after_stopping,
    estimate_after_stopping,
)
from arena.stats.shares import (
    DealOutcomes,
    PointShare,
    WinShare,
    deal_outcomes,
    share_of_points,
    share_of_wins,
)
from arena.stats.transitivity import Cycles, significant_cycles

__all__ = [
    "AdditiveFit",
    "AllPairs",
    "Anchor",
    "Bootstrap",
    "BootstrapInterval",
    "ConfidenceSequence",
    "Contrast",
    "ContrastPlan",
    "Cycles",
    "DealOutcomes",
    "DealsNeeded",
    "DuplicateSaving",
    "EffectSize",
    "EloEstimate",
    "EloPlan",
    "Equivalence",
    "FieldModel",
    "FieldPlan",
    "FriedmanNemenyi",
    "GamesOfRounds",
    "JointComparison",
    "MarginComparison",
    "MarginModel",
    "MeanDifference",
    "PageRates",
    "PairComparison",
    "PairResults",
    "PilotSd",
    "PointShare",
    "PowerCurve",
    "RankRange",
    "Rate",
    "Rating",
    "Ratings",
    "SequentialPlan",
    "SequentialPoint",
    "SprtDesign",
    "SprtRates",
    "SprtResult",
    "StatsError",
    "StoppedEstimate",
    "StrengthFit",
    "TestResult",
    "Unpaired",
    "WinShare",
    "adjust_p",
    "all_pairs",
    "bayeselo_of_probabilities",
    "bayeselo_probabilities",
    "bayeselo_to_elo",
    "bca",
    "bca_mean",
    "bradley_terry",
    "compact_letters",
    "compare_margins",
    "confidence_sequence",
    "coverage",
    "deal_outcomes",
    "deals_for_t_test",
    "detectable",
    "duplicate_saving",
    "effect_size",
    "elo_after_stopping",
    "elo_from_counts",
    "elo_of_score",
    "elo_plan",
    "elo_rating",
    "equivalence",
    "estimate_after_stopping",
    "expected_score",
    "false_positives",
    "familywise_error",
    "field_plan",
    "friedman_nemenyi",
    "games_of_rounds",
    "joint_comparison",
    "llr_bayeselo",
    "llr_counts",
    "llr_points",
    "llr_tvalue",
    "llr_tvalue_exact",
    "mean_difference",
    "page_errors",
    "paired_t",
    "pairing_saving",
    "pilot_sd",
    "plackett_luce",
    "power_curve",
    "rating_coverage",
    "resampler",
    "score_rating",
    "sequence_misses",
    "sequential_plan",
    "sequential_point",
    "share_of_points",
    "share_of_wins",
    "sign_flip",
    "significant_cycles",
    "sprt_counts",
    "sprt_points",
    "sprt_rates",
    "sprt_tvalue",
    "stopped_coverage",
    "t_test_power",
    "unpaired",
    "wilcoxon_signed_rank",
]

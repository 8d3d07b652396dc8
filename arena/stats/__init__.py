"""Statistics for tournaments on duplicate deals: arrays in, small frozen results out.

The deal is the unit of replication. Input comes in three shapes:

- margins: a 1-D array with one value per deal, the mean over its seatings of (points of A minus
  points of B); NaN marks a forfeited deal, which is left out and counted;
- counts: [L, D, W] over games or [LL, LD, LW+DD, DW, WW] over the two seatings of a deal;
- `PairResults`: one row per pair of agents and deal, for ratings and comparisons of a field.

A value that does not exist (no variance, too few deals, a perfect score) is None, and `note` says
why in a sentence. Impossible requests raise `StatsError`. Everything random takes an explicit
seed or generator. Nothing here knows the rest of the package. Measured error rates and coverages
are in docs/statistics.md; `calibrate` measures them again.
"""

from arena.stats.bootstrap import bca_mean
from arena.stats.elo import EloEstimate, elo_from_counts
from arena.stats.errors import StatsError
from arena.stats.field_planning import FieldPlan, field_plan, pilot_sequence
from arena.stats.joint import Contrast, JointComparison, joint_comparison
from arena.stats.margin_comparison import MarginComparison, compare_margins
from arena.stats.multiple import adjust_p
from arena.stats.pair_results import PairResults
from arena.stats.paired import (
    Equivalence,
    MeanDifference,
    Prediction,
    TestResult,
    equivalence,
    mean_difference,
    paired_t,
    predict_mean,
    sign_flip,
    wilcoxon_signed_rank,
)
from arena.stats.power import (
    SequentialPlan,
    deals_for_t_test,
    detectable,
    elo_plan,
    pilot_sd,
    sequential_plan,
)
from arena.stats.published import GamesOfRounds, Unpaired, games_of_rounds, unpaired
from arena.stats.ratings import Anchor, Bootstrap, Rating, Ratings, elo_rating, score_rating
from arena.stats.saving import DuplicateSaving, duplicate_saving
from arena.stats.sequential.confidence_sequence import confidence_sequence
from arena.stats.sequential.likelihood import llr_counts
from arena.stats.sequential.sprt import SprtDesign, sprt_counts, sprt_points
from arena.stats.sequential.stopping import elo_after_stopping, estimate_after_stopping
from arena.stats.shares import (
    DealOutcomes,
    Share,
    deal_outcomes,
    share_of_points,
    share_of_wins,
)

__all__ = [
    "Anchor",
    "Bootstrap",
    "Contrast",
    "DealOutcomes",
    "DuplicateSaving",
    "EloEstimate",
    "Equivalence",
    "FieldPlan",
    "GamesOfRounds",
    "JointComparison",
    "MarginComparison",
    "MeanDifference",
    "PairResults",
    "Prediction",
    "Rating",
    "Ratings",
    "SequentialPlan",
    "Share",
    "SprtDesign",
    "StatsError",
    "TestResult",
    "Unpaired",
    "adjust_p",
    "bca_mean",
    "compare_margins",
    "confidence_sequence",
    "deal_outcomes",
    "deals_for_t_test",
    "detectable",
    "duplicate_saving",
    "elo_after_stopping",
    "elo_from_counts",
    "elo_plan",
    "elo_rating",
    "equivalence",
    "estimate_after_stopping",
    "field_plan",
    "games_of_rounds",
    "joint_comparison",
    "llr_counts",
    "mean_difference",
    "paired_t",
    "pilot_sd",
    "pilot_sequence",
    "predict_mean",
    "score_rating",
    "sequential_plan",
    "share_of_points",
    "share_of_wins",
    "sign_flip",
    "sprt_counts",
    "sprt_points",
    "unpaired",
    "wilcoxon_signed_rank",
]

"""From the stored rounds of a run to results of `arena.stats`.

`results` reads and pools runs; `comparison` compares two agents, `standings` all of them;
`points_breakdown`, `distributions`, `swings` and `sweeps` show where the points came from;
`references` compares with published values, `changes` compares two runs. The commands and the
report start here; neither computes a statistic of its own.
"""

from arena.analysis.changes import AgentChange, Changes, find_changes
from arena.analysis.comparison import (
    Comparison,
    IndirectComparison,
    compare_agents,
    compare_through,
)
from arena.analysis.distributions import Distribution, margin_distributions
from arena.analysis.estimates import Estimate
from arena.analysis.points_breakdown import PointsBreakdown, break_down_points
from arena.analysis.references import ReferenceCheck, check_references
from arena.analysis.results import Meeting, Results, check_no_race, check_not_stopped, read
from arena.analysis.standings import (
    AgentStanding,
    PairStanding,
    RatingOptions,
    Standings,
    make_standings,
    without_forfeits,
)
from arena.analysis.sweeps import Sweep, find_sweeps
from arena.analysis.swings import Swing, largest_swings
from arena.stats.power import POWER

__all__ = [
    "POWER",
    "AgentChange",
    "AgentStanding",
    "Changes",
    "Comparison",
    "Distribution",
    "Estimate",
    "IndirectComparison",
    "Meeting",
    "PairStanding",
    "PointsBreakdown",
    "RatingOptions",
    "ReferenceCheck",
    "Results",
    "Standings",
    "Sweep",
    "Swing",
    "break_down_points",
    "check_no_race",
    "check_not_stopped",
    "check_references",
    "compare_agents",
    "compare_through",
    "find_changes",
    "find_sweeps",
    "largest_swings",
    "make_standings",
    "margin_distributions",
    "read",
    "without_forfeits",
]

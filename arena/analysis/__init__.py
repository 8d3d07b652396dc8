"""From the stored rounds of a run to results of `arena.stats`.

`results` reads and pools runs, `compare` and `standings` ask the statistics about two and
about many agents, `makeup`, `distributions`, `swings` and `sweeps` say where the points came
from, `references` sets published values beside ours, `changes` tells two runs apart. The
commands and the report both start here; neither computes a statistic of its own.
"""

from arena.analysis.changes import AgentChange, Changes, find_changes
from arena.analysis.compare import (
    Comparison,
    IndirectComparison,
    compare,
    compare_through,
)
from arena.analysis.distributions import Distribution, distributions
from arena.analysis.estimates import Estimate
from arena.analysis.makeup import Makeup, make_up
from arena.analysis.references import ReferenceCheck, check_references
from arena.analysis.results import Meeting, Results, read
from arena.analysis.standings import RatingOptions, Standings, standings, without_forfeits
from arena.analysis.sweeps import Sweep, find_sweeps
from arena.analysis.swings import Swing, largest_swings
from arena.stats.power import POWER

__all__ = [
    "POWER",
    "AgentChange",
    "Changes",
    "Comparison",
    "Distribution",
    "Estimate",
    "IndirectComparison",
    "Makeup",
    "Meeting",
    "RatingOptions",
    "ReferenceCheck",
    "Results",
    "Standings",
    "Sweep",
    "Swing",
    "check_references",
    "compare",
    "compare_through",
    "distributions",
    "find_changes",
    "find_sweeps",
    "largest_swings",
    "make_up",
    "read",
    "standings",
    "without_forfeits",
]

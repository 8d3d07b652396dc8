"""How long reports and tables of large runs take, and how much memory.

| key | what | target |
|---|---|---|
| `report_20_agents_cpu_s` | `arena report`, 20 agents × 300 deals (114,000 rounds) | ≤ 5 |
| `compare_10000_cpu_s` | `arena compare` of two agents on 10,000 deals | ≤ 2 |
| `ratings_cpu_s` | `arena ratings` of 1,000,000 rounds (11 agents) | ≤ 8 |
| `ratings_mib` | its peak memory | |
| `ratings_tenth_mib` | the same with a tenth of the rounds: memory should not grow tenfold | |

In CPU seconds, the least of some turns. The runs are made up (`arena.measure.made_runs`): a
pair plays, the others get its scores.
"""

from __future__ import annotations

import sys
from pathlib import Path

from arena.core.temporary import temporary_folder
from arena.measure.bench import cost_of, cpu_of_arena
from arena.measure.made_runs import make_run, random_field

_FIELD = 11
_PEAK = """\
import sys
from arena.cli import main
from arena.measure.bench import peak_mib
code = main(["ratings", sys.argv[1]])
print(peak_mib())
sys.exit(code)
"""


def measure(
    agents: int = 20,
    deals: int = 300,
    compared_deals: int = 10_000,
    rounds: int = 1_000_000,
    repeats: int = 3,
) -> dict[str, float]:
    """All figures: of a report, a comparison, and the ratings of so many rounds."""
    with temporary_folder() as folder:
        reported, compared = folder / "reported", folder / "compared"
        make_run(reported, random_field(agents, deals))
        make_run(compared, random_field(2, compared_deals))
        compare = ("compare", compared, "random-00", "random-01")
        figures = {
            "report_20_agents_cpu_s": cpu_of_arena(("report", reported), repeats),
            "compare_10000_cpu_s": cpu_of_arena(compare, repeats),
        }
        tenth, _ = _ratings(folder / "tenth", rounds // 10)
        mib, cpu_s = _ratings(folder / "rated", rounds)
    return figures | {"ratings_cpu_s": cpu_s, "ratings_mib": mib, "ratings_tenth_mib": tenth}


def _ratings(folder: Path, rounds: int) -> tuple[float, float]:
    """Peak memory in MiB and CPU seconds of `arena ratings`."""
    make_run(folder, random_field(_FIELD, max(2, rounds // (_FIELD * (_FIELD - 1)))))
    cost = cost_of([sys.executable, "-c", _PEAK, str(folder)])
    return float(cost.output.splitlines()[-1]), cost.cpu_s

"""Stored results of published experiments, from which tables of the documentation are made.

`python docs/results.py RUN ...` reads run folders into `docs/research/results.json`, and
`python docs/generated.py` then writes the tables again.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from arena.analysis.comparison import compare_agents
from arena.analysis.estimates import Estimate
from arena.analysis.references import check_references
from arena.analysis.results import read
from arena.report import sentences
from arena.store import Run

FILE = Path(__file__).parent / "research" / "results.json"


def summary(run: Run) -> dict[str, Any]:
    """Every pair in the units that publications use, and the published values next to ours."""
    results, references = read([run]), run.manifest.references
    checks = check_references(results, references)
    pairs = [compare_agents(results, pair.first, pair.second) for pair in results.pairs]
    return {
        "unit": results.unit,
        "seatings": len(run.seatings),
        "agreement": sentences.published(checks) if checks else "",
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "n": pair.statistics.difference.n,
                "margin": _values(Estimate.of(pair.statistics.difference)),
                "best_side": _values(pair.best_side),
                "share": _values(pair.share and Estimate.of(pair.share)),
            }
            for pair in pairs
        ],
        "published": [
            {
                "about": check.about,
                "label": check.label,
                "unit": check.unit,
                "is_share": check.is_share,
                "value": check.value,
                "ours": _values(check.ours),
                "z": None if check.z is None else round(check.z, 2),
            }
            for check in checks
        ],
    }


def _values(estimate: Estimate | None) -> list[float | None] | None:
    """Value and both ends of the interval."""
    if estimate is None:
        return None
    values = (estimate.value, estimate.low, estimate.high)
    return [None if value is None else round(value, 4) for value in values]


if __name__ == "__main__":
    stored = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    for folder in sys.argv[1:]:
        with Run(Path(folder)) as opened:
            stored[opened.name] = summary(opened)
    lines = [f'"{name}": {json.dumps(stored[name], ensure_ascii=False)}' for name in sorted(stored)]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")

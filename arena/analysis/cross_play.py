"""How agents do with partners other than themselves.

In a cross-play run A with a partner X plays B with the same partner, so the margin is that of A
over B. Deals are the unit, as everywhere.
"""

from __future__ import annotations

from arena.analysis.estimates import Estimate, mean_by_unit
from arena.analysis.results import Results
from arena.store import Run


def with_other_partners(run: Run, results: Results) -> dict[str, Estimate]:
    """By agent: its mean margin in teams with others, against teams with the same partner."""
    members = {name: used.members for name, used in run.manifest.entrants.items()}
    alone = [(name, specs[0]) for name, specs in members.items() if len(specs) == 1]
    units: dict[str, list[int]] = {}
    margins: dict[str, list[float]] = {}
    place: dict[str, int] = {}
    for pair in results.pairs:
        for seen in (pair, pair.reversed()):
            mine, theirs = members[seen.first], members[seen.second]
            if len(mine) != 2 or mine[-1] != theirs[-1]:
                continue
            name = next((name for name, spec in alone if spec == mine[0]), seen.first)
            places = (place.setdefault(unit, len(place)) for unit in seen.units)
            units.setdefault(name, []).extend(places)
            margins.setdefault(name, []).extend(seen.margins.tolist())
    return {name: mean_by_unit(units[name], margins[name]) for name in margins}

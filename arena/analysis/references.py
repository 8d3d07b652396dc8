"""Comparison of published values with this run's."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from arena.analysis.comparison import best_side_rate, point_share, win_rate
from arena.analysis.estimates import Estimate
from arena.analysis.results import Meeting, Results
from arena.config.models import Reference
from arena.stats import mean_difference


@dataclass(frozen=True)
class ReferenceCheck:
    """A published value, ours in the same unit, and their distance in standard errors."""

    label: str
    about: str
    unit: str
    value: float
    se: float | None
    n: int | None
    ours: Estimate | None
    z: float | None
    """(ours - published) / √(se² of ours + se² of the published value)."""
    note: str = ""

    @property
    def is_share(self) -> bool:
        """Whether the values are shares, between 0 and 1."""
        return "rate" in self.unit or "share" in self.unit


def check_references(results: Results, references: Sequence[Reference]) -> list[ReferenceCheck]:
    """Our value for every published one that the configuration names."""
    return [_check(results, reference) for reference in references]


def _check(results: Results, reference: Reference) -> ReferenceCheck:
    pair, value, se = reference.pair, reference.value, reference.se
    unit = reference.unit or ("margin" if pair else "points")
    ours, note = _ours(results, unit, pair, reference.agent)
    z = None
    if ours is not None and ours.value is not None and ours.se is not None:
        spread = math.hypot(ours.se, se or 0.0)
        z = (ours.value - value) / spread if spread else None
        if se is None:
            note = "the published value has no standard error: z counts ours alone"
    about = f"{pair[0]} against {pair[1]}" if pair else str(reference.agent)
    return ReferenceCheck(reference.label, about, unit, value, se, reference.n, ours, z, note)


def _ours(
    results: Results, unit: str, pair: Sequence[str] | None, agent: str | None
) -> tuple[Estimate | None, str]:
    what = next((key for key in _UNITS if key in unit.lower()), None)
    if what is None:
        known = ", ".join(_UNITS)
        return None, f"no value of ours in the unit {unit!r} (known: {known})"
    if pair is not None:
        meeting = results.pair(pair[0], pair[1])
        return _UNITS[what](meeting), ""
    name = str(agent)
    results.check_agent(name)
    meetings = list(results.of(name))
    if len(meetings) == 1:
        return _UNITS[what](meetings[0]), ""
    if what not in _BY_UNIT:
        return None, f"{unit}: that is between two agents; name a pair"
    values = results.by_unit(name, _BY_UNIT[what])
    return Estimate.of(mean_difference(values)), ""


def _share_of(pair: Meeting) -> Estimate | None:
    found = point_share(pair)
    return None if found is None else Estimate.of(found)


_BY_UNIT: dict[str, Callable[[Meeting], Any]] = {
    "win rate": lambda pair: pair.won,
    "margin": lambda pair: pair.margins,
    "points": lambda pair: pair.scores[:, 0],
}
# The order matters: "share of points" is a share, not points.
_UNITS: dict[str, Callable[[Meeting], Estimate | None]] = {
    "best side": best_side_rate,
    "win rate": win_rate,
    "share": _share_of,
    "margin": lambda pair: Estimate.of(mean_difference(pair.margins)),
    "points": lambda pair: Estimate.of(mean_difference(pair.scores[:, 0])),
}

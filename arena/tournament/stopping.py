"""When enough has been played: pairings that go on only until a sequential test decides.

A rule is asked again and again how many units it wants of each pairing, and is given the games
of those that it wanted before, in the order of the schedule. So what is played depends on results
only, never on timing: the decision and the deals it rests on are the same whatever the number of
workers, and after a kill.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError

from arena.config.models import Stop
from arena.config.strict import first_mistake
from arena.core.errors import ArenaError
from arena.core.files import read_bytes, write_atomically
from arena.core.scoring import Game, unit_margin

if TYPE_CHECKING:
    from arena.stats import SprtDesign

T = TypeVar("T")

PILOT = 64
"""Units before the first look; they count in the test like all others."""
_GROWTH = 1.25
_POINTS_SHOWN = 400


Played: TypeAlias = Sequence[Sequence[Sequence[Game]]]
"""By pairing and unit, in the order of the schedule: a game for each seating."""


class StopRule(Protocol):
    """Says how much is wanted."""

    def wanted(self, played: Played) -> Sequence[int]:
        """Units wanted of each pairing, given the games of those wanted before."""

    def words(self) -> Sequence[str]:
        """Where each test stands, a line each."""


def more(count: int) -> int:
    """How many units to have after `count` did not decide: a quarter more, so little is wasted."""
    return max(PILOT, math.ceil(count * _GROWTH))


@dataclass(frozen=True)
class SequentialTrace:
    """A sequential test on margins in their order: where it stopped, and what it found.

    The estimate is the median-unbiased one, with its interval: it knows that the test stopped.
    """

    decision: str
    """`H1`, `H0` or `continue`."""
    n: int
    """Units that the decision rests on."""
    estimate: float | None
    low: float | None
    high: float | None
    ratio: float | None = None
    """Log likelihood ratio; None for a test on a fixed number of units."""
    lower: float | None = None
    """Bounds between which the test goes on."""
    upper: float | None = None
    path: tuple[tuple[int, float], ...] = ()
    """The ratio after so many units; thinned if there are many."""
    note: str = ""
    left: int | None = None
    """Units still expected, were the mean what it seems; None if decided or not known."""


def design_of(stop: Stop, margins: Any, first_h1: int = 0, extreme: float = 0.0) -> SprtDesign:
    """The sequential test; `SprtDesign.extreme` is the largest margin of the pilot, or more."""
    import numpy as np

    from arena.stats import SprtDesign

    pilot = np.abs(np.asarray(margins, dtype=np.float64)[:PILOT])
    extreme = float(np.nanmax(pilot, initial=extreme))
    return SprtDesign(stop.h0, stop.h1, stop.alpha, stop.beta, extreme=extreme, first_h1=first_h1)


def trace_of(
    margins: Any, stop: Stop, *, estimate: bool = True, first_h1: int = 0, extreme: float = 0.0
) -> SequentialTrace:
    """Judge margins in their order; without `estimate` only the decision, which is fast.

    H1 is not accepted before `first_h1` margins; margins can be as large as `extreme`.
    """
    import numpy as np

    from arena.stats import estimate_after_stopping, sprt_points
    from arena.stats.sequential.sprt import points_path

    values = np.asarray(margins, dtype=np.float64)
    design = design_of(stop, values, first_h1, extreme)
    found = sprt_points(values, design)
    used = values[: found.n]
    path = points_path(used, design) if found.n else used
    after = estimate_after_stopping(values, design) if estimate else None
    left = None
    if found.decision == "continue" and found.n > 1 and float(np.ptp(used)) > 0:
        left = _expected(used, design, found.llr or 0.0, found.lower, found.upper)
    return SequentialTrace(
        found.decision,
        found.n,
        None if after is None else after.estimate,
        None if after is None else after.low,
        None if after is None else after.high,
        found.llr or 0.0,
        found.lower,
        found.upper,
        thinned(path),
        found.note if after is None else after.note or found.note,
        left,
    )


def thinned(path: Any) -> tuple[tuple[int, float], ...]:
    """Some points of a path of likelihood ratios, the last one included, with their numbers."""
    step = max(1, math.ceil(len(path) / _POINTS_SHOWN))
    kept = sorted({*range(step - 1, len(path), step), len(path) - 1} - {-1})
    return tuple((i + 1, round(float(path[i]), 4)) for i in kept)


def _expected(used: Any, design: SprtDesign, ratio: float, lower: float, upper: float) -> int:
    """Units until a bound, for a motion that goes on as it did."""
    from arena.stats.sequential.brownian import Motion

    largest = max(design.extreme or 0.0, float(abs(used).max()))
    variance = float(used.var()) + 2 * largest**2 / len(used)
    gap = design.h1 - design.h0
    drift = (float(used.mean()) - (design.h0 + design.h1) / 2) * gap / variance
    low, high = min(lower - ratio, -1e-9), max(upper - ratio, 1e-9)
    left = math.ceil(Motion(low, high, drift, gap * gap / variance).expected_time())
    return max(1, left, design.first_h1 - len(used) if ratio > 0 else 1)


@dataclass(frozen=True)
class PairTrace:
    """The test of one pairing."""

    first: str
    second: str
    trace: SequentialTrace


_TRACES = "stopping.json"


def write_traces(folder: Path, traces: Sequence[PairTrace]) -> None:
    """Keep the traces of a run in its folder."""
    text = json.dumps([asdict(trace) for trace in traces], allow_nan=False)
    write_atomically(folder / _TRACES, f"{text}\n")


def read_traces(folder: Path) -> list[PairTrace]:
    """The traces of a run that has stopped; none if it goes on."""
    return read_kept(folder / _TRACES, list[PairTrace]) or []


def read_kept(path: Path, kind: type[T]) -> T | None:
    """A stored record of how a run stopped; None if it goes on."""
    if not path.is_file():
        return None
    try:
        return TypeAdapter(kind).validate_json(read_bytes(path))
    except ValidationError as error:
        why = first_mistake(error)
        raise ArenaError(f"{path}: cannot be read: {why}; 'arena run' makes it again") from error


class EachPairing:
    """Every pairing by itself, until its test decides or its units are used up."""

    def __init__(self, stop: Stop, pairings: Sequence[tuple[str, str]]) -> None:
        self._stop, self._pairings = stop, pairings
        self._traces: list[SequentialTrace | None] = [None] * len(pairings)

    def wanted(self, played: Played) -> Sequence[int]:
        """A quarter more wherever the test has not decided."""
        self._traces = [
            trace_of([unit_margin(games) for games in units], self._stop, estimate=False)
            if units
            else None
            for units in played
        ]
        return [
            more(len(units)) if trace is None or trace.decision == "continue" else len(units)
            for units, trace in zip(played, self._traces, strict=True)
        ]

    def words(self) -> Sequence[str]:
        """A line for each pairing."""
        return [
            f"{first} - {second}: {standing(trace)}"
            for (first, second), trace in zip(self._pairings, self._traces, strict=True)
            if trace is not None
        ]


def standing(trace: SequentialTrace) -> str:
    """Where a test stands, in a few words."""
    text = f"{trace.n:,} deals"
    if trace.ratio is not None and trace.lower is not None and trace.upper is not None:
        text += (
            f", likelihood ratio {trace.ratio:+.2f} between {trace.lower:.2f} and {trace.upper:.2f}"
        )
    if trace.decision != "continue":
        return f"{text}, decided: {trace.decision}"
    return text if trace.left is None else f"{text}, about {trace.left:,} left"

"""The numbers of the page as JSON, made on request."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

from arena.core.errors import ArenaError
from arena.report.labels import short_labels
from arena.store import Run
from arena.tournament.fault_lines import fault_line
from arena.tournament.tally import RateMeter, RunningMargin, Tally

_FAULTS_SHOWN = 5


def state(name: str, unit: str, tally: Tally | None, pace: RateMeter, path: Path) -> dict[str, Any]:
    """All numbers of the page."""
    if tally is None:
        tally = Tally((), 0)
    pairs = [] if tally.sequential else [tally.pair(n) for n in range(len(tally.pairings))]
    done, total, rate = tally.done, tally.total, pace.rate
    return {
        "name": name,
        "unit": unit,
        "labels": short_labels(list(dict.fromkeys(chain.from_iterable(tally.pairings)))),
        "done": done,
        "total": total,
        "per_second": rate,
        "seconds_left": (total - done) / rate if rate else None,
        "agents": _agents(tally, pairs),
        "pairs": [
            {"first": first, "second": second, **_numbers(margin)}
            for (first, second), margin in zip(tally.pairings, pairs, strict=False)
        ],
        "sequential": tally.sequential,
        "tests": list(tally.tests),
        "faults": tally.faults,
        "first_faults": _faults(path) if tally.faults else [],
    }


def _agents(tally: Tally, pairs: list[RunningMargin]) -> list[dict[str, Any]]:
    """The mean margin of each agent over its opponents, the best one first.

    All pairings share the deals, so their means are not independent. The standard error of a
    mean is never more than the mean of the standard errors: the interval is a cautious one.
    """
    met: dict[str, list[tuple[float, RunningMargin]]] = {}
    for (first, second), margin in zip(tally.pairings, pairs, strict=False):
        if margin.units:
            met.setdefault(first, []).append((margin.mean, margin))
            met.setdefault(second, []).append((-margin.mean, margin))
    rows = []
    for name, played in met.items():
        units = sum(margin.units for _, margin in played)
        reaches = [margin.reach for _, margin in played]
        known = [reach for reach in reaches if reach is not None]
        mean = RunningMargin(
            units,
            sum(mean * margin.units for mean, margin in played) / units,
            sum(known) / len(known) if len(known) == len(reaches) else None,
        )
        rows.append({"agent": name, **_numbers(mean)})
    return sorted(rows, key=lambda row: (-row["mean"], row["agent"]))


def _numbers(margin: RunningMargin) -> dict[str, Any]:
    return {"units": margin.units, "mean": margin.mean, "reach": margin.reach}


def _faults(path: Path) -> list[str]:
    try:
        with Run(path) as run:
            seed, is_match = run.manifest.seed, run.is_match
            faults = run.faults()[:_FAULTS_SHOWN]
            return [fault_line(fault, p[:2], path, seed, is_match) for p, fault in faults]
    except ArenaError:
        return []  # nothing is written yet

"""Ratings of everybody on a board, after each of its runs.

Whatever is computed is kept in a file, under the runs it rests on. So when a run is added,
only the ratings after that run are new, and when nothing is, nothing is computed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.analysis import Results, standings
from arena.analysis.results import read_as
from arena.board.runs import Names, key_of, setups
from arena.core.files import write_atomically
from arena.report.words import options
from arena.store import Run

FORMAT = 1


@dataclass(frozen=True)
class Entry:
    """An agent at one time."""

    fingerprint: str
    rank: int
    rank_best: int
    rank_worst: int
    letters: str
    rating: float | None
    """Points per deal above the field."""
    low: float | None
    high: float | None
    elo: float | None
    win_rate: float | None
    units: int


@dataclass(frozen=True)
class Moment:
    """What was known after a run: everybody who could be compared, the best one first."""

    run: str
    time: str
    fields: tuple[tuple[Entry, ...], ...]
    """Agents that are connected by who met whom; those of different fields cannot be compared."""
    notes: tuple[str, ...]

    def entry(self, fingerprint: str) -> Entry | None:
        """An agent, if it had played by then."""
        return next(
            (e for field in self.fields for e in field if e.fingerprint == fingerprint), None
        )


@dataclass(frozen=True)
class Board:
    """All runs of one game under the same rules and on the same deals."""

    title: str
    rules: str
    deals: str
    unit: str
    runs: tuple[str, ...]
    names: Names
    history: tuple[Moment, ...]
    """After each run, the earliest first."""

    @property
    def slug(self) -> str:
        """What its page is called."""
        told = f"{self.title} {self.rules} {self.deals} {self.unit}"
        return f"{self.title}-{hashlib.sha256(told.encode()).hexdigest()[:8]}"

    @property
    def units(self) -> str:
        """What was played, more than one of it."""
        return {"deal": "deals", "match": "matches"}[self.unit]

    @property
    def notes(self) -> list[str]:
        """What is to be said about the ratings, with names."""
        return [self.names.readable(note) for note in self.now.notes]

    @property
    def now(self) -> Moment:
        """What is known now."""
        return self.history[-1]


def boards(runs: Sequence[Run], kept: Path | None = None) -> list[Board]:
    """The boards that runs make; `kept` is a file with what was computed before."""
    stored = _read(kept)
    before, after = dict(stored), dict[str, Any]()
    found = [board for group in setups(runs) for board in [_board(group, before, after)] if board]
    if kept is not None and after != stored:
        text = json.dumps({"format": FORMAT, "moments": after}, sort_keys=True)
        write_atomically(kept, text)
    return found


def _board(runs: list[Run], before: dict[str, Any], after: dict[str, Any]) -> Board | None:
    """One board; moments are taken from `before` or computed, and put into `after`."""
    names = Names(runs)
    history: list[Moment] = []
    digest = hashlib.sha256()
    for number, run in enumerate(runs, start=1):
        digest.update(key_of(run).encode())
        key = digest.hexdigest()
        if key not in before:
            before[key] = _plain(_moment(runs[:number], names))
        after[key] = before[key]
        moment = _moment_of(before[key])
        if moment.fields:
            history.append(moment)
    if not history:
        return None
    manifest = runs[-1].manifest
    return Board(
        title=manifest.rules.game,
        rules=options(manifest.rules.options),
        deals=f"{manifest.deal_set} ({manifest.deals_sha256[:12]})",
        unit="match" if runs[-1].is_match else "deal",
        runs=tuple(str(run.path) for run in runs),
        names=names,
        history=tuple(history),
    )


def _moment(runs: Sequence[Run], names: Names) -> Moment:
    results = read_as(runs, names.fingerprint)
    fields: list[tuple[Entry, ...]] = []
    notes: list[str] = []
    for field in _connected(results):
        found = standings(field)
        notes += found.notes
        fields.append(
            tuple(
                Entry(
                    fingerprint=agent.agent,
                    rank=agent.rank,
                    rank_best=agent.rank_best,
                    rank_worst=agent.rank_worst,
                    letters=agent.letters,
                    rating=agent.rating.value if agent.rating else None,
                    low=agent.rating.low if agent.rating else None,
                    high=agent.rating.high if agent.rating else None,
                    elo=agent.elo.value if agent.elo else None,
                    win_rate=agent.win_rate.value,
                    units=agent.units,
                )
                for agent in found.agents
            )
        )
    last = runs[-1]
    return Moment(last.name, last.manifest.started, tuple(fields), tuple(dict.fromkeys(notes)))


def _connected(results: Results) -> Iterator[Results]:
    """The results in parts that have no agent in common, the largest one first."""
    groups: list[set[str]] = []
    for pair in results.pairs:
        met = {pair.first, pair.second}
        joined = [group for group in groups if group & met]
        groups = [group for group in groups if not group & met]
        groups.append(met.union(*joined))
    for group in sorted(groups, key=lambda group: (-len(group), sorted(group))):
        yield replace(
            results,
            agents=tuple(name for name in results.agents if name in group),
            pairs=tuple(pair for pair in results.pairs if pair.first in group),
        )


# --- kept ones ---------------------------------------------------------------------------


def _plain(moment: Moment) -> dict[str, Any]:
    fields = [[vars(entry) for entry in field] for field in moment.fields]
    return {"run": moment.run, "time": moment.time, "fields": fields, "notes": list(moment.notes)}


def _moment_of(data: dict[str, Any]) -> Moment:
    fields = tuple(tuple(Entry(**entry) for entry in field) for field in data["fields"])
    return Moment(data["run"], data["time"], fields, tuple(data["notes"]))


def _read(kept: Path | None) -> dict[str, Any]:
    """What was computed before; nothing if there is no such file, or it cannot be used."""
    try:
        data = json.loads(kept.read_bytes()) if kept is not None else {}
        if data.get("format") != FORMAT:
            return {}
        for moment in data["moments"].values():
            _moment_of(moment)
        moments: dict[str, Any] = data["moments"]
        return moments
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}

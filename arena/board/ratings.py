"""Ratings of all agents on a board, after each of its runs.

They are points ahead of one agent, the anchor: the agent that was seen first. Points above the
field would move with every agent that joins it.

Whatever is computed is kept in a file, under the runs it rests on. So when a run is added,
only the ratings after that run are new, and when nothing is, nothing is computed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

from arena.analysis.results import Results, read_as
from arena.analysis.standings import AgentStanding, RatingOptions, make_standings
from arena.board.runs import Names, key_of, setups
from arena.core.files import write_atomically
from arena.report.labels import short_labels
from arena.report.words import options
from arena.stats import Rating
from arena.store import Run

FORMAT = 3


@dataclass(frozen=True)
class Moment:
    """All agents that could be compared after a run, the best first; named by fingerprint."""

    run: str
    time: str
    played: tuple[str, ...]
    """The agents of that run: only their ratings are news."""
    anchors: tuple[str, ...]
    """For each field the agent that the others' ratings are relative to."""
    fields: tuple[tuple[AgentStanding, ...], ...]
    """Agents connected by the pairs that met; agents of different fields cannot be compared."""
    notes: tuple[str, ...]

    def standing(self, fingerprint: str) -> AgentStanding | None:
        """An agent, if it had played by then."""
        agents = (agent for field in self.fields for agent in field)
        return next((agent for agent in agents if agent.name == fingerprint), None)


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
        """The name of its page."""
        setup = f"{self.title} {self.rules} {self.deals} {self.unit}"
        return f"{self.title}-{hashlib.sha256(setup.encode()).hexdigest()[:8]}"

    @property
    def units(self) -> str:
        """The unit, in the plural."""
        return {"deal": "deals", "match": "matches"}[self.unit]

    @cached_property
    def labels(self) -> dict[str, str]:
        """Short names of the agents, by fingerprint."""
        short = short_labels(list(self.names.shown.values()))
        return {mark: short[name] for mark, name in self.names.shown.items()}

    @property
    def notes(self) -> list[str]:
        """Notes on the ratings, with the agents' names."""
        return [self.names.readable(note) for note in self.now.notes]

    def history_of(self, fingerprint: str) -> list[tuple[str, str, Rating]]:
        """Time, run and rating after each run that an agent played; others do not move it."""
        return [
            (moment.time, moment.run, agent.rating)
            for moment in self.history
            if fingerprint in moment.played
            and (agent := moment.standing(fingerprint)) is not None
            and agent.rating is not None
        ]

    def anchor(self, fingerprint: str) -> str:
        """The agent that an agent's rating is relative to."""
        fields = zip(self.now.anchors, self.now.fields, strict=True)
        return next(a for a, field in fields if any(x.name == fingerprint for x in field))

    @property
    def now(self) -> Moment:
        """The ratings after the last run."""
        return self.history[-1]


def boards(runs: Sequence[Run], kept: Path | None = None) -> list[Board]:
    """The boards that runs make; `kept` is a file with earlier moments."""
    before = _read(kept)
    after: dict[str, Moment] = {}
    found = [board for group in setups(runs) for board in [_board(group, before, after)] if board]
    if kept is not None and after != before:
        moments = {key: asdict(moment) for key, moment in after.items()}
        text = json.dumps({"format": FORMAT, "moments": moments}, sort_keys=True)
        write_atomically(kept, text)
    return found


def _board(runs: list[Run], before: Mapping[str, Moment], after: dict[str, Moment]) -> Board | None:
    """One board; moments are taken from `before` or computed, and put into `after`."""
    names = Names(runs)
    history: list[Moment] = []
    digest = hashlib.sha256()
    for number, run in enumerate(runs, start=1):
        digest.update(key_of(run).encode())
        key = digest.hexdigest()
        after[key] = before.get(key) or _moment(runs[:number], names)
        if after[key].fields:
            history.append(after[key])
    if not history:
        return None
    manifest = runs[-1].manifest
    return Board(
        title=manifest.rules.game,
        rules=options(manifest.rules.options),
        deals=f"{manifest.deal_set} ({manifest.deals_sha256[:12]})",
        unit=runs[-1].unit,
        runs=tuple(str(run.path) for run in runs),
        names=names,
        history=tuple(history),
    )


def _moment(runs: Sequence[Run], names: Names) -> Moment:
    parts = list(_connected(read_as(runs, names.fingerprint)))
    seen = {mark: place for place, mark in enumerate(names.first_seen)}
    anchors = tuple(min(part.agents, key=seen.__getitem__) for part in parts)
    found = [
        make_standings(part, RatingOptions(anchor))
        for part, anchor in zip(parts, anchors, strict=True)
    ]
    notes = dict.fromkeys(note for field in found for note in field.notes)
    last = runs[-1]
    played = tuple(entrant.fingerprint for entrant in last.manifest.entrants.values())
    fields = tuple(field.agents for field in found)
    return Moment(last.name, last.manifest.started, played, anchors, fields, tuple(notes))


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


def _read(kept: Path | None) -> dict[str, Moment]:
    """Moments that were kept; none if there is no such file, or it cannot be used."""
    from pydantic import TypeAdapter  # here: only this needs it

    try:
        data = json.loads(kept.read_bytes()) if kept is not None else {}
        if data.get("format") != FORMAT:
            return {}
        return TypeAdapter(dict[str, Moment]).validate_python(data["moments"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}

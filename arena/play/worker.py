"""What happens in a worker process: build the agents once, play chunks of units.

Each worker process has a sentry, a thread that ends the process

* when the driver is gone: nobody would take the results;
* when an agent has thought for longer than its limit and a moment more: Python
  cannot stop it, so the process goes, after leaving a note of where it was. The
  driver starts another process and counts the decision as a fault.

A sentry cannot act while compiled code holds the interpreter's lock; ours never does.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from arena.agent import Player
from arena.entrants import Apart, Builder, builder_of
from arena.play.experiment import Experiment
from arena.play.fingerprint import probe
from arena.play.match import Playing
from arena.play.referee import Clock, Lineup, Played, Referee
from arena.play.schedule import Seating, Unit, seat_members, seatings
from arena.rules import MatchFormat, Rules
from arena.store.database import FaultRecord, UnitResult

__all__ = ["Chunk", "ChunkResult", "Known", "Table", "play_chunk", "watched_probe"]

GRACE_S = 1.0
"""How long after its limit an agent is given up."""
_SENTRY_INTERVAL_S = 0.1
_STUCK_EXIT_CODE = 70

Known = Mapping[int, tuple[int, Played]]


@dataclass(frozen=True)
class Table:
    """All that a worker must know of an experiment."""

    token: str
    """Names the run, so that a worker builds its agents once."""
    rules: Rules
    seed: int
    match: MatchFormat | None
    seatings: tuple[Seating, ...]
    teams: tuple[tuple[Builder | Apart, ...], ...]
    pairings: tuple[tuple[int, int], ...]
    """Indices of two teams."""
    on_fault: Literal["stop", "forfeit"]
    decision_limit_s: float | None
    driver: int | None = None
    """The process to which a worker process answers, if it is one of its children."""
    notes: str | None = None
    """A folder for the last words of workers."""

    @classmethod
    def of(cls, experiment: Experiment, token: str) -> Table:
        """The table for an experiment."""
        names = [entrant.name for entrant in experiment.entrants]
        limit = experiment.decision_limit_s
        return cls(
            token=token,
            rules=experiment.rules,
            seed=experiment.seed,
            match=experiment.match,
            seatings=seatings(experiment.rules, experiment.placements),
            teams=tuple(
                tuple(builder_of(member, experiment.folder, limit) for member in entrant.members)
                for entrant in experiment.entrants
            ),
            pairings=tuple((names.index(a), names.index(b)) for a, b in experiment.pairings),
            on_fault=experiment.on_fault,
            decision_limit_s=limit,
        )


class Chunk(NamedTuple):
    """Some units to play, and what is already known of them."""

    number: int
    units: tuple[Unit, ...]
    known: tuple[Known, ...]
    """For each unit, rounds by seating that must not be tried again."""


class ChunkResult(NamedTuple):
    """What came of a chunk."""

    number: int
    results: list[UnitResult]
    faults: list[FaultRecord]
    stopped: bool
    """Whether a fault ended the chunk early; its unit is not among the results."""
    seconds: float
    cpu_seconds: float


def play_chunk(table: Table, chunk: Chunk) -> ChunkResult:
    """Play the units of a chunk, one after the other."""
    post = _watched(table)
    started, cpu_started = time.perf_counter(), _cpu_seconds(table)
    playing = _playing(table, post)
    results: list[UnitResult] = []
    faults: list[FaultRecord] = []
    stopped = False
    for unit, known in zip(chunk.units, chunk.known, strict=True):
        result, unit_faults = playing.unit(unit, known)
        faults += unit_faults
        if unit_faults and table.on_fault == "stop":
            stopped = True
            break
        results.append(result)
    seconds = time.perf_counter() - started
    cpu_seconds = _cpu_seconds(table) - cpu_started
    return ChunkResult(chunk.number, results, faults, stopped, seconds, cpu_seconds)


def watched_probe(table: Table, builder: Builder | Apart) -> str:
    """The probe of an agent, in a process that ends if the agent never comes back."""
    post = _watched(table)
    clock = post.clock if post else None
    return probe(table.rules, builder.build(), table.decision_limit_s, clock)


def _cpu_seconds(table: Table) -> float:
    # A worker process does nothing else; a thread shares its process with others.
    return time.process_time() if table.driver is not None else time.thread_time()


def _playing(table: Table, post: Post | None) -> Playing:
    clock = post.clock if post else None
    referee = Referee(table.rules, table.seed, table.decision_limit_s, clock)
    lineups = _lineups(_ByToken(table))
    playing = Playing(referee, table.match, table.seatings, lineups, table.on_fault == "stop")
    return playing if post is None else replace(playing, enter=post.enter)


class _ByToken:
    """A table that compares by its token: what is built for it is built once."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByToken) and self.table.token == other.table.token

    def __hash__(self) -> int:
        return hash(self.table.token)


@lru_cache(maxsize=1)
def _lineups(key: _ByToken) -> Callable[[int, int], Lineup]:
    table = key.table

    @cache
    def team(number: int) -> tuple[Player, ...]:
        return tuple(builder.build() for builder in table.teams[number])

    @cache
    def lineup(pairing: int, seating: int) -> Lineup:
        first, second = (team(number) for number in table.pairings[pairing])
        seats = table.seatings[seating]
        members = seat_members(seats, (len(first), len(second)))
        pair = (first, second)
        return Lineup.of([pair[e][m] for e, m in zip(seats, members, strict=True)])

    return lineup


def forget_agents() -> None:
    """Let the agents of this process go, and with them their processes."""
    _lineups.cache_clear()


# --- the sentry --------------------------------------------------------------------------


class Post:
    """Where a worker process is: what its sentry looks at."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.place: tuple[int, str, int, int, str] = (0, "", 0, 0, "")
        self.limit_s: float | None = None
        self.notes: str | None = None

    def enter(self, place: tuple[int, str, int, int, str]) -> None:
        """A round begins."""
        self.place = place


@lru_cache(maxsize=1)
def _post(driver: int) -> Post:
    """Set up this process as a worker of `driver`: once."""
    if threading.current_thread() is threading.main_thread():
        # Ctrl-C goes to every process of the terminal; the driver decides what it means.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    post = Post()
    threading.Thread(target=_keep_watch, args=(post, driver), name="sentry", daemon=True).start()
    return post


def _watched(table: Table) -> Post | None:
    if table.driver is None or os.getpid() == table.driver:
        return None
    post = _post(table.driver)
    post.limit_s, post.notes = table.decision_limit_s, table.notes
    return post


def _keep_watch(post: Post, driver: int) -> None:
    while True:
        time.sleep(_SENTRY_INTERVAL_S)
        if os.getppid() != driver:
            os._exit(0)
        since, limit = post.clock.since, post.limit_s
        if limit is None or not since:
            continue
        if time.perf_counter_ns() - since > (limit + GRACE_S) * 1e9:
            _leave_note(post)
            os._exit(_STUCK_EXIT_CODE)


def _leave_note(post: Post) -> None:
    if post.notes is None:
        return
    note = {"place": post.place, "seat": post.clock.seat, "actions": list(post.clock.actions)}
    path = Path(post.notes) / f"stuck-{os.getpid()}"
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(note))
    temporary.rename(path.with_suffix(".json"))


def read_notes(folder: Path) -> Sequence[dict[str, Any]]:
    """The last words of workers that ended themselves; each is read once."""
    notes = []
    for path in sorted(folder.glob("stuck-*.json")):
        notes.append(json.loads(path.read_text()))
        path.unlink()
    return notes
